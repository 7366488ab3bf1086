// P(a | x) = exp(theta_a'x) / sum_b exp(theta_b'x), by penalised likelihood. Each step solves a quadratic bound of the likelihood,
// theta_a += 2 (X'X + ridge)^-1 (X'(y_a - p_a) - ridge theta_a / 2): it never goes down, and the factor is the same in all steps.

import { cholesky, solveCholesky } from '@primo/numeric'

const STEPS = 300
const TOLERANCE = 1e-6

/** Rows of `width` columns (the first is 1) and the class of each; the coefficients, class by class. */
export function fitLogit(
  rows: Float64Array,
  width: number,
  classes: Uint16Array,
  count: number,
  ridge = 1,
): Float64Array {
  const n = classes.length
  const gram = new Float64Array(width * width)
  for (let i = 0; i < n; i++)
    for (let j = 0; j < width; j++)
      for (let k = j; k < width; k++)
        gram[j * width + k] = gram[j * width + k]! + rows[i * width + j]! * rows[i * width + k]!
  for (let j = 0; j < width; j++) gram[j * width + j] = gram[j * width + j]! + ridge
  const factor = cholesky(gram, width)
  const theta = new Float64Array(count * width)
  const p = new Float64Array(count)
  for (let step = 0; step < STEPS; step++) {
    const gradient = new Float64Array(count * width)
    for (let i = 0; i < n; i++) {
      logitProbabilities(theta, rows, i * width, width, p)
      for (let a = 0; a < count; a++) {
        const error = (classes[i] === a ? 1 : 0) - p[a]!
        for (let j = 0; j < width; j++)
          gradient[a * width + j] = gradient[a * width + j]! + error * rows[i * width + j]!
      }
    }
    let moved = 0
    for (let a = 0; a < count; a++) {
      const right = gradient.slice(a * width, (a + 1) * width)
      for (let j = 0; j < width; j++) right[j] = 2 * right[j]! - ridge * theta[a * width + j]!
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

/** The probabilities of one row; `scale` divides the log odds. */
export function logitProbabilities(
  theta: Float64Array,
  rows: Float64Array,
  at: number,
  width: number,
  out: Float64Array,
  scale = 1,
): void {
  let most = Number.NEGATIVE_INFINITY
  for (let a = 0; a < out.length; a++) {
    let score = 0
    for (let j = 0; j < width; j++) score += theta[a * width + j]! * rows[at + j]!
    out[a] = score / scale
    most = Math.max(most, out[a]!)
  }
  let sum = 0
  for (let a = 0; a < out.length; a++) {
    out[a] = Math.exp(out[a]! - most)
    sum += out[a]!
  }
  for (let a = 0; a < out.length; a++) out[a] = out[a]! / sum
}
