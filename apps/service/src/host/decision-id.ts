// Decision ids: time first, so that they arrive in the order of an index, then 60 random bits.

import { randomFillSync } from 'node:crypto'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const PAIRS = Array.from({ length: 1024 }, (_, k) => DIGITS[k >> 5]! + DIGITS[k & 31]!)
const PAIRS_OF_AN_ID = 6

/** Random bits are drawn for 512 ids at a time. */
export function createDecisionIds(clock: () => number): () => string {
  const random = new Uint16Array(PAIRS_OF_AN_ID * 512)
  let used = random.length
  let time = Number.NaN
  let prefix = ''
  return () => {
    const now = clock()
    if (now !== time) {
      time = now
      prefix = `d${now.toString(36).padStart(9, '0')}`
    }
    if (used === random.length) {
      randomFillSync(random)
      used = 0
    }
    let id = prefix
    for (let k = 0; k < PAIRS_OF_AN_ID; k++) id += PAIRS[random[used++]! & 1023]
    return id
  }
}
