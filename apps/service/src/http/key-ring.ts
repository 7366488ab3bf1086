// The keys that count now: those of the configuration and those of the store, which change without a restart. Other replicas
// hear of a change within a second. A service that ever had a key never goes back to answering without one.

import { ServiceError } from '../ledger/service-error.js'
import type { Store } from '../ledger/store.js'
import type { StoredKey } from '../ledger/stored-key.js'
import { hashOf, type Key, matching, newKey, type Role } from './keys.js'

/** The keys of a service: those of its store and those of its settings. */
export interface KeyRing {
  /** Whether callers must show a key. */
  readonly keyed: () => boolean
  /** The valid keys of a secret. */
  readonly held: (secret: string) => readonly StoredKey[]
  /** Why a secret has none. */
  readonly whyNot: (secret: string) => string
  readonly list: () => readonly StoredKey[]
  /** These throw a ServiceError where the name is taken or not known. */
  readonly add: (given: NewKey) => Promise<Made>
  readonly rotate: (name: string, overlap: number) => Promise<Made>
  readonly revoke: (name: string) => Promise<StoredKey>
  readonly close: () => void
}

export interface NewKey extends Pick<StoredKey, 'name' | 'problems' | 'expires'> {
  readonly role: Role
}

interface Made {
  readonly key: StoredKey
  /** Shown this once. */
  readonly secret: string
}

type KeyStore = Pick<Store, 'kind' | 'keys' | 'writeKey'>

/** Milliseconds between looks for what other replicas changed. */
const LOOK_EVERY = 1000

/** A key of the configuration is named for its role and the first digits of its hash. */
function named({ role, hash }: Key): StoredKey {
  const name = `${role}-${hash.slice(0, 8)}`
  return { name, role, hash, problems: null, expires: null, previous: null, created: 0, revoked: null }
}

/** Each secret of a key, the one before a rotation too. */
function secretsOf(
  key: StoredKey,
): readonly { readonly hash: string; readonly key: StoredKey; readonly until: number }[] {
  const until = Math.min(key.expires ?? Number.POSITIVE_INFINITY, key.revoked ?? Number.POSITIVE_INFINITY)
  const { hash, previous } = key
  if (previous === null) return [{ hash, key, until }]
  return [
    { hash, key, until },
    { hash: previous.hash, key, until: Math.min(until, previous.until) },
  ]
}

/** Reads the keys and goes on looking for changes. */
export async function openKeyRing(
  store: KeyStore | null,
  given: readonly Key[],
  now: () => number = Date.now,
): Promise<KeyRing> {
  const fixed = given.map(named)
  let stored: readonly StoredKey[] = []
  let secrets: ReturnType<typeof secretsOf> = []
  let last: Promise<void> = Promise.resolve()
  /** One after the other: an answer that was long under way must not replace a newer one. */
  function look(): Promise<void> {
    last = last
      .catch(() => undefined)
      .then(async () => {
        if (store !== null) stored = await store.keys()
        secrets = [...fixed, ...stored].flatMap(secretsOf)
      })
    return last
  }
  await look()
  const timer =
    store?.kind === 'postgres' ? setInterval(() => void look().catch(() => undefined), LOOK_EVERY) : undefined
  timer?.unref()

  function known(name: string): StoredKey {
    const key = stored.find((one) => one.name === name)
    if (key === undefined) {
      const where = fixed.some((one) => one.name === name) ? 'it is one of the configuration' : 'the store has none'
      throw new ServiceError('unknown-key', `no key that can be changed is called "${name}": ${where}`)
    }
    if (key.revoked !== null) throw new ServiceError('key-conflict', `key "${name}" was revoked`)
    return key
  }

  async function write(key: StoredKey, before: StoredKey | null): Promise<boolean> {
    const written = store === null ? false : await store.writeKey(key, before)
    await look()
    return written
  }

  /** Changes the key as it is stored; again where another call has changed it since it was read. */
  async function change(name: string, changed: (key: StoredKey) => StoredKey): Promise<StoredKey> {
    await look()
    const before = known(name)
    const key = changed(before)
    return (await write(key, before)) ? key : change(name, changed)
  }

  return {
    keyed: () => secrets.length > 0,
    held: (secret) =>
      matching(secrets, secret)
        .filter(({ until }) => now() < until)
        .map(({ key }) => key),
    whyNot: (secret) => {
      const [past] = matching(secrets, secret)
      if (past === undefined) return 'the key is not known'
      const { name, revoked, expires } = past.key
      const at = (time: number) => new Date(time).toISOString()
      if (revoked !== null) return `key "${name}" was revoked at ${at(revoked)}`
      if (expires !== null && expires <= now()) return `key "${name}" expired at ${at(expires)}`
      return `key "${name}" was rotated: this secret counted until ${at(past.until)}`
    },
    list: () => [...fixed, ...stored],
    add: async ({ name, role, problems, expires }) => {
      if ([...fixed, ...stored].some((one) => one.name === name))
        throw new ServiceError('key-conflict', `a key called "${name}" was there before`)
      if (secrets.length === 0 && (role !== 'admin' || problems !== null))
        throw new ServiceError(
          'key-conflict',
          'the first key must be of role admin and for all problems: from then on every call needs a key, and only admin can make more',
        )
      if (expires !== null && expires <= now())
        throw new ServiceError(
          'invalid-request',
          `expires must lie in the future, got ${new Date(expires).toISOString()}`,
        )
      const { secret } = newKey(role)
      const key: StoredKey = {
        name,
        role,
        problems,
        expires,
        hash: hashOf(secret),
        previous: null,
        created: now(),
        revoked: null,
      }
      if (!(await write(key, null))) throw new ServiceError('key-conflict', `a key called "${name}" was there before`)
      return { key, secret }
    },
    rotate: async (name, overlap) => {
      let secret = ''
      const key = await change(name, (before) => {
        secret = newKey(before.role).secret
        const previous = overlap === 0 ? null : { hash: before.hash, until: now() + overlap }
        return { ...before, hash: hashOf(secret), previous }
      })
      return { key, secret }
    },
    revoke: (name) => change(name, (key) => ({ ...key, revoked: now() })),
    close: () => clearInterval(timer),
  }
}
