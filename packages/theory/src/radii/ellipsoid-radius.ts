// Critical radius of an ellipsoid or a kernel ball {h : sum_j h_j^2/mu_j <= R0^2} by its eigenvalues
// (method#critical-radius):
//   R_N(t) <= sqrt( (2/N) sum_j min(t^2, R0^2 mu_j) ).
// A further L2 ball of radius l2Radius replaces t by min(t, l2Radius): it leaves the radius alone as long as that is
// smaller (erratum E17). R0 = delta0 is the complexity ball, whose radius scales as delta0^(d/(d+2)).
// mu_j are eigenvalues of E[phi phi'] or of a kernel matrix divided by its size.

import {
  invalidOption,
  requireAllFinite,
  requireAtLeast,
  requireLength,
  requirePositive,
  symmetricEigen,
} from '@primo/numeric'
import { type CriticalRadius, closedForm, solveRadius } from './critical-radius.js'

/** An ellipsoid or a kernel ball by its eigenvalues. */
export interface EllipsoidRadiusOptions {
  /** mu_j >= 0. */
  readonly eigenvalues: ArrayLike<number>
  readonly rows: number
  /** R0 > 0, default 1. */
  readonly norm?: number
  /** Radius of a further ball in L2; default none. */
  readonly l2Radius?: number
  /** Default true; false solves sqrt(sum min(t^2, R0^2 mu_j) / N) = t^2. */
  readonly constant16?: boolean
}

/** The critical radius of an ellipsoid or a kernel ball. */
export function ellipsoidRadius(options: EllipsoidRadiusOptions): CriticalRadius {
  const { eigenvalues, rows, norm = 1, l2Radius, constant16 = true } = options
  requireAtLeast('rows', rows, 1)
  requirePositive('norm', norm)
  if (l2Radius !== undefined) requirePositive('l2Radius', l2Radius)
  if (eigenvalues.length === 0) invalidOption('eigenvalues', 'a list with at least one number', eigenvalues)
  requireAllFinite('eigenvalues', eigenvalues)
  for (let j = 0; j < eigenvalues.length; j++) requireAtLeast(`eigenvalues[${j}]`, eigenvalues[j], 0)
  const complexity = (t: number): number => ellipsoidComplexity(options, Math.min(t, l2Radius ?? t))
  const radius = constant16 ? solveRadius(complexity) : solveRadius((t) => complexity(t) / Math.SQRT2, 1)
  if (!(radius > 0)) invalidOption('eigenvalues', 'numbers of which one is > 0', 0)
  return closedForm('ellipsoid', rows, radius, constant16, 'root of sqrt(2 sum min(t^2, R0^2 mu_j) / rows) = t^2 / 16')
}

/** sqrt((2/N) sum_j min(t^2, R0^2 mu_j)). */
export function ellipsoidComplexity(options: EllipsoidRadiusOptions, t: number): number {
  const { eigenvalues, rows, norm = 1 } = options
  let sum = 0
  for (let j = 0; j < eigenvalues.length; j++) sum += Math.min(t * t, norm * norm * eigenvalues[j]!)
  return Math.sqrt((2 * sum) / rows)
}

/** Eigenvalues of a kernel matrix divided by its size, decreasing, rounding below 0 removed. */
export function kernelEigenvalues(kernel: Float64Array, size: number): Float64Array {
  requireAtLeast('size', size, 1)
  requireLength('kernel', kernel.length, size * size)
  const { values } = symmetricEigen(kernel, size)
  return values.reverse().map((value) => Math.max(0, value / size))
}

/** mu_j = (pi j)^(-2m), j = 1, 2, ...: the Sobolev ball of smoothness m on [0, 1] in the cosine basis. */
export function sobolevEigenvalues(smoothness: number, count: number): Float64Array {
  requirePositive('smoothness', smoothness)
  requireAtLeast('count', count, 1)
  return Float64Array.from({ length: count }, (_, j) => (Math.PI * (j + 1)) ** (-2 * smoothness))
}
