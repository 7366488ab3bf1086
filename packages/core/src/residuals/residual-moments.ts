// Distributional imputation (method#distribution): a missing z is g-hat(x) plus a residual eta with mean 0, so a feature is averaged
// over eta instead of being taken at g-hat. For powers of z in closed form:
//   E[(g + eta)^k] = sum_j C(k, j) g^(k-j) m_j,   m_0 = 1, m_1 = 0, m_2 = s^2, m_3, m_4, ...
// An exact no-op for features that are linear in z. Where the residual's variance depends on the context, eta is scaled by
// exp(v(x)/2), v linear in the context columns; where the model says how sure it is, by that too (model-sd.ts). Products of two
// missing covariates: see product-means.ts.

import { type ModelSdUse, modelSdTerm } from './model-sd.js'
import { LARGEST_FACTOR } from './residual-variance.js'

export interface ResidualSpread {
  /** m_0, m_1, ... of the residual, inside units. */
  readonly moments: readonly number[]
  /** v(x): intercept, then a slope per context column; absent: 0. */
  readonly logVariance?: readonly number[]
  /** How the variance follows the standard deviation that the model gave; absent: not at all. */
  readonly bySd?: ModelSdUse
  /** Its coordinates of 16 joint residual vectors of all numeric covariates; absent: taken as independent. */
  readonly joint?: readonly number[]
}

/** What one covariate's imputation leaves open; a list stands for its moments; null: nothing (or it is a category). */
export type ResidualMoments = readonly number[] | ResidualSpread | null

export function asSpread(given: ResidualMoments | undefined): ResidualSpread | null {
  if (given == null) return null
  return isMoments(given) ? { moments: given } : given
}

function isMoments(given: readonly number[] | ResidualSpread): given is readonly number[] {
  return Array.isArray(given)
}

/** exp(v/2) for the context row at x[at] and the model's sd there (inside units; NaN or absent: none), within 1/4 to 4. */
export function spreadScale(
  { logVariance, bySd }: Pick<ResidualSpread, 'logVariance' | 'bySd'>,
  x: Float64Array,
  at: number,
  sd?: number,
): number {
  if (logVariance === undefined && bySd === undefined) return 1
  let v = 0
  if (logVariance !== undefined) {
    v = logVariance[0]!
    for (let k = 1; k < logVariance.length; k++) v += logVariance[k]! * x[at + k - 1]!
  }
  if (bySd !== undefined) v += modelSdTerm(bySd, sd)
  const limit = Math.log(LARGEST_FACTOR)
  return Math.exp(Math.min(limit, Math.max(-limit, v)) / 2)
}

/** E[(g + scale eta)^power]; moments beyond those known count as 0. */
export function meanPower(g: number, power: number, moments: readonly number[], scale = 1): number {
  let sum = 0
  // From j = power down to 0, so that g^(power - j) grows by one factor a step.
  let choose = 1
  let rest = 1
  for (let j = power; j >= 0; j--) {
    if (j < moments.length) sum += choose * rest * (scale === 1 ? moments[j]! : moments[j]! * scale ** j)
    rest *= g
    choose = (choose * j) / (power - j + 1)
  }
  return sum
}
