// Linear functions with a ridge: f(x) = start + b_0 + b'x, minimising sum w (y - f)^2 + ridge |b|^2 (the level b_0 too), from the
// sums of blocks of rows. The smallest class of a ladder.

import {
  addRows,
  addScaledRows,
  BLOCK_ROUNDS,
  type BlockSums,
  emptySums,
  invalidOption,
  mergeBlocks,
  requireOptions,
  type Sums,
  simdScratch,
  solveRidge,
} from '@primo/numeric'
import { linearRadius } from '@primo/theory'
import type { Predictor, Regression, RegressionRows } from './regression.js'
import { checkedRows, targetMean } from './regression-rows.js'

export interface RidgeOptions {
  readonly kind: 'linear'
  /** Default 0.05. */
  readonly ridge?: number
}

export interface RidgeModel {
  readonly kind: 'linear'
  readonly columns: number
  /** The level, then one per column. */
  readonly coefficients: readonly number[]
  readonly effectiveDimension: number
  readonly weight: number
}

export function ridgeRegression(options: RidgeOptions): Regression<RidgeModel> {
  requireOptions('linear', options, ['kind', 'ridge'])
  const { ridge = 0.05 } = options
  if (!(typeof ridge === 'number' && ridge > 0 && Number.isFinite(ridge))) invalidOption('linear.ridge', '> 0', ridge)
  return {
    kind: 'linear',
    takesMissing: false,
    fit: (rows) => fitRidge(rows, ridge),
    compile: compileRidge,
    radius: (columns, rows, constant16) => linearRadius({ dimension: columns + 1, rows, constant16 }).radius,
  }
}

/** Rows that are laid out before they are summed, so that they stay in a near cache. */
const CHUNK = 256
const cells = simdScratch()

function addWeighted(
  into: Sums,
  { columns, inputs, weights }: RegressionRows,
  targets: Float64Array,
  start: number,
  count: number,
): void {
  const width = columns + 2
  const space = cells(2 * CHUNK * width)
  const buffer = space.subarray(0, CHUNK * width)
  const scratch = space.subarray(CHUNK * width)
  for (let first = start; first < start + count; first += CHUNK) {
    const size = Math.min(CHUNK, start + count - first)
    for (let i = first, to = 0, at = first * columns; i < first + size; i++) {
      buffer[to++] = 1
      for (let k = 0; k < columns; k++) buffer[to++] = inputs[at++]!
      buffer[to++] = targets[i]!
    }
    addRows(into, buffer, 0, size, weights, first, scratch)
  }
}

function fitRidge(given: RegressionRows, ridge: number): RidgeModel {
  const rows = checkedRows(given, false, false)
  const { columns, count, inputs, targets, weights } = rows
  const { weight, mean } = targetMean(rows)
  const start = rows.start ?? mean
  const centred = new Float64Array(count)
  for (let i = 0; i < count; i++) centred[i] = targets[i]! - start
  const leaves: BlockSums[] = []
  for (let first = 0; first < count; first += BLOCK_ROUNDS) {
    const size = Math.min(BLOCK_ROUNDS, count - first)
    const sums = emptySums(columns + 1)
    if (weights === null) addScaledRows(sums, inputs, first * columns, null, centred, first, size)
    else addWeighted(sums, rows, centred, first, size)
    leaves.push({ block: first / BLOCK_ROUNDS, sums })
  }
  const sums = mergeBlocks(leaves, columns + 1)
  // An input that is no number shows in the sums; only then are all looked at.
  if (!sums.gram.every(Number.isFinite)) checkedRows(given)
  const fit = solveRidge(sums, ridge)
  const coefficients = Array.from(fit.coefficients)
  coefficients[0] = coefficients[0]! + start
  return { kind: 'linear', columns, coefficients, effectiveDimension: fit.degreesOfFreedom, weight }
}

export function compileRidge({ columns, coefficients }: RidgeModel): Predictor {
  const b = Float64Array.from(coefficients)
  const row = (inputs: Float64Array, at: number) => {
    let sum = b[0]!
    for (let k = 0; k < columns; k++) sum += b[k + 1]! * inputs[at + k]!
    return sum
  }
  return {
    row,
    table: (inputs, count, out) => {
      for (let i = 0, at = 0; i < count; i++, at += columns) out[i] = row(inputs, at)
    },
  }
}
