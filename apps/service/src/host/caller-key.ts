// The key of a caller's draws, derived from the problem's seed and the caller's name. A seed has 48 bits: the
// derivation is slow, so that a caller cannot find the seed, and the draws of others, by trial. It runs on the thread
// pool.

import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import type { RandomKey } from '@primo/numeric'

const derive = promisify(pbkdf2)
const ROUNDS = 10_000
/** Most keys that are remembered. */
const MAX_KNOWN = 10_000

const known = new Map<string, Promise<RandomKey>>()

/** Resolves to one object per caller: deciders cache what they compile for it. */
export function callerKey(seed: number, caller: string): Promise<RandomKey> {
  const name = `${seed} ${caller}`
  const before = known.get(name)
  if (before !== undefined) return before
  const key = derive(String(seed), `primo caller ${caller}`, ROUNDS, 8, 'sha256').then(
    (bytes): RandomKey => [bytes.readInt32LE(0), bytes.readInt32LE(4)],
  )
  if (known.size >= MAX_KNOWN) for (const oldest of known.keys()) if (known.delete(oldest)) break
  known.set(name, key)
  return key
}
