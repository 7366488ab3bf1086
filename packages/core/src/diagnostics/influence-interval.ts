// Interval of an estimate T that is the mean of n independent terms with influence values d_i, by Student's t:
//   se^2 = sum d^2 / ((n - 1) n),  degrees = n / (kurtosis - 1), kurtosis = n sum d^4 / (sum d^2)^2.
// Heavy rows leave few degrees, so that an estimate that rests on a few of them has a wide interval. They are half of Satterthwaite's
// (1946), since the kurtosis of a sample falls short of that of a law with a long tail.
//   linear: T -+ t se.   log: T exp(-+ t se/T), for what is not below 0; its right tail is the longer one, as a mean square's is, and
// half of the degrees again, since the tail of a square is twice as long.

import { studentQuantile } from '@primo/numeric'

export interface InfluenceInterval {
  readonly standardError: number
  readonly degrees: number
  readonly lower: number
  readonly upper: number
  /** One-sided: the truth is below it with the given level. */
  readonly upperLimit: number
}

/** Fewer degrees than three are not told apart. */
const MIN_DEGREES = 3

export interface InfluenceOptions {
  readonly level: number
  readonly scale: 'linear' | 'log'
  /** Added to the square of the standard error: what the terms do not show of their own spread. Default 0. */
  readonly extraVariance?: number
}

/** The interval of an estimate from its influence values. */
export function influenceInterval(
  estimate: number,
  influence: Float64Array,
  { level, scale, extraVariance = 0 }: InfluenceOptions,
): InfluenceInterval {
  const rows = influence.length
  let square = 0
  let fourth = 0
  for (const value of influence) {
    square += value * value
    fourth += value ** 4
  }
  const standardError = Math.sqrt(square / Math.max(1, rows - 1) / rows + extraVariance)
  const kurtosis = square > 0 ? (rows * fourth) / (square * square) : 1
  const counted = scale === 'log' ? rows / 2 : rows
  const degrees = Math.max(MIN_DEGREES, Math.min(rows, counted / Math.max(kurtosis - 1, 1e-9)))
  const ends = (quantile: number) => quantile * standardError
  const half = ends(studentQuantile((1 + level) / 2, degrees))
  const oneSided = ends(studentQuantile(level, degrees))
  if (scale === 'linear')
    return { standardError, degrees, lower: estimate - half, upper: estimate + half, upperLimit: estimate + oneSided }
  const factor = (width: number) => (estimate > 0 ? Math.exp(Math.min(600, width / estimate)) : 1)
  return {
    standardError,
    degrees,
    lower: estimate / factor(half),
    upper: estimate * factor(half),
    upperLimit: estimate * factor(oneSided),
  }
}
