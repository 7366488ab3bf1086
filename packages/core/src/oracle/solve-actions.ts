// Ridge regressions of all actions at once, from their sums. Without a shared part theta_a = A_a^-1 c_a, A_a = G_a + ridge I. With one,
// theta_a = s + d_a with ridge `shared` on s and `ridge` on each d_a (partial pooling):
//   s solves (sum_a (G_a - G_a A_a^-1 G_a) + shared I) s = sum_a (c_a - G_a A_a^-1 c_a),  theta_a = A_a^-1 (c_a + ridge s).
//   dof_a = tr(A_a^-1 G_a).

import type { Sums } from '@primo/numeric'
import { cholesky, featureGram, featureTarget, invertCholesky, solveCholesky } from '@primo/numeric'

export interface SolvedActions {
  /** Of r - mean. */
  readonly theta: readonly Float64Array[]
  readonly degreesOfFreedom: readonly number[]
  readonly covariance: readonly Float64Array[]
}

/** The ridge of each action's own part, and that of the part they share; undefined: there is none. */
export interface ActionRidges {
  readonly ridge: number
  readonly shared: number | undefined
}

/** `mean` is taken off the rewards; the first feature is the constant 1. */
export function solveActions(sums: readonly Sums[], { ridge, shared }: ActionRidges, mean: number): SolvedActions {
  const p = sums[0]!.columns
  const targets = sums.map((sum) => featureTarget(sum, mean))
  const factors = sums.map((sum) => cholesky(featureGram(sum, ridge), p))
  const inverses = factors.map((factor) => invertCholesky(factor, p))
  const degreesOfFreedom = inverses.map((inverse) => Math.max(0, p - ridge * trace(inverse, p)))
  if (shared === undefined) {
    return {
      theta: factors.map((factor, a) => solveCholesky(factor, p, targets[a]!)),
      degreesOfFreedom,
      covariance: inverses,
    }
  }
  // G - G A^-1 G = ridge (I - ridge A^-1) and c - G A^-1 c = ridge A^-1 c, because G = A - ridge I.
  const matrix = new Float64Array(p * p)
  const right = new Float64Array(p)
  inverses.forEach((inverse, a) => {
    const solved = solveCholesky(factors[a]!, p, targets[a]!)
    for (let i = 0; i < p; i++) {
      right[i] = right[i]! + ridge * solved[i]!
      matrix[i * p + i] = matrix[i * p + i]! + ridge
      for (let j = 0; j < p; j++) matrix[i * p + j] = matrix[i * p + j]! - ridge * ridge * inverse[i * p + j]!
    }
  })
  for (let i = 0; i < p; i++) matrix[i * p + i] = matrix[i * p + i]! + shared
  const sharedFactor = cholesky(matrix, p)
  const common = solveCholesky(sharedFactor, p, right)
  const commonCovariance = invertCholesky(sharedFactor, p)
  const theta = factors.map((factor, a) =>
    solveCholesky(
      factor,
      p,
      targets[a]!.map((value, i) => value + ridge * common[i]!),
    ),
  )
  // Cov(theta_a)/sigma^2 = A_a^-1 + (ridge A_a^-1) S^-1 (ridge A_a^-1).
  const covariance = inverses.map((inverse) => {
    const spread = multiply(multiply(inverse, commonCovariance, p), inverse, p)
    return inverse.map((value, i) => value + ridge * ridge * spread[i]!)
  })
  return { theta, degreesOfFreedom, covariance }
}

function trace(matrix: Float64Array, p: number): number {
  let sum = 0
  for (let i = 0; i < p; i++) sum += matrix[i * p + i]!
  return sum
}

function multiply(a: Float64Array, b: Float64Array, p: number): Float64Array {
  const out = new Float64Array(p * p)
  for (let i = 0; i < p; i++) {
    for (let k = 0; k < p; k++) {
      const value = a[i * p + k]!
      for (let j = 0; j < p; j++) out[i * p + j] = out[i * p + j]! + value * b[k * p + j]!
    }
  }
  return out
}
