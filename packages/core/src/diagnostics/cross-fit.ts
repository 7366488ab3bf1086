// Cross-fitted nuisances for estimates under MAR: rows are split at random into folds, observed and missing rows apart; for
// the rows of a fold the observation probability e(x) and the regression m(x) = E[v | x] are fitted on the other folds.
// e: logit by likelihood. m: ridge on the constant, the columns, and their squares and products; with few observed rows
// (under 10 per column) first the products go, then the columns. m is kept inside the range of the values it was fitted on.

import type { Random } from '@primo/numeric'
import {
  BLOCK_ROUNDS,
  type BlockSums,
  invalidOption,
  mergeBlocks,
  requireAllFinite,
  requireInteger,
  requireLength,
  requireShare,
  solveRidge,
  sumRows,
} from '@primo/numeric'
import { fitObservation, type ObservationBatch } from '../missingness/fit-observation.js'
import { observationProbability, observationSettings } from '../missingness/observation-model.js'

export interface MissingTable {
  /** Encoded context, rows x contextWidth, row-major. */
  readonly context: Float64Array
  readonly contextWidth: number
  /** b_i, 0 or 1. */
  readonly observed: Uint8Array
}

export interface CrossFitOptions {
  readonly random: Random
  /** Default 2. */
  readonly folds?: number
  /** eps0 in (0, 1], default 0.05. */
  readonly floor?: number
}

export interface Folds {
  readonly count: number
  /** Fold of each row. */
  readonly of: Uint8Array
}

const OBSERVED_PER_COLUMN = 10
const MAX_COLUMNS = 300
const RIDGE = 1e-3

export function checkTable(table: MissingTable): number {
  const rows = table.observed.length
  if (rows === 0) invalidOption('observed', 'a table with at least one row', table.observed)
  requireInteger('contextWidth', table.contextWidth, 0)
  requireLength('context', table.context.length, rows * table.contextWidth)
  requireAllFinite('context', table.context)
  if (!table.observed.includes(1)) invalidOption('observed', 'a table with at least one observed row', 0)
  return rows
}

/** Random folds of equal size up to one row, separately among observed and missing rows. */
export function makeFolds(table: MissingTable, options: CrossFitOptions): Folds {
  const { random, folds: count = 2 } = options
  requireInteger('folds', count, 2)
  const rows = checkTable(table)
  const of = new Uint8Array(rows)
  const next = [0, 0]
  for (const row of random.permutation(rows)) {
    const kind = table.observed[row]!
    of[row] = next[kind]! % count
    next[kind] = next[kind]! + 1
  }
  return { count, of }
}

/** e(x_i), each from the other folds. */
export function crossFitProbabilities(table: MissingTable, folds: Folds, floor = 0.05): Float64Array {
  requireShare('floor', floor)
  const out = new Float64Array(table.observed.length)
  for (let fold = 0; fold < folds.count; fold++) {
    const batches = trainingBatches(table, (row) => folds.of[row] !== fold)
    const model = fitObservation(
      { contextWidth: table.contextWidth, batches },
      observationSettings({ model: 'logit', loss: 'likelihood', floor }),
    )
    for (let row = 0; row < out.length; row++) {
      if (folds.of[row] === fold) out[row] = observationProbability(model, table.context, row * table.contextWidth)
    }
  }
  return out
}

function trainingBatches(table: MissingTable, keep: (row: number) => boolean): ObservationBatch[] {
  const { context, contextWidth: width, observed } = table
  const batches: ObservationBatch[] = []
  const rows: number[] = []
  for (let row = 0; row < observed.length; row++) if (keep(row)) rows.push(row)
  for (let at = 0, block = 0; at < rows.length; at += BLOCK_ROUNDS, block++) {
    const part = rows.slice(at, at + BLOCK_ROUNDS)
    const x = new Float64Array(part.length * width)
    const b = new Uint8Array(part.length)
    part.forEach((row, k) => {
      x.set(context.subarray(row * width, (row + 1) * width), k * width)
      b[k] = observed[row]!
    })
    batches.push({ block, count: part.length, context: x, observed: b })
  }
  return batches
}

/** m(x_i) = E[v | x_i], each from the observed rows of the other folds. */
export function crossFitRegression(table: MissingTable, folds: Folds, values: ArrayLike<number>): Float64Array {
  const { observed } = table
  requireLength('values', values.length, observed.length)
  const out = new Float64Array(observed.length)
  for (let fold = 0; fold < folds.count; fold++) {
    const predict = fitRegression(table, (row) => observed[row] === 1 && folds.of[row] !== fold, values)
    for (let row = 0; row < out.length; row++) if (folds.of[row] === fold) out[row] = predict(row)
  }
  return out
}

type Regression = (row: number) => number

function fitRegression(table: MissingTable, keep: (row: number) => boolean, values: ArrayLike<number>): Regression {
  const rows: number[] = []
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (let row = 0; row < table.observed.length; row++) {
    if (!keep(row)) continue
    rows.push(row)
    low = Math.min(low, values[row]!)
    high = Math.max(high, values[row]!)
  }
  if (rows.length === 0) return () => 0
  const degree = polynomialDegree(table.contextWidth, rows.length)
  const columns = polynomialColumns(table.contextWidth, degree)
  const leaves: BlockSums[] = []
  const buffer = new Float64Array(Math.min(rows.length, BLOCK_ROUNDS) * (columns + 1))
  for (let at = 0, block = 0; at < rows.length; at += BLOCK_ROUNDS, block++) {
    const part = rows.slice(at, at + BLOCK_ROUNDS)
    part.forEach((row, k) => {
      writePolynomial(table, row, degree, buffer, k * (columns + 1))
      buffer[k * (columns + 1) + columns] = values[row]!
    })
    leaves.push({ block, sums: sumRows(buffer, 0, part.length, columns, null, 0, buffer) })
  }
  const { coefficients } = solveRidge(mergeBlocks(leaves, columns), RIDGE)
  const features = new Float64Array(columns)
  return (row) => {
    writePolynomial(table, row, degree, features, 0)
    let sum = 0
    for (let k = 0; k < columns; k++) sum += coefficients[k]! * features[k]!
    return Math.min(high, Math.max(low, sum))
  }
}

function polynomialDegree(width: number, observed: number): 0 | 1 | 2 {
  for (const degree of [2, 1] as const) {
    const columns = polynomialColumns(width, degree)
    if (columns <= MAX_COLUMNS && OBSERVED_PER_COLUMN * columns <= observed) return degree
  }
  return 0
}

function polynomialColumns(width: number, degree: 0 | 1 | 2): number {
  return degree === 0 ? 1 : degree === 1 ? 1 + width : 1 + width + (width * (width + 1)) / 2
}

function writePolynomial(table: MissingTable, row: number, degree: 0 | 1 | 2, out: Float64Array, at: number): void {
  const { context, contextWidth: width } = table
  const from = row * width
  let to = at
  out[to++] = 1
  if (degree === 0) return
  for (let k = 0; k < width; k++) out[to++] = context[from + k]!
  if (degree === 1) return
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) out[to++] = context[from + i]! * context[from + j]!
  }
}
