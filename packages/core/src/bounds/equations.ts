// The means that agree with some equations (method#missing-set). For a given law q on the levels, sum_j A_j q_j - m has a standard
// error s(q); each equation is widened to
//   |sum_j A_j q_j - m| <= kappa s(q),   kappa the quantile of Student's law at (1 - confidence) / 2.
// The set holds each mean t = sum_j h_j q_j for which some q satisfies all of them. s is convex, so these are not convex constraints:
// slices of t are tried, in each of which s is replaced by what it is at the corners (one level below t, one above), joined
// linearly. That takes in too much, never too little, and the less the thinner the slice; each slice is a linear programme.

import { minimiseOnSimplex, studentQuantile } from '@primo/numeric'

/** Means at levels and the mean that a law on them must give, with errors. */
export interface Equation {
  /** NaN: a level of which nothing is known. */
  readonly means: Float64Array
  readonly covariance: Float64Array
  readonly mean: number
  readonly variance: number
  readonly degrees: number
}

/** Limits of a mean over missing rows; null: no law of the covariate agrees with the witnesses. */
export type MissingSet = { readonly lower: number; readonly upper: number } | null

/** Each equation holds with the confidence; without any, the range of the target. */
export function setOf(equations: readonly Equation[], target: Float64Array, confidence: number): MissingSet {
  const least = Math.min(...target)
  const most = Math.max(...target)
  if (equations.length === 0 || least === most) return { lower: least, upper: most }
  const known = equations.map((equation) => {
    const kappa = studentQuantile((1 + confidence) / 2, Math.max(1, equation.degrees))
    return { ...filled(equation, kappa), kappa }
  })
  const possible = (from: number, to: number) => {
    const corners = cornersOf(target, from, to)
    const width = corners.length
    const rows = new Float64Array(2 * known.length * width)
    const limits = new Float64Array(2 * known.length)
    known.forEach(({ means, covariance, mean, variance, kappa }, e) => {
      corners.forEach(({ low, high, above }, c) => {
        const below = 1 - above
        const value = below * means[low]! + above * means[high]!
        const square =
          below * below * covariance[low * target.length + low]! +
          2 * below * above * covariance[low * target.length + high]! +
          above * above * covariance[high * target.length + high]! +
          variance
        const slack = kappa * Math.sqrt(square)
        rows[2 * e * width + c] = value - slack
        rows[(2 * e + 1) * width + c] = -value - slack
      })
      limits[2 * e] = mean
      limits[2 * e + 1] = -mean
    })
    return minimiseOnSimplex({ width, rows, limits }, new Float64Array(width)) !== null
  }
  const lower = firstPossible(possible, least, most, SLICES)
  const upper = firstPossible((from, to) => possible(-to, -from), -most, -least, SLICES)
  return lower === null || upper === null ? null : { lower, upper: -upper }
}

/** Slices of the range, then of the first possible one, and so on. */
const SLICES = [32, 8, 8] as const

function firstPossible(
  possible: (from: number, to: number) => boolean,
  from: number,
  to: number,
  [slices, ...finer]: readonly number[],
): number | null {
  if (slices === undefined) return from
  for (let k = 0; k < slices; k++) {
    const start = from + ((to - from) * k) / slices
    const end = from + ((to - from) * (k + 1)) / slices
    const found = possible(start, end) ? firstPossible(possible, start, end, finer) : null
    if (found !== null) return found
  }
  return null
}

interface Corner {
  readonly low: number
  readonly high: number
  /** Weight of the high level. */
  readonly above: number
}

/** The corners of all laws on the levels whose mean of the target is within the slice. */
function cornersOf(target: Float64Array, from: number, to: number): readonly Corner[] {
  const corners: Corner[] = []
  for (let low = 0; low < target.length; low++) {
    if (target[low]! >= from && target[low]! <= to) corners.push({ low, high: low, above: 0 })
    for (let high = 0; high < target.length; high++) {
      for (const at of [from, to]) {
        if (target[low]! < at && at < target[high]!)
          corners.push({ low, high, above: (at - target[low]!) / (target[high]! - target[low]!) })
      }
    }
  }
  return corners
}

/** A level of which nothing is known may be anything that the others are, and as far again. */
function filled(equation: Equation, kappa: number): Equation {
  const { means, covariance, mean } = equation
  if (!means.some(Number.isNaN)) return equation
  const known = means.filter((value) => !Number.isNaN(value))
  const [least, most] = [Math.min(mean, ...known), Math.max(mean, ...known)]
  const wide = covariance.slice()
  means.forEach((value, j) => {
    if (!Number.isNaN(value)) return
    for (let k = 0; k < means.length; k++) {
      wide[j * means.length + k] = 0
      wide[k * means.length + j] = 0
    }
    wide[j * means.length + j] = ((1.5 * (most - least)) / kappa) ** 2
  })
  const centre = (least + most) / 2
  return { ...equation, means: means.map((value) => (Number.isNaN(value) ? centre : value)), covariance: wide }
}
