// The noise that a fit leaves. With v the variance of all rewards, as five pseudo-rows,
//   sigma^2 = (RSS + 5 v)/(max(n - dof, n/2) + 5);  width_a = sigma sqrt(dof_a / n_a), at most 1.

const PSEUDO_ROWS = 5
const SMALLEST_SIGMA = 1e-3
export const LARGEST_WIDTH = 1

export interface FitResiduals {
  /** Weighted sum of squares. */
  readonly residuals: number
  /** Variance of all rewards. */
  readonly variance: number
  /** Total weight of the rows. */
  readonly weight: number
  readonly degreesOfFreedom: number
}

export function residualSigma({ residuals, variance, weight, degreesOfFreedom }: FitResiduals): number {
  const free = Math.max(weight - degreesOfFreedom, weight / 2)
  return Math.max(SMALLEST_SIGMA, Math.sqrt((residuals + PSEUDO_ROWS * variance) / (free + PSEUDO_ROWS)))
}

/** One standard deviation of a prediction, by action. */
export function actionWidths(model: {
  readonly sigma: number
  readonly degreesOfFreedom: readonly number[]
  readonly rows: readonly number[]
}): Float64Array {
  return Float64Array.from(model.degreesOfFreedom, (dof, a) =>
    Math.min(LARGEST_WIDTH, model.sigma * Math.sqrt(Math.max(1, dof) / Math.max(1, model.rows[a]!))),
  )
}
