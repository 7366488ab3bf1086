// Sums of rows [f, f x, target]: x as it stands in a table, with a constant in front and a factor for the row. What
// ridge and logistic fits sum, without rows being laid out by the caller.

import { scaledGramWithSimd } from '../simd/gram-simd.js'
import { addGram } from './gram.js'
import type { Sums } from './sums.js'

const withSimd = scaledGramWithSimd()
const CHUNK = 256

/**
 * Adds `count` rows: x from x[xAt] on, `into.columns - 1` numbers each; factors[at ...] (null: all 1) and targets[at
 * ...]. The bits are those of `addRows` on the rows laid out.
 */
export function addScaledRows(
  into: Sums,
  x: Float64Array,
  xAt: number,
  factors: Float64Array | null,
  targets: Float64Array,
  at: number,
  count: number,
): void {
  const columns = into.columns - 1
  into.count += count
  into.weight += count
  if (withSimd !== null && columns > 0 && count > 0) withSimd(x, xAt, factors, targets, at, count, columns, into.gram)
  else addScaledPlainly(x, xAt, factors, targets, at, count, columns, into.gram)
}

function addScaledPlainly(
  x: Float64Array,
  xAt: number,
  factors: Float64Array | null,
  targets: Float64Array,
  at: number,
  count: number,
  columns: number,
  out: Float64Array,
): void {
  const width = columns + 2
  const rows = new Float64Array(CHUNK * width)
  for (let first = 0; first < count; first += CHUNK) {
    const size = Math.min(CHUNK, count - first)
    for (let i = first, to = 0, from = xAt + first * columns; i < first + size; i++) {
      const factor = factors === null ? 1 : factors[at + i]!
      rows[to++] = factor
      for (let k = 0; k < columns; k++) rows[to++] = factor * x[from++]!
      rows[to++] = targets[at + i]!
    }
    addGram(rows, rows, size, width, out)
  }
}
