// L_Z, how fast rewards can move with the covariate (method#constants): the largest slope |d f/dz| of a fitted model over the rows,
// or over all parameters the data have not ruled out. For f = theta_a'phi(x,z) with v = d phi/dz and the version space
// (theta - center_a)'Sigma_a(theta - center_a) <= rho^2 the supremum at a row is |v'center_a| + rho sqrt(v'Sigma_a^-1 v).
// A supremum over seen rows is a lower bound of the supremum over the domain; a class constant, where known, is better.

import {
  cholesky,
  invalidOption,
  requireAllFinite,
  requireAtLeast,
  requireInteger,
  requireLength,
  solveLower,
} from '@primo/numeric'

export interface LipschitzOptions {
  /** d phi/dz at each row, rows x columns, row-major. */
  readonly gradients: Float64Array
  readonly columns: number
  /** theta-hat per action. */
  readonly coefficients: readonly Float64Array[]
  /** Sigma per action, columns x columns; needed when rho > 0. */
  readonly information?: readonly Float64Array[]
  /** rho >= 0, default 0: slopes of the fit itself. */
  readonly radius?: number
}

export interface LipschitzConstant {
  /** Largest over actions. */
  readonly lipschitz: number
  readonly perAction: readonly number[]
  readonly rows: number
}

export function estimateLipschitz(options: LipschitzOptions): LipschitzConstant {
  const { gradients, columns: p, coefficients, information, radius = 0 } = options
  requireInteger('columns', p, 1)
  if (gradients.length === 0) invalidOption('gradients', 'a table with at least one row', gradients)
  const rows = Math.floor(gradients.length / p)
  requireLength('gradients', gradients.length, rows * p)
  requireAllFinite('gradients', gradients)
  if (coefficients.length === 0) invalidOption('coefficients', 'a list with at least one action', coefficients)
  requireAtLeast('radius', radius, 0)
  if (radius > 0) requireLength('information', information?.length ?? 0, coefficients.length)
  const perAction = coefficients.map((theta, a) => {
    requireLength(`coefficients[${a}]`, theta.length, p)
    requireAllFinite(`coefficients[${a}]`, theta)
    return steepest(gradients, p, theta, radius > 0 ? cholesky(information![a]!, p) : null, radius)
  })
  return Object.freeze({ lipschitz: Math.max(...perAction), perAction: Object.freeze(perAction), rows })
}

function steepest(
  gradients: Float64Array,
  p: number,
  theta: Float64Array,
  lower: Float64Array | null,
  radius: number,
): number {
  const v = new Float64Array(p)
  let largest = 0
  for (let at = 0; at < gradients.length; at += p) {
    let slope = 0
    for (let k = 0; k < p; k++) slope += theta[k]! * gradients[at + k]!
    let width = 0
    if (lower !== null) {
      v.set(gradients.subarray(at, at + p))
      solveLower(lower, p, v)
      for (const value of v) width += value * value
    }
    largest = Math.max(largest, Math.abs(slope) + radius * Math.sqrt(width))
  }
  return largest
}
