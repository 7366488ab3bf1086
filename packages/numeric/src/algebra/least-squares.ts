// Weighted ridge least squares from sums:  coefficients = (X'WX + ridge I)^-1 X'Wy.

import { cholesky, invertCholesky, solveCholesky } from './cholesky.js'
import type { Sums } from './sums.js'

export interface RidgeFit {
  readonly coefficients: Float64Array
  /** Lower Cholesky factor of X'WX + ridge I. */
  readonly factor: Float64Array
  /** sum w (y - x'coefficients)^2, never below 0. */
  readonly residualSum: number
  /** Trace of (X'WX + ridge I)^-1 X'WX. */
  readonly degreesOfFreedom: number
}

/** One ridge for all columns, or one for each. */
export type Ridge = number | Float64Array

/** X'WX as a full matrix with `ridge` added to the diagonal. */
export function featureGram(sums: Sums, ridge: Ridge = 0): Float64Array {
  const p = sums.columns
  const width = p + 1
  const full = new Float64Array(p * p)
  for (let i = 0; i < p; i++) {
    for (let j = i; j < p; j++) {
      full[i * p + j] = sums.gram[i * width + j]!
      full[j * p + i] = sums.gram[i * width + j]!
    }
    full[i * p + i] = full[i * p + i]! + (typeof ridge === 'number' ? ridge : ridge[i]!)
  }
  return full
}

/** X'W(y - centre); with a centre other than 0 the first feature must be the constant 1. */
export function featureTarget(sums: Sums, centre = 0): Float64Array {
  const p = sums.columns
  const width = p + 1
  const target = new Float64Array(p)
  for (let i = 0; i < p; i++) target[i] = sums.gram[i * width + p]! - centre * sums.gram[i]!
  return target
}

/** sum w (y - centre)^2. */
export function targetSquare(sums: Sums, centre = 0): number {
  const square = sums.gram[sums.gram.length - 1]!
  // Most centres are 0, a small integer: the product below must not be compiled for those, or every other centre undoes
  // it.
  if (centre === 0) return Math.max(0, square)
  return Math.max(0, square - 2 * centre * sums.gram[sums.columns]! + centre * centre * sums.weight)
}

/** Ridge least squares from sums, of the target less `centre`. */
export function solveRidge(sums: Sums, ridge: number, centre = 0): RidgeFit {
  const p = sums.columns
  const factor = cholesky(featureGram(sums, ridge), p)
  const target = featureTarget(sums, centre)
  const coefficients = solveCholesky(factor, p, target)
  const inverse = invertCholesky(factor, p)
  let trace = 0
  for (let i = 0; i < p; i++) trace += inverse[i * p + i]!
  return {
    coefficients,
    factor,
    residualSum: residualSum(sums, coefficients, centre),
    degreesOfFreedom: Math.max(0, p - ridge * trace),
  }
}

/** The coefficients alone: no inverse is taken. */
export function ridgeCoefficients(sums: Sums, ridge: Ridge, centre = 0): Float64Array {
  const p = sums.columns
  return solveCholesky(cholesky(featureGram(sums, ridge), p), p, featureTarget(sums, centre))
}

/** sum w (y - centre - x'coefficients)^2 from the sums. */
export function residualSum(sums: Sums, coefficients: Float64Array, centre = 0): number {
  const linear = dotProduct(coefficients, featureTarget(sums, centre))
  const quadratic = gramForm(sums.gram, sums.columns, coefficients)
  return Math.max(0, targetSquare(sums, centre) - 2 * linear + quadratic)
}

// Loops in functions of their own: compiled while they run, they hold nothing after the loop that has not run yet.
function dotProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < b.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** v'Gv of the first p rows and columns of an upper triangle of width p + 1. */
function gramForm(gram: Float64Array, p: number, v: Float64Array): number {
  const width = p + 1
  let sum = 0
  for (let i = 0; i < p; i++) {
    const value = v[i]!
    sum += value * value * gram[i * width + i]!
    for (let j = i + 1; j < p; j++) sum += 2 * value * v[j]! * gram[i * width + j]!
  }
  return sum
}
