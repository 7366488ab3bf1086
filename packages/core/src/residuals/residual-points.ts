// What an imputation leaves open, as 16 equally likely residuals (method#distribution): the quantiles at (i + 1/2)/16 of the
// residuals of known rows, moved and stretched to mean 0 and to the cross-fitted variance, so that averages over them of
// anything quadratic in z agree with the closed form. Where only a variance is known, the points of a normal.

import { normalQuantile } from '@primo/numeric'

export const RESIDUAL_POINTS = 16

/** `residuals` is sorted in place; mean 0 and mean square `variance` exactly (up to rounding). */
export function residualPoints(residuals: Float64Array, variance: number): readonly number[] {
  if (residuals.length === 0) return normalPoints(variance)
  residuals.sort()
  const points = Array.from({ length: RESIDUAL_POINTS }, (_, i) => quantileOf(residuals, (i + 0.5) / RESIDUAL_POINTS))
  return standardised(points, variance) ?? normalPoints(variance)
}

export function normalPoints(variance: number): readonly number[] {
  const points = Array.from({ length: RESIDUAL_POINTS }, (_, i) => normalQuantile((i + 0.5) / RESIDUAL_POINTS))
  return standardised(points, variance)!
}

/** Between the two nearest order statistics. */
function quantileOf(sorted: Float64Array, p: number): number {
  const place = Math.min(sorted.length - 1, Math.max(0, p * sorted.length - 0.5))
  const below = Math.floor(place)
  const above = Math.min(sorted.length - 1, below + 1)
  return sorted[below]! + (place - below) * (sorted[above]! - sorted[below]!)
}

/** null: the points are all alike and cannot be stretched. */
function standardised(points: readonly number[], variance: number): readonly number[] | null {
  const mean = points.reduce((sum, value) => sum + value, 0) / points.length
  const square = points.reduce((sum, value) => sum + (value - mean) ** 2, 0) / points.length
  if (!(square > 0)) return variance === 0 ? points.map(() => 0) : null
  const stretch = Math.sqrt(variance / square)
  return points.map((value) => stretch * (value - mean))
}
