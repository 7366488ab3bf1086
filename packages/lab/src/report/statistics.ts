// Means over seeds with their standard errors.

export interface Summary {
  readonly count: number
  readonly mean: number
  /** Standard error of the mean; 0 for a single value. */
  readonly standardError: number
}

export function summarise(values: readonly number[]): Summary {
  const count = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { count, mean, standardError: count > 1 ? Math.sqrt(square / (count - 1) / count) : 0 }
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
