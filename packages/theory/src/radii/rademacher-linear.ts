// Local complexity of a linear class {phi'theta : theta'Sigma theta <= t^2, theta'M theta <= R0^2}
// (method#critical-radius): with w = (1/N) sum eps_i phi_i the supremum of w'theta is, by Lagrangian duality and
// exactly,
//   min over lam in [0,1] of sqrt( w' (lam Sigma/t^2 + (1 - lam) M/R0^2)^-1 w ).
// M = LL' and L^-1 Sigma L^-T = V diag(sigma) V' make each evaluation O(p); the minimum over lam is convex in lam and
// found by bisection on its derivative. Without M: t sqrt(w' Sigma^+ w). Sigma is the sample's unless the population's
// is given.

import type { Random } from '@primo/numeric'
import {
  cholesky,
  gram,
  identity,
  requireAllFinite,
  requireInteger,
  requireLength,
  requirePositive,
  symmetricEigen,
  transpose,
  whiten,
} from '@primo/numeric'
import { type LocalComplexity, requireDraws } from './local-complexity.js'

/** A sample, and a linear class. */
export interface LinearComplexityOptions {
  /** phi_i, row-major. */
  readonly features: Float64Array
  readonly columns: number
  readonly random: Random
  /** Default 200. */
  readonly draws?: number
  /** Sigma, columns x columns; default the sample's second moments. */
  readonly secondMoments?: Float64Array
  /** M, columns x columns, positive definite; needs `norm`. Default the identity when `norm` is given. */
  readonly metric?: Float64Array
  /** R0; default no second constraint. */
  readonly norm?: number
}

/** Local complexity of a linear class. */
export function linearComplexity(options: LinearComplexityOptions): LocalComplexity {
  const { features, columns: p, random, draws = 200, norm } = options
  requireInteger('columns', p, 1)
  const rows = features.length / p
  requireInteger('rows', rows, 1)
  requireDraws(draws)
  requireAllFinite('features', features)
  if (norm !== undefined) requirePositive('norm', norm)
  const sigma = options.secondMoments ?? secondMoments(features, p)
  requireLength('secondMoments', sigma.length, p * p)
  const metric = options.metric ?? identity(p)
  requireLength('metric', metric.length, p * p)
  const { values, directions } = norm === undefined ? plain(sigma, p) : simultaneous(sigma, metric, p)
  const squares = new Float64Array(draws * p)
  const w = new Float64Array(p)
  for (let k = 0; k < draws; k++) {
    w.fill(0)
    for (let row = 0, at = 0; row < rows; row++) {
      const sign = random.sign()
      for (let j = 0; j < p; j++) w[j] = w[j]! + sign * features[at++]!
    }
    for (let j = 0; j < p; j++) {
      let sum = 0
      for (let i = 0; i < p; i++) sum += directions[j * p + i]! * w[i]!
      squares[k * p + j] = (sum / rows) ** 2
    }
  }
  const largest = values.reduce((a, b) => Math.max(a, b), 0)
  const supremum = (draw: number, t: number): number => {
    const at = draw * p
    if (norm === undefined) {
      let sum = 0
      for (let j = 0; j < p; j++) if (values[j]! > 1e-12 * largest) sum += squares[at + j]! / values[j]!
      return t * Math.sqrt(sum)
    }
    return dualMinimum(squares, at, values, t, norm)
  }
  return { rows, draws, supremum }
}

/** min over lam of sqrt(sum_j w_j^2 / (lam sigma_j/t^2 + (1 - lam)/R0^2)). */
function dualMinimum(squares: Float64Array, at: number, values: Float64Array, t: number, norm: number): number {
  const p = values.length
  const inverse = 1 / (norm * norm)
  let low = 0
  let high = 1
  for (let step = 0; step < 50; step++) {
    const lam = (low + high) / 2
    let derivative = 0
    for (let j = 0; j < p; j++) {
      const ratio = values[j]! / (t * t)
      const denominator = lam * ratio + (1 - lam) * inverse
      derivative -= (squares[at + j]! * (ratio - inverse)) / (denominator * denominator)
    }
    if (derivative < 0) low = lam
    else high = lam
  }
  const lam = (low + high) / 2
  let sum = 0
  for (let j = 0; j < p; j++) sum += squares[at + j]! / ((lam * values[j]!) / (t * t) + (1 - lam) * inverse)
  return Math.sqrt(sum)
}

export function secondMoments(features: Float64Array, columns: number): Float64Array {
  const rows = features.length / columns
  const out = new Float64Array(columns * columns)
  gram(features, features, rows, columns, out)
  for (let i = 0; i < columns; i++) {
    for (let j = i; j < columns; j++) {
      out[i * columns + j] = out[i * columns + j]! / rows
      out[j * columns + i] = out[i * columns + j]!
    }
  }
  return out
}

interface Diagonal {
  readonly values: Float64Array
  /** Row j maps w to its coordinate j. */
  readonly directions: Float64Array
}

function plain(sigma: Float64Array, p: number): Diagonal {
  const { values, vectors } = symmetricEigen(sigma, p)
  return { values, directions: transpose(vectors, p) }
}

function simultaneous(sigma: Float64Array, metric: Float64Array, p: number): Diagonal {
  const lower = cholesky(metric, p)
  const { values, vectors } = symmetricEigen(whiten(sigma, lower, p), p)
  // Rows of V' L^-1: solve L' x = v for each eigenvector v.
  const directions = new Float64Array(p * p)
  const column = new Float64Array(p)
  for (let j = 0; j < p; j++) {
    for (let i = p - 1; i >= 0; i--) {
      let sum = vectors[i * p + j]!
      for (let k = i + 1; k < p; k++) sum -= lower[k * p + i]! * column[k]!
      column[i] = sum / lower[i * p + i]!
    }
    directions.set(column, j * p)
  }
  return { values: values.map((value) => Math.max(0, value)), directions }
}
