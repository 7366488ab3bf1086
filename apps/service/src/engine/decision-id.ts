// Decision ids: time first, so that they arrive in the order of an index, then 60 random bits.

import { randomFillSync } from 'node:crypto'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const pool = new Uint8Array(12 * 256)
let used = pool.length

export function newDecisionId(time: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let id = `d${time.toString(36).padStart(9, '0')}`
  for (let k = 0; k < 12; k++) id += DIGITS[pool[used++]! & 31]
  return id
}
