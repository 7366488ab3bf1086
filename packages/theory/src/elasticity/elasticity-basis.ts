// Elasticity of a basis class f = theta_a'phi(x,z), theta'M theta <= B^2 for every action
// (method#elasticity-from-data). With Delta = phi(x,z*) - phi(x,g(x)) and C = E[Delta Delta'] (with missing weights for
// E_miss),
//   sup_theta E[(theta'Delta)^2] = B^2 lambda_max(M^-1/2 C M^-1/2)     (printed; C does not depend on the action)
//   E_pi = sup E[max_a (theta_a'Delta)^2] lies between that and min( K * that, B^2 E[Delta'M^-1 Delta] ).
// The generalised eigenproblem is solved through the Cholesky factor of M.

import {
  cholesky,
  identity,
  invalidOption,
  requireAllFinite,
  requireInteger,
  requireLength,
  requirePositive,
  solveLowerTransposed,
  symmetricEigen,
  whiten,
} from '@primo/numeric'

/** A sample and a basis class. */
export interface BasisElasticityOptions {
  /** Delta_i, rows x columns, row-major; E[Delta | x_i, b = 0] with missing weights gives the bias version. */
  readonly differences: Float64Array
  readonly columns: number
  /** B > 0. */
  readonly norm: number
  /** K, default 1. */
  readonly actions?: number
  /** M, columns x columns, positive definite; default the identity. */
  readonly metric?: Float64Array
  /** Weight of each row in the mean, e.g. 1 - b_i; the sum is divided by the number of rows. Default 1. */
  readonly weights?: ArrayLike<number>
}

/** Elasticity of a basis class: its value or limits. */
export interface BasisElasticity {
  readonly rows: number
  /** B^2 lambda_max. */
  readonly printed: number
  /** Interval that holds E_pi. */
  readonly maxInside: { readonly lower: number; readonly upper: number }
  /** The worst theta, theta'M theta = B^2. */
  readonly direction: readonly number[]
  /** (lambda_1 - lambda_2)/lambda_1; 1 for one column, 0 when all vanish. */
  readonly gap: number
}

/** Elasticity of a basis class from a sample. */
export function basisElasticity(options: BasisElasticityOptions): BasisElasticity {
  const { differences, columns: p, norm, actions = 1, weights } = options
  requireInteger('columns', p, 1)
  requireInteger('actions', actions, 1)
  requirePositive('norm', norm)
  if (differences.length === 0) invalidOption('differences', 'a table with at least one row', differences)
  const rows = Math.floor(differences.length / p)
  requireLength('differences', differences.length, rows * p)
  requireAllFinite('differences', differences)
  if (weights !== undefined) requireLength('weights', weights.length, rows)
  const metric = options.metric ?? identity(p)
  requireLength('metric', metric.length, p * p)
  const moments = weightedMoments(differences, p, weights)
  return Object.freeze({ rows, ...basisElasticityOfMoments(moments, p, norm, actions, metric) })
}

/** The same from C itself. */
export function basisElasticityOfMoments(
  moments: Float64Array,
  columns: number,
  norm: number,
  actions: number,
  metric: Float64Array,
): Omit<BasisElasticity, 'rows'> {
  const p = columns
  const lower = cholesky(metric, p)
  const { values, vectors } = symmetricEigen(whiten(moments, lower, p), p)
  const top = Math.max(0, values[p - 1]!)
  let trace = 0
  for (const value of values) trace += Math.max(0, value)
  const direction = Float64Array.from({ length: p }, (_, i) => norm * vectors[i * p + p - 1]!)
  solveLowerTransposed(lower, p, direction)
  const printed = norm * norm * top
  return {
    printed,
    maxInside: Object.freeze({ lower: printed, upper: Math.min(actions * printed, norm * norm * trace) }),
    direction: Object.freeze(Array.from(direction)),
    gap: top === 0 ? 0 : p === 1 ? 1 : (top - Math.max(0, values[p - 2]!)) / top,
  }
}

/** (1/rows) sum w_i Delta_i Delta_i', full and symmetric. */
export function weightedMoments(
  differences: Float64Array,
  columns: number,
  weights: ArrayLike<number> | undefined,
): Float64Array {
  const rows = differences.length / columns
  const out = new Float64Array(columns * columns)
  for (let row = 0; row < rows; row++) {
    const weight = weights?.[row] ?? 1
    if (weight === 0) continue
    const at = row * columns
    for (let i = 0; i < columns; i++) {
      const scaled = weight * differences[at + i]!
      for (let j = i; j < columns; j++) out[i * columns + j] = out[i * columns + j]! + scaled * differences[at + j]!
    }
  }
  for (let i = 0; i < columns; i++) {
    for (let j = i; j < columns; j++) {
      out[i * columns + j] = out[i * columns + j]! / rows
      out[j * columns + i] = out[i * columns + j]!
    }
  }
  return out
}
