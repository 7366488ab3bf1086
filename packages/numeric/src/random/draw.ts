// The draw behind a decision: a number in [0, 1) that is a function of (seed, decision id) and of nothing else.
// Ids that are whole numbers in canonical decimal form take the short way, so that a column of rounds can be
// decided without making strings; both ways give the same number for the same id.

import { beginText, deriveKey, hashText, pairAt, type RandomKey } from './key.js'
import { threefry, unitInterval } from './threefry.js'

const words = new Int32Array(2)

/** The key that all draws of a learner with this seed share. */
export function drawKey(root: RandomKey): RandomKey {
  return deriveKey(root, 'draw')
}

/** The draw in [0, 1) of a round by its number. */
export function drawOfRound(key: RandomKey, round: number): number {
  threefry(key[0], key[1], round | 0, Math.floor(round / 4294967296), words)
  return unitInterval(words[0]!, words[1]!)
}

/** The draws of rounds first, first + 1, ..., `count` of them. */
export function drawsOfRounds(key: RandomKey, first: number, count: number, out: Float64Array): void {
  for (let k = 0; k < count; k++) out[k] = drawOfRound(key, first + k)
}

const CANONICAL = /^(0|[1-9][0-9]{0,14})$/

/** The draw in [0, 1) of a decision by its id. */
export function drawOf(key: RandomKey, id: string): number {
  if (isRound(id)) return drawOfRound(key, Number(id))
  return drawOfRound(deriveKey(key, id), 0)
}

/** Most ids begin with a letter, and need no more than a look at it. */
function isRound(id: string): boolean {
  return id.charCodeAt(0) <= NINE && CANONICAL.test(id)
}

const NINE = 0x39

/** Characters that successive ids share: ids of a service begin with the time. */
const HEAD = 8

/** drawOf with this key: the same draws. The head that the id before had is not hashed again. */
export function compileDraws(key: RandomKey): (id: string) => number {
  const [key0, key1] = key
  const hash = new Int32Array(2)
  // The length and the characters of the head, two to a word, and the hash behind them.
  let length = 0
  let pair0 = 0
  let pair1 = 0
  let pair2 = 0
  let pair3 = 0
  let hash0 = 0
  let hash1 = 0
  return (id) => {
    if (id.length <= HEAD || isRound(id)) return drawOf(key, id)
    const now0 = pairAt(id, 0)
    const now1 = pairAt(id, 2)
    const now2 = pairAt(id, 4)
    const now3 = pairAt(id, 6)
    if (id.length === length && now0 === pair0 && now1 === pair1 && now2 === pair2 && now3 === pair3) {
      hash[0] = hash0
      hash[1] = hash1
    } else {
      beginText(key0, key1, id.length, hash)
      hashText(id, 0, HEAD, hash)
      length = id.length
      pair0 = now0
      pair1 = now1
      pair2 = now2
      pair3 = now3
      hash0 = hash[0]!
      hash1 = hash[1]!
    }
    hashText(id, HEAD, length, hash)
    threefry(hash[0]!, hash[1]!, 0, 0, hash)
    return unitInterval(hash[0]!, hash[1]!)
  }
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
