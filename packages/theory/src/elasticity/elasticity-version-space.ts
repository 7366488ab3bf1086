// Elasticity over the parameters that the data have not ruled out (method#elasticity-from-data):
//   sup of theta'C theta over (theta - center)'Sigma(theta - center) <= rho^2.
// With Sigma = LL', u = L'(theta - center), u0 = L'center, Q = L^-1 C L^-T = V diag(q) V' and c = q * V'u0 (entrywise) the
// maximiser is u_k = c_k/(nu - q_k) where nu >= q_max solves sum (c_k/(nu - q_k))^2 = rho^2: the secular equation. Hard case
// (c = 0 on the top eigenspace and the sum stays below rho^2 at nu = q_max): the missing length is added along the top
// eigenvector, on either side. rho^2 = sigma^2 (p + 2 sqrt(p log 1/delta) + 2 log 1/delta) covers the truth with 1 - delta.

import {
  cholesky,
  requireAllFinite,
  requireAtLeast,
  requireInteger,
  requireLength,
  requireOpenUnit,
  solveLowerTransposed,
  solveSecular,
  symmetricEigen,
  whiten,
} from '@primo/numeric'

export interface VersionSpaceOptions {
  /** theta-hat. */
  readonly center: Float64Array
  /** C = E[Delta Delta'], columns x columns. */
  readonly moments: Float64Array
  /** Sigma, the information matrix of the fit, columns x columns, positive definite. */
  readonly information: Float64Array
  /** rho >= 0. */
  readonly radius: number
}

export interface VersionSpaceElasticity {
  /** theta'C theta at the center. */
  readonly plugIn: number
  readonly supremum: number
  /** A theta that attains it. */
  readonly direction: readonly number[]
  readonly hardCase: boolean
}

export function versionSpaceElasticity(options: VersionSpaceOptions): VersionSpaceElasticity {
  const { center, moments, information, radius } = options
  const p = center.length
  requireInteger('center.length', p, 1)
  requireLength('moments', moments.length, p * p)
  requireLength('information', information.length, p * p)
  requireAllFinite('center', center)
  requireAtLeast('radius', radius, 0)
  const plugIn = quadratic(moments, center, p)
  const lower = cholesky(information, p)
  const { values, vectors } = symmetricEigen(whiten(moments, lower, p), p)
  const q = values.map((value) => Math.max(0, value))
  const top = q[p - 1]!
  if (radius === 0 || top === 0) return result(plugIn, plugIn, center, false)
  const start = new Float64Array(p)
  for (let k = 0; k < p; k++) {
    // (V' L' center)_k
    let sum = 0
    for (let i = 0; i < p; i++) {
      let entry = 0
      for (let j = i; j < p; j++) entry += lower[j * p + i]! * center[j]!
      sum += vectors[i * p + k]! * entry
    }
    start[k] = sum
  }
  const c = q.map((value, k) => value * start[k]!)
  const shifted = q.map((value) => top - value)
  const mu = solveSecular(c, shifted, radius)
  const u = new Float64Array(p)
  let length = 0
  for (let k = 0; k < p; k++) {
    const denominator = shifted[k]! + mu
    u[k] = c[k] === 0 || denominator === 0 ? 0 : c[k]! / denominator
    length += u[k]! * u[k]!
  }
  // Also what rounding leaves when c on the top eigenspace is too small to matter otherwise.
  const missing = radius * radius - length
  const hardCase = missing > 1e-9 * radius * radius
  if (missing > 0) u[p - 1] = (start[p - 1]! < 0 ? -1 : 1) * Math.sqrt(u[p - 1]! ** 2 + missing)
  let supremum = 0
  for (let k = 0; k < p; k++) supremum += q[k]! * (u[k]! + start[k]!) ** 2
  const theta = new Float64Array(p)
  for (let i = 0; i < p; i++) for (let k = 0; k < p; k++) theta[i] = theta[i]! + vectors[i * p + k]! * u[k]!
  solveLowerTransposed(lower, p, theta)
  for (let i = 0; i < p; i++) theta[i] = theta[i]! + center[i]!
  return result(plugIn, supremum, theta, hardCase)
}

export interface VersionRadiusOptions {
  /** Residual variance. */
  readonly variance: number
  readonly paramDim: number
  /** In (0, 1), default 0.05. */
  readonly delta?: number
}

/** rho of the confidence ellipsoid. */
export function versionSpaceRadius(options: VersionRadiusOptions): number {
  const { variance, paramDim, delta = 0.05 } = options
  requireAtLeast('variance', variance, 0)
  requireInteger('paramDim', paramDim, 1)
  requireOpenUnit('delta', delta)
  const log = Math.log(1 / delta)
  return Math.sqrt(variance * (paramDim + 2 * Math.sqrt(paramDim * log) + 2 * log))
}

function quadratic(matrix: Float64Array, vector: Float64Array, p: number): number {
  let sum = 0
  for (let i = 0; i < p; i++) for (let j = 0; j < p; j++) sum += vector[i]! * matrix[i * p + j]! * vector[j]!
  return sum
}

function result(plugIn: number, supremum: number, theta: Float64Array, hardCase: boolean): VersionSpaceElasticity {
  return Object.freeze({ plugIn, supremum, direction: Object.freeze(Array.from(theta)), hardCase })
}
