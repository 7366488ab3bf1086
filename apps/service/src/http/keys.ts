// API keys: a role and the SHA-256 of a secret. Only hashes are kept; a presented key is compared in constant time.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { StoredKey } from '../ledger/stored-key.js'

/** Rights of a key. `admin` has all; `decide+reward` is for callers that decide in their own processes. */
export type Role = 'decide' | 'reward' | 'decide+reward' | 'read' | 'admin'

/** All roles. */
export const roles: readonly Role[] = ['decide', 'reward', 'decide+reward', 'read', 'admin']

/** A key of the configuration. */
export type Key = Pick<StoredKey, 'role' | 'hash'>

/** A new secret, shown once, and its entry in the configuration. */
export function newKey(role: Role): { readonly secret: string; readonly entry: string } {
  const secret = `primo_${role}_${randomBytes(24).toString('base64url')}`
  return { secret, entry: `${role}:${hashOf(secret)}` }
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Entries role:hash, separated by commas or white space. */
export function parseKeys(text: string): readonly Key[] {
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [role, hash, ...rest] = entry.split(':')
      if (!roles.includes(role as Role) || rest.length > 0 || !/^[0-9a-f]{64}$/.test(hash ?? ''))
        throw new Error(`keys must be entries ROLE:SHA256 as "primo key ROLE" prints them, got one of role "${role}"`)
      return { role: role as Role, hash: hash! }
    })
}

/** The keys of a presented secret. Compares it with every one, so that the time does not tell which one matched. */
export function matching<K extends { readonly hash: string }>(keys: readonly K[], secret: string): readonly K[] {
  const presented = Buffer.from(hashOf(secret), 'hex')
  return keys.filter(({ hash }) => timingSafeEqual(presented, Buffer.from(hash, 'hex')))
}
