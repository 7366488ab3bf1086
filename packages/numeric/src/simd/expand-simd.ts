// Rows of the rich correction basis in two lanes: a thin driver of expand-kernel.ts for rows that stand in linear
// memory.

import { residentKernels, SUM_CELLS } from './gram-simd.js'

/**
 * Which columns of the context are numeric, and for each column where its partners in products begin (its width: none).
 */
export interface ExpandLayout {
  readonly width: number
  readonly numeric: Int32Array
  readonly runs: Int32Array
}

/**
 * Writes B of `count` rows of x, back to back from x[at] on, to out[to], out[to + stride], ...; false: it did not,
 * because x and `out` are not in one linear memory. Up to two doubles behind the last row of `out` may be written over.
 */
export function expandWithSimd(
  x: Float64Array,
  at: number,
  count: number,
  { width, numeric, runs }: ExpandLayout,
  out: Float64Array,
  to: number,
  stride: number,
): boolean {
  const columns = numeric.length
  if (columns === 0 || x.buffer !== out.buffer) return false
  const packed = columns === width ? 0 : count * columns
  // In doubles, in front of the rows: the runs, then the numeric columns where they are not all.
  const tables = width + 2
  const there = tables + packed <= SUM_CELLS ? residentKernels(x.buffer) : undefined
  if (there === undefined) return false
  if (count === 0) return true
  const places = new Int32Array(x.buffer, 0, width)
  for (let k = 0; k < width; k++) places[k] = 8 * runs[k]!
  const from = x.byteOffset + 8 * at
  if (packed > 0) {
    const cells = there.cells(0)
    for (let row = 0, cell = tables, first = at; row < count; row++, first += width) {
      for (let k = 0; k < columns; k++) cells[cell++] = x[first + numeric[k]!]!
    }
  }
  const z = packed > 0 ? 8 * tables : from
  there.kernels.expand(from, 8 * width, z, 8 * columns, count, 0, out.byteOffset + 8 * to, 8 * stride)
  return true
}
