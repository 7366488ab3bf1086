// P(a | x) = exp(theta_a'x) / sum_b exp(theta_b'x) over the classes that were possible, by penalised likelihood. Each step solves a quadratic
// bound of it, theta_a += 2 (X'X + ridge)^-1 (X'(y_a - p_a) - ridge theta_a / 2): it never goes down, and the factor is the same in all steps.

import { cholesky, solveCholesky } from '@primo/numeric'

const STEPS = 300
const TOLERANCE = 1e-4
const RIDGE = 1

export interface LogitRows {
  /** Row-major; the first column is 1. */
  readonly rows: Float64Array
  readonly width: number
  /** The class of each row, of `count`. */
  readonly classes: Uint16Array
  readonly count: number
  /** 1 where a class was possible, rows x count; null: everywhere. */
  readonly possible: Uint8Array | null
}

/** The coefficients, class by class. `start`: where to begin, such as a fit to nearly the same rows. */
export function fitLogit(given: LogitRows, start: Float64Array | null = null): Float64Array {
  const { rows, width, classes, count, possible } = given
  const n = classes.length
  const gram = new Float64Array(width * width)
  for (let i = 0; i < n; i++)
    for (let j = 0; j < width; j++)
      for (let k = j; k < width; k++)
        gram[j * width + k] = gram[j * width + k]! + rows[i * width + j]! * rows[i * width + k]!
  for (let j = 0; j < width; j++) gram[j * width + j] = gram[j * width + j]! + RIDGE
  const factor = cholesky(gram, width)
  const theta = start === null ? new Float64Array(count * width) : start.slice()
  const gradient = new Float64Array(count * width)
  const p = new Float64Array(count)
  for (let step = 0; step < STEPS; step++) {
    gradient.fill(0)
    for (let i = 0; i < n; i++) {
      logitScores(theta, rows, i * width, width, p)
      softmax(p, possible, i * count)
      for (let a = 0; a < count; a++) {
        const error = (classes[i] === a ? 1 : 0) - p[a]!
        for (let j = 0; j < width; j++)
          gradient[a * width + j] = gradient[a * width + j]! + error * rows[i * width + j]!
      }
    }
    let moved = 0
    for (let a = 0; a < count; a++) {
      const right = gradient.slice(a * width, (a + 1) * width)
      for (let j = 0; j < width; j++) right[j] = 2 * right[j]! - RIDGE * theta[a * width + j]!
      const change = solveCholesky(factor, width, right)
      for (let j = 0; j < width; j++) {
        theta[a * width + j] = theta[a * width + j]! + change[j]!
        moved = Math.max(moved, Math.abs(change[j]!))
      }
    }
    if (moved < TOLERANCE) break
  }
  return theta
}

function softmax(scores: Float64Array, possible: Uint8Array | null, at: number): void {
  let most = Number.NEGATIVE_INFINITY
  for (let a = 0; a < scores.length; a++) most = Math.max(most, scores[a]!)
  let sum = 0
  for (let a = 0; a < scores.length; a++) {
    scores[a] = possible?.[at + a] === 0 ? 0 : Math.exp(scores[a]! - most)
    sum += scores[a]!
  }
  for (let a = 0; a < scores.length; a++) scores[a] = scores[a]! / sum
}

/** theta_a'x of one row, for every class. */
export function logitScores(
  theta: Float64Array,
  rows: Float64Array,
  at: number,
  width: number,
  out: Float64Array,
): void {
  for (let a = 0; a < out.length; a++) {
    let score = 0
    for (let j = 0; j < width; j++) score += theta[a * width + j]! * rows[at + j]!
    out[a] = score
  }
}
