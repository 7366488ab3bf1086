// Mean and standard deviation of every input over the rounds learnt from: declared ranges are never used.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { RoundBlock, RoundTable } from '../rounds/round-table.js'
import type { Unit } from './columns.js'

/** `fill` writes the inputs of a row. */
export function unitsOf(
  table: RoundTable,
  inputs: number,
  isWanted: (block: RoundBlock, row: number) => boolean,
  fill: (block: RoundBlock, row: number, raw: Float64Array) => void,
): readonly Unit[] {
  const raw = new Float64Array(inputs + 1)
  const means = new Float64Array(inputs)
  const squares = new Float64Array(inputs)
  let count = 0
  for (const block of table.blocks) {
    const rows = Math.min(BLOCK_ROUNDS, table.count - block.index * BLOCK_ROUNDS)
    for (let row = 0; row < rows; row++) {
      if (!isWanted(block, row)) continue
      fill(block, row, raw)
      count++
      // Welford's update: no digits are lost where values are far from 0.
      for (let k = 0; k < inputs; k++) {
        const step = raw[k]! - means[k]!
        means[k] = means[k]! + step / count
        squares[k] = squares[k]! + step * (raw[k]! - means[k]!)
      }
    }
  }
  return Array.from({ length: inputs }, (_, k) => {
    const sd = count === 0 ? 0 : Math.sqrt(squares[k]! / count)
    // What rounding leaves of a constant is no spread.
    return { centre: means[k]!, scale: sd > 1e-12 * Math.max(1, Math.abs(means[k]!)) ? 1 / sd : 0 }
  })
}
