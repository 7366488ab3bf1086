// Columns cut into at most 255 bins, the way histogram trees read them: one byte per value, column by column. With few distinct
// values every value is a bin; with many, bins hold about equal weight. Thresholds lie halfway between neighbouring values; of very
// many rows they come from a sample.

import { sortOrder } from '@primo/numeric'
import type { RegressionRows } from './regression.js'
import { rowsAt } from './regression-rows.js'

/** Bin of a missing value. */
export const MISSING_BIN = 255

export interface BinnedColumns {
  /** Column-major, columns x count. */
  readonly bins: Uint8Array
  /** Per column: a value in bin b is <= thresholds[b] and > thresholds[b - 1]; the last bin has none. */
  readonly thresholds: readonly Float64Array[]
  readonly hasMissing: Uint8Array
}

/** With more rows than this, thresholds come from a sample of at least half as many. */
const MAX_SORTED = 1 << 18

/** `hashes` of what rows say: by them the sample is chosen, so that row order does not matter. */
export function binColumns(rows: RegressionRows, most: number, hashes: Float64Array): BinnedColumns {
  const step = Math.ceil(rows.count / MAX_SORTED)
  if (step < 2) return binSorted(rows, most)
  const sample = new Uint32Array(rows.count)
  let size = 0
  for (let i = 0; i < rows.count; i++) if (hashes[i]! % step === 0) sample[size++] = i
  const { thresholds } = binSorted(rowsAt(rows, sample.subarray(0, size)), most)
  return placed(rows, thresholds)
}

/** Every value in the bin of its place among known thresholds. */
function placed({ columns, count, inputs }: RegressionRows, thresholds: readonly Float64Array[]): BinnedColumns {
  const bins = new Uint8Array(columns * count)
  const hasMissing = new Uint8Array(columns)
  // Padded to 256, so that a search takes eight steps without asking for the end.
  const padded = new Float64Array(256 * columns).fill(Number.POSITIVE_INFINITY)
  thresholds.forEach((list, column) => {
    padded.set(list, 256 * column)
  })
  for (let row = 0, from = 0; row < count; row++) {
    for (let column = 0; column < columns; column++) {
      const value = inputs[from++]!
      if (Number.isNaN(value)) {
        bins[column * count + row] = MISSING_BIN
        hasMissing[column] = 1
        continue
      }
      const start = 256 * column
      let at = start
      for (let half = 128; half > 0; half >>= 1) if (padded[at + half - 1]! < value) at += half
      bins[column * count + row] = at - start
    }
  }
  return { bins, thresholds, hasMissing }
}

function binSorted(rows: RegressionRows, most: number): BinnedColumns {
  const { columns, count } = rows
  const bins = new Uint8Array(columns * count)
  const hasMissing = new Uint8Array(columns)
  const thresholds = Array.from({ length: columns }, (_, column) => {
    const { present, values } = presentValues(rows, column, bins)
    if (present.length < count) hasMissing[column] = 1
    return binColumn(rows, column, present, values, most, bins)
  })
  return { bins, thresholds, hasMissing }
}

function presentValues({ columns, count, inputs }: RegressionRows, column: number, bins: Uint8Array) {
  const present = new Uint32Array(count)
  const values = new Float64Array(count)
  let kept = 0
  for (let i = 0, at = column; i < count; i++, at += columns) {
    const value = inputs[at]!
    if (Number.isNaN(value)) bins[column * count + i] = MISSING_BIN
    else {
      present[kept] = i
      values[kept++] = value + 0
    }
  }
  return { present: present.subarray(0, kept), values: values.subarray(0, kept) }
}

function binColumn(
  { count, weights }: RegressionRows,
  column: number,
  present: Uint32Array,
  values: Float64Array,
  most: number,
  bins: Uint8Array,
): Float64Array {
  const order = sortOrder(values)
  let distinct = order.length > 0 ? 1 : 0
  let total = 0
  for (let i = 0; i < order.length; i++) {
    if (i > 0 && values[order[i]!] !== values[order[i - 1]!]) distinct++
    total += weights === null ? 1 : weights[present[i]!]!
  }
  const own = distinct <= most
  const thresholds: number[] = []
  let below = 0
  for (let i = 0; i < order.length; i++) {
    const at = order[i]!
    if (i > 0) {
      const before = values[order[i - 1]!]!
      const value = values[at]!
      // A new bin begins at a new value, once the bins so far hold their share; sums of weights are rounded, so bins are counted too.
      const full = below * most >= total * (thresholds.length + 1) && thresholds.length + 1 < most
      if (value !== before && (own || full)) {
        const middle = before + (value - before) / 2
        // Between two neighbouring numbers there is none.
        thresholds.push(middle < value ? middle : before)
      }
    }
    const row = present[at]!
    below += weights === null ? 1 : weights[row]!
    bins[column * count + row] = thresholds.length
  }
  return Float64Array.from(thresholds)
}
