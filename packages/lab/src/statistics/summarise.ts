// Means over seeds with their standard errors, quantiles, slopes.

/** A mean with its standard error. */
export interface Summary {
  readonly count: number
  readonly mean: number
  /** Standard error of the mean; 0 for a single value. */
  readonly standardError: number
}

/** Mean and standard error of values. */
export function summarise(values: readonly number[]): Summary {
  const count = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { count, mean, standardError: count > 1 ? Math.sqrt(square / (count - 1) / count) : 0 }
}

/** A mean as reports state it: a single value says nothing about its own error. */
export interface Estimate {
  readonly mean: number
  /** Standard error of the mean; null for a single value. */
  readonly standardError: number | null
}

/** Null when there are no values. */
export function estimate(values: readonly number[]): Estimate | null {
  if (values.length === 0) return null
  const { mean, standardError } = summarise(values)
  return { mean, standardError: values.length > 1 ? standardError : null }
}

/** Linear interpolation between order statistics, at position 1 + (n - 1) p (Hyndman and Fan's type 7). */
export function quantile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * p
  const below = Math.floor(at)
  const low = sorted[below]!
  return low + (at - below) * ((sorted[below + 1] ?? low) - low)
}

/** Least-squares slope of y on x. */
export function slope(x: readonly number[], y: readonly number[]): number {
  const mx = summarise(x).mean
  const my = summarise(y).mean
  let top = 0
  let bottom = 0
  x.forEach((value, i) => {
    top += (value - mx) * (y[i]! - my)
    bottom += (value - mx) ** 2
  })
  return top / bottom
}

/** Ratio of two means over the same seeds with its standard error (delta method on the paired values). */
export function pairedRatio(
  top: readonly number[],
  bottom: readonly number[],
): { ratio: number; standardError: number } {
  const ratio = summarise(top).mean / summarise(bottom).mean
  const residuals = top.map((value, i) => value - ratio * bottom[i]!)
  return { ratio, standardError: summarise(residuals).standardError / Math.abs(summarise(bottom).mean) }
}
