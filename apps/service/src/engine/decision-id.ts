// Decision ids: time first, so that they arrive in the order of an index, then 60 random bits.

import { randomFillSync } from 'node:crypto'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const PAIRS = Array.from({ length: 1024 }, (_, k) => DIGITS[k >> 5]! + DIGITS[k & 31]!)
const PAIRS_OF_AN_ID = 6
const pool = new Uint16Array(PAIRS_OF_AN_ID * 512)
let used = pool.length
let now = Number.NaN
let prefix = ''

export function newDecisionId(time: number): string {
  if (time !== now) {
    now = time
    prefix = `d${time.toString(36).padStart(9, '0')}`
  }
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let random = ''
  for (let k = 0; k < PAIRS_OF_AN_ID; k++) random += PAIRS[pool[used++]! & 1023]
  return prefix + random
}
