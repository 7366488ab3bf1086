// The rows of a table that calibration can use (those with a prediction), in columns, dealt at random into four quarters.
// Quarters 0, 1 are the first fold and 2, 3 the second; within a fold its two quarters are the folds again.

import type { CovariateBatch, CovariateRows, ObservationRows } from '@primo/core/engine'
import { BLOCK_ROUNDS, type Random } from '@primo/numeric'
import type { EncodedTable } from './encode-table.js'

/** A set of quarters: bit q stands for quarter q. */
export type Quarters = number

export const ALL_QUARTERS: Quarters = 0b1111

/** The two halves of a set of four or of two quarters. */
export function halves(quarters: Quarters): readonly [Quarters, Quarters] {
  if (quarters === ALL_QUARTERS) return [0b0011, 0b1100]
  const lowest = quarters & -quarters
  return [lowest, quarters ^ lowest]
}

export interface CalibrationRows {
  readonly count: number
  readonly knownCount: number
  readonly withoutPrediction: number
  readonly contextWidth: number
  readonly width: number
  readonly context: Float64Array
  readonly pretrained: Float64Array
  /** 0 where the covariate is missing, whatever the table holds there. */
  readonly truth: Float64Array
  readonly known: Uint8Array
  readonly quarter: Uint8Array
}

export function calibrationRows({ encoding, rowsOf, table }: EncodedTable, random: Random): CalibrationRows {
  const { contextWidth: p, covariateWidth: m } = encoding
  const context = new Float64Array(table.rows * p)
  const pretrained = new Float64Array(table.rows * m)
  const truth = new Float64Array(table.rows * m)
  const known = new Uint8Array(table.rows)
  let count = 0
  let knownCount = 0
  for (let first = 0; first < table.rows; first += BLOCK_ROUNDS) {
    const size = Math.min(BLOCK_ROUNDS, table.rows - first)
    const rows = rowsOf(Uint32Array.from({ length: size }, (_, k) => first + k))
    for (let row = 0; row < size; row++) {
      if (Number.isNaN(rows.pretrained[row * m])) continue
      for (let k = 0; k < p; k++) context[count * p + k] = rows.context[row * p + k]!
      for (let k = 0; k < m; k++) {
        pretrained[count * m + k] = rows.pretrained[row * m + k]!
        truth[count * m + k] = rows.observed[row] === 1 ? rows.truth[row * m + k]! : 0
      }
      known[count] = rows.observed[row]!
      knownCount += known[count]!
      count++
    }
  }
  return {
    count,
    knownCount,
    withoutPrediction: table.rows - count,
    contextWidth: p,
    width: m,
    context: context.subarray(0, count * p),
    pretrained: pretrained.subarray(0, count * m),
    truth: truth.subarray(0, count * m),
    known: known.subarray(0, count),
    quarter: dealQuarters(count, random),
  }
}

function dealQuarters(count: number, random: Random): Uint8Array {
  const quarter = new Uint8Array(count)
  const order = random.permutation(count)
  for (let i = 0; i < count; i++) quarter[order[i]!] = Math.floor((4 * i) / count)
  return quarter
}

/** Whether the row is in the set. */
export function isIn(quarters: Quarters, rows: CalibrationRows, row: number): boolean {
  return ((quarters >> rows.quarter[row]!) & 1) === 1
}

/** Some quarters as the rows that core's calibration reads. */
export function covariateRowsOf(rows: CalibrationRows, quarters: Quarters): CovariateRows {
  let count = 0
  let knownCount = 0
  for (let row = 0; row < rows.count; row++) {
    if (!isIn(quarters, rows, row)) continue
    count++
    knownCount += rows.known[row]!
  }
  const { contextWidth, width } = rows
  return {
    contextWidth,
    width,
    count,
    knownCount,
    withoutPrediction: 0,
    batches: { [Symbol.iterator]: () => batchesOf(rows, quarters) },
  }
}

export function observationRowsOf(rows: CalibrationRows, quarters: Quarters): ObservationRows {
  const batches = Array.from({ [Symbol.iterator]: () => batchesOf(rows, quarters) }, (batch) => ({
    block: batch.block,
    count: batch.count,
    context: batch.context,
    observed: batch.known,
  }))
  return { contextWidth: rows.contextWidth, batches }
}

function* batchesOf(rows: CalibrationRows, quarters: Quarters): Generator<CovariateBatch> {
  for (let block = 0; block * BLOCK_ROUNDS < rows.count; block++) {
    const first = block * BLOCK_ROUNDS
    const end = Math.min(first + BLOCK_ROUNDS, rows.count)
    const batch = quarters === ALL_QUARTERS ? view(rows, block, first, end) : gather(rows, quarters, block, first, end)
    if (batch.count > 0) yield batch
  }
}

function view(rows: CalibrationRows, block: number, first: number, end: number): CovariateBatch {
  const { contextWidth: p, width: m } = rows
  return {
    block,
    count: end - first,
    context: rows.context.subarray(first * p, end * p),
    pretrained: rows.pretrained.subarray(first * m, end * m),
    truth: rows.truth.subarray(first * m, end * m),
    known: rows.known.subarray(first, end),
  }
}

function gather(rows: CalibrationRows, quarters: Quarters, block: number, first: number, end: number): CovariateBatch {
  const { contextWidth: p, width: m } = rows
  let count = 0
  for (let row = first; row < end; row++) if (isIn(quarters, rows, row)) count++
  const context = new Float64Array(count * p)
  const pretrained = new Float64Array(count * m)
  const truth = new Float64Array(count * m)
  const known = new Uint8Array(count)
  let to = 0
  for (let row = first; row < end; row++) {
    if (!isIn(quarters, rows, row)) continue
    for (let k = 0; k < p; k++) context[to * p + k] = rows.context[row * p + k]!
    for (let k = 0; k < m; k++) {
      pretrained[to * m + k] = rows.pretrained[row * m + k]!
      truth[to * m + k] = rows.truth[row * m + k]!
    }
    known[to++] = rows.known[row]!
  }
  return { block, count, context, pretrained, truth, known }
}
