// Statistics of repeats: differences on the same worlds, slopes with their standard errors, limits at three standard
// errors.

import { type Summary, slope, studentInterval, summarise } from '@primo/lab'

/** Slope of log y on log x, y the mean of the curves (one per seed). */
export function rateOf(x: readonly number[], curves: readonly (readonly number[])[]): Summary {
  const logs = x.map(Math.log)
  return jackknife(curves, (kept) =>
    slope(
      logs,
      summariesOf(kept).map(({ mean }) => Math.log(mean)),
    ),
  )
}

/**
 * Intercept of y on x, y the mean of the curves, each place weighted by its precision (alike where one has no
 * spread).
 */
export function interceptOf(x: readonly number[], curves: readonly (readonly number[])[]): Summary {
  const errors = summariesOf(curves).map(({ standardError }) => standardError)
  const weights = errors.map((error) => (errors.includes(0) ? 1 : 1 / error ** 2))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const mean = (values: readonly number[]) => values.reduce((sum, value, i) => sum + weights[i]! * value, 0) / total
  const centre = mean(x)
  const square = mean(x.map((value) => (value - centre) ** 2))
  return jackknife(curves, (kept) => {
    const y = summariesOf(kept).map((summary) => summary.mean)
    const level = mean(y)
    return level - (centre * mean(y.map((value, i) => (value - level) * (x[i]! - centre)))) / square
  })
}

/** A figure of all curves; its standard error by leaving out one curve at a time. */
export function jackknife<T>(curves: readonly T[], figure: (kept: readonly T[]) => number): Summary {
  const count = curves.length
  const mean = figure(curves)
  if (count === 1) return { count, mean, standardError: 0 }
  const parts = curves.map((_, left) => figure(curves.filter((_, k) => k !== left)))
  const centre = summarise(parts).mean
  const square = parts.reduce((sum, part) => sum + (part - centre) ** 2, 0)
  return { count, mean, standardError: Math.sqrt(((count - 1) / count) * square) }
}

/** The curves, one per seed, at each of their places. */
export function summariesOf(curves: readonly (readonly number[])[]): readonly Summary[] {
  return curves[0]!.map((_, i) => summarise(curves.map((curve) => curve[i]!)))
}

/** One value per seed from several lists of values per seed. */
export function paired(
  lists: readonly (readonly number[])[],
  combine: (...values: number[]) => number,
): readonly number[] {
  return lists[0]!.map((_, seed) => combine(...lists.map((list) => list[seed]!)))
}

/** Within three standard errors and `tolerance` of what is claimed. */
export function near({ mean, standardError }: Summary, claimed: number, tolerance: number): boolean {
  return Math.abs(mean - claimed) <= tolerance + 3 * standardError
}

/** Three standard errors below a limit. */
export function below({ mean, standardError }: Summary, limit: number): boolean {
  return mean + 3 * standardError < limit
}

/** Three standard errors above a limit. */
export function above({ mean, standardError }: Summary, limit: number): boolean {
  return mean - 3 * standardError > limit
}

export function doublings(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, k) => 2 ** (first + k))
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** One arm minus another on the same worlds. */
export interface PairedEffect {
  readonly mean: number
  /** 95%, Student's t over worlds. */
  readonly low: number
  readonly high: number
  /** The mean as a share of the other's mean. */
  readonly share: number
  /** Worlds in which the first has less. */
  readonly smaller: number
  readonly worlds: number
}

export function pairedEffect(one: readonly number[], other: readonly number[]): PairedEffect {
  const differences = paired([one, other], (a, b) => a - b)
  const summary = summarise(differences)
  const [low, high] = studentInterval(summary) ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return {
    mean: summary.mean,
    low,
    high,
    share: summary.mean / summarise(other).mean,
    smaller: differences.filter((value) => value < 0).length,
    worlds: differences.length,
  }
}

/** '-120 [-140, -100]'. */
export function effectText({ mean, low, high }: PairedEffect): string {
  return `${signed(mean)} [${signed(low)}, ${signed(high)}]`
}

export function shareText({ share }: PairedEffect): string {
  return `${share >= 0 ? '+' : ''}${(100 * share).toFixed(1)}%`
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(Math.abs(value) < 10 ? 1 : 0)}`
}
