// Ridge regressions of all actions at once, from their sums. Without a shared part theta_a = A_a^-1 c_a, A_a = G_a + R, R = diag(ridges).
// With one, theta_a = s + d_a with ridge `shared` on s and R on each d_a (partial pooling):
//   s solves (sum_a (G_a - G_a A_a^-1 G_a) + shared I) s = sum_a (c_a - G_a A_a^-1 c_a),  theta_a = A_a^-1 (c_a + R s).
//   dof_a = tr(A_a^-1 G_a).

import type { Sums } from '@primo/numeric'
import { cholesky, featureGram, featureTarget, invertCholesky, solveCholesky } from '@primo/numeric'

export interface SolvedActions {
  /** Of r - mean. */
  readonly theta: readonly Float64Array[]
  readonly degreesOfFreedom: readonly number[]
  readonly covariance: readonly Float64Array[]
}

/** The ridges of each action's own part, by column, and that of the part they share; undefined: there is none. */
export interface ActionRidges {
  readonly ridges: readonly number[]
  readonly shared: number | undefined
}

/** `mean` is taken off the rewards; the first feature is the constant 1. */
export function solveActions(sums: readonly Sums[], { ridges, shared }: ActionRidges, mean: number): SolvedActions {
  const p = sums[0]!.columns
  const targets = sums.map((sum) => featureTarget(sum, mean))
  const factors = sums.map((sum) => cholesky(addRidges(featureGram(sum), ridges), p))
  const inverses = factors.map((factor) => invertCholesky(factor, p))
  const degreesOfFreedom = inverses.map((inverse) => Math.max(0, p - ridgeTrace(inverse, ridges)))
  if (shared === undefined) {
    return {
      theta: factors.map((factor, a) => solveCholesky(factor, p, targets[a]!)),
      degreesOfFreedom,
      covariance: inverses,
    }
  }
  // G - G A^-1 G = R - R A^-1 R and c - G A^-1 c = R A^-1 c, because G = A - R.
  const matrix = new Float64Array(p * p)
  const right = new Float64Array(p)
  inverses.forEach((inverse, a) => {
    const solved = solveCholesky(factors[a]!, p, targets[a]!)
    for (let i = 0; i < p; i++) {
      const ridge = ridges[i]!
      right[i] = right[i]! + ridge * solved[i]!
      matrix[i * p + i] = matrix[i * p + i]! + ridge
      for (let j = 0; j < p; j++) matrix[i * p + j] = matrix[i * p + j]! - ridge * ridges[j]! * inverse[i * p + j]!
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
      targets[a]!.map((value, i) => value + ridges[i]! * common[i]!),
    ),
  )
  // Cov(theta_a)/sigma^2 = A_a^-1 + A_a^-1 R S^-1 R A_a^-1.
  const spreadOfShared = commonCovariance.map((value, i) => ridges[Math.floor(i / p)]! * ridges[i % p]! * value)
  const covariance = inverses.map((inverse) => {
    const spread = multiply(multiply(inverse, spreadOfShared, p), inverse, p)
    return inverse.map((value, i) => value + spread[i]!)
  })
  return { theta, degreesOfFreedom, covariance }
}

function addRidges(gram: Float64Array, ridges: readonly number[]): Float64Array {
  const p = ridges.length
  for (let i = 0; i < p; i++) gram[i * p + i] = gram[i * p + i]! + ridges[i]!
  return gram
}

/** tr(R A^-1). One ridge for all columns is multiplied once, so that fits with one keep their bits. */
function ridgeTrace(inverse: Float64Array, ridges: readonly number[]): number {
  const p = ridges.length
  const one = ridges.every((ridge) => ridge === ridges[0]) ? ridges[0]! : null
  let sum = 0
  for (let i = 0; i < p; i++) sum += (one === null ? ridges[i]! : 1) * inverse[i * p + i]!
  return one === null ? sum : one * sum
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
