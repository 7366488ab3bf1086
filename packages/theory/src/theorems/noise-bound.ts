// lambda, the bound on the reward noise, from residuals of a reward fit (method#constants): the largest absolute residual, a high
// quantile of them (less sensitive to one outlier) and their root mean square for practical gammas. The largest residual
// under-states the bound and over-states it where the fit is poor; a declared reward range gives a safe one instead.

import { invalidOption, requireAllFinite, requireAtLeast, requireOpenUnit } from '@primo/numeric'

export interface NoiseBoundOptions {
  /** r_i - fhat(x_i, z_i, a_i). */
  readonly residuals: ArrayLike<number>
  /** Parameters spent by the fit, default 0. */
  readonly degreesOfFreedom?: number
  /** Which quantile of the absolute residuals, in (0, 1). Default 0.99. */
  readonly quantile?: number
}

export interface NoiseBound {
  /** Largest absolute residual. */
  readonly lambda: number
  readonly quantile: number
  readonly sigma: number
  readonly rows: number
}

export function estimateNoiseBound(options: NoiseBoundOptions): NoiseBound {
  const { residuals, degreesOfFreedom = 0, quantile = 0.99 } = options
  const rows = residuals.length
  if (rows === 0) invalidOption('residuals', 'a list with at least one number', residuals)
  requireAllFinite('residuals', residuals)
  requireAtLeast('degreesOfFreedom', degreesOfFreedom, 0)
  requireOpenUnit('quantile', quantile)
  const sizes = Float64Array.from(residuals, Math.abs).sort()
  let square = 0
  for (const size of sizes) square += size * size
  return Object.freeze({
    lambda: sizes[rows - 1]!,
    quantile: sizes[Math.min(rows - 1, Math.ceil(quantile * rows) - 1)]!,
    // At least half the rows stay in the denominator, as for the learner's own sigma.
    sigma: Math.sqrt(square / Math.max(rows - degreesOfFreedom, rows / 2)),
    rows,
  })
}
