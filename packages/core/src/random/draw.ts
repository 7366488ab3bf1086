// The draw behind a decision: a number in [0, 1) that is a function of (seed, decision id) and of nothing else.
// Ids that are whole numbers in canonical decimal form take the short way, so that a column of rounds can be
// decided without making strings; both ways give the same number for the same id.

import { deriveKey, type RandomKey } from './key.js'
import { threefry, unitInterval } from './threefry.js'

const words = new Int32Array(2)

/** The key that all draws of a learner with this seed share. */
export function drawKey(root: RandomKey): RandomKey {
  return deriveKey(root, 'draw')
}

export function drawOfRound(key: RandomKey, round: number): number {
  threefry(key[0], key[1], round | 0, Math.floor(round / 4294967296), words)
  return unitInterval(words[0]!, words[1]!)
}

/** The draws of rounds first, first + 1, ..., `count` of them. */
export function drawsOfRounds(key: RandomKey, first: number, count: number, out: Float64Array): void {
  for (let k = 0; k < count; k++) out[k] = drawOfRound(key, first + k)
}

const CANONICAL = /^(0|[1-9][0-9]{0,14})$/

export function drawOf(key: RandomKey, id: string): number {
  if (CANONICAL.test(id)) return drawOfRound(key, Number(id))
  return drawOfRound(deriveKey(key, id), 0)
}

/** The action that a uniform draw selects: inverse distribution function in index order; propensities begin at `at`. */
export function categorical(propensities: Float64Array, count: number, draw: number, at = 0): number {
  let below = 0
  let last = 0
  for (let i = 0; i < count; i++) {
    const p = propensities[at + i]!
    if (p > 0) last = i
    below += p
    if (draw < below) return i
  }
  return last
}
