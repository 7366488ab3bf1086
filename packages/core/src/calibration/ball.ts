// Least squares inside a ball (method#ball): minimise beta'A beta - 2 c'beta subject to beta'S beta <= radius^2, with
// A = sum w B B' + ridge I positive definite and S = mean of B B' over all contexts (plus 1e-8 tr(S)/p on the diagonal).
//   S = L L', L^-1 A L^-T = V diag(e) V', ct = V'L^-1 c;  mu from the secular equation;  beta = L^-T V [ct / (e + mu)].
// Guarantees the KKT conditions: mu >= 0, (A + mu S) beta = c, mu (radius^2 - beta'S beta) = 0.

import {
  cholesky,
  solveCholesky,
  solveLower,
  solveLowerTransposed,
  solveSecular,
  symmetricEigen,
  whiten,
} from '@primo/numeric'

export interface BallProblem {
  /** A, full symmetric, row-major. */
  readonly normal: Float64Array
  /** c. */
  readonly target: Float64Array
  /** S without the diagonal addition. */
  readonly norm: Float64Array
  /** undefined: no ball. */
  readonly radius: number | undefined
}

export interface BallFit {
  readonly coefficients: Float64Array
  /** The multiplier mu; 0 when the ball does not bind. */
  readonly multiplier: number
  /** sqrt(beta'S beta): the size of the correction. */
  readonly size: number
}

/** The least-squares fit whose size stays within the radius. */
export function solveInBall({ normal, target, norm, radius }: BallProblem): BallFit {
  const p = target.length
  if (radius === 0) return { coefficients: new Float64Array(p), multiplier: 0, size: 0 }
  const free = solveCholesky(cholesky(normal, p), p, target)
  const freeSize = ballSize(norm, free)
  if (radius === undefined || freeSize <= radius) return { coefficients: free, multiplier: 0, size: freeSize }

  let trace = 0
  for (let i = 0; i < p; i++) trace += norm[i * p + i]!
  const shifted = Float64Array.from(norm)
  for (let i = 0; i < p; i++) shifted[i * p + i] = shifted[i * p + i]! + (1e-8 * trace) / p
  const lower = cholesky(shifted, p)
  const { values, vectors } = symmetricEigen(whiten(normal, lower, p), p)
  const whitened = Float64Array.from(target)
  solveLower(lower, p, whitened)
  const rotated = multiplyTransposed(vectors, whitened, p)
  for (let k = 0; k < p; k++) values[k] = Math.max(0, values[k]!)
  const multiplier = solveSecular(rotated, values, radius)
  for (let k = 0; k < p; k++) rotated[k] = rotated[k] === 0 ? 0 : rotated[k]! / (values[k]! + multiplier)
  const coefficients = new Float64Array(p)
  for (let i = 0; i < p; i++) {
    let sum = 0
    for (let k = 0; k < p; k++) sum += vectors[i * p + k]! * rotated[k]!
    coefficients[i] = sum
  }
  solveLowerTransposed(lower, p, coefficients)
  return { coefficients, multiplier, size: ballSize(norm, coefficients) }
}

/** sqrt(beta'S beta). */
export function ballSize(norm: Float64Array, coefficients: Float64Array): number {
  const p = coefficients.length
  let sum = 0
  for (let i = 0; i < p; i++) {
    for (let j = 0; j < p; j++) sum += coefficients[i]! * norm[i * p + j]! * coefficients[j]!
  }
  return Math.sqrt(Math.max(0, sum))
}

function multiplyTransposed(matrix: Float64Array, vector: Float64Array, p: number): Float64Array {
  const out = new Float64Array(p)
  for (let i = 0; i < p; i++) {
    for (let k = 0; k < p; k++) out[k] = out[k]! + matrix[i * p + k]! * vector[i]!
  }
  return out
}
