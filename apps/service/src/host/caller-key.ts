// The key of a caller's draws: derived from the problem's seed and the caller's name, slowly, so that a caller cannot find the seed that its
// key comes from by trying, and with it the draws of others.

import { pbkdf2Sync } from 'node:crypto'
import type { RandomKey } from '@primo/numeric'

const ROUNDS = 10_000
/** Keys that are remembered. */
const MAX_KNOWN = 10_000

const known = new Map<string, RandomKey>()

/** One object per caller: deciders keep what they compile for it. */
export function callerKey(seed: number, caller: string): RandomKey {
  const name = `${seed} ${caller}`
  const before = known.get(name)
  if (before !== undefined) return before
  const bytes = pbkdf2Sync(String(seed), `primo caller ${caller}`, ROUNDS, 8, 'sha256')
  const key: RandomKey = [bytes.readInt32LE(0), bytes.readInt32LE(4)]
  if (known.size >= MAX_KNOWN) for (const oldest of known.keys()) if (known.delete(oldest)) break
  known.set(name, key)
  return key
}
