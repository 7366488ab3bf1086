// What if whether z is seen depends on z itself? Three ways to leave MAR, for values v(z) of the missing rows (z is not seen there;
// observed rows stand in for them with weights w = (1 - e)/e):
//   shift   E[z | x, b=0] = E[z | x, b=1] + delta;  bias of g: -delta;  squared error: + 2 delta E[z - g | b=0] + delta^2.
//   tilt    p(z | x, b=0) ~ p(z | x, b=1) exp(alpha r/s), r = z - E[z | x, b=1], s its standard deviation: weights w exp(alpha r/s).
//   odds    the odds of being seen given (x, z) and given x differ by a factor in [1/Lambda, Lambda]: weights w lambda_i,
//           lambda_i in [1/Lambda, Lambda]; the extremes of sum w lambda v / sum w lambda put Lambda on one side of a threshold
//           of v (Tan 2006; Zhao, Small and Bhattacharya 2019).
// The robustness value is the smallest Lambda at which a conclusion (a sign) can no longer be told.

import type { Random } from '@primo/numeric'

export interface MissingValues {
  /** v of every observed row that stands in for missing ones. */
  readonly values: Float64Array
  /** (1 - e)/e. */
  readonly weights: Float64Array
}

export interface Bounds {
  readonly lambda: number
  readonly low: number
  readonly high: number
  /** 95% percentile-bootstrap ends of the bounds; null: not asked for. */
  readonly band: { readonly low: number; readonly high: number } | null
}

/** Rows by value, so that the extremes are one pass. */
interface Sorted {
  readonly values: Float64Array
  readonly weights: Float64Array
}

export function sortedByValue({ values, weights }: MissingValues): Sorted {
  const order = Uint32Array.from(values, (_, k) => k).sort((a, b) => values[a]! - values[b]!)
  return { values: Float64Array.from(order, (k) => values[k]!), weights: Float64Array.from(order, (k) => weights[k]!) }
}

/** The smallest and the largest weighted mean that odds within [1/Lambda, Lambda] allow; `counts`: how often a row is drawn. */
export function oddsBounds(sorted: Sorted, lambda: number, counts: Uint16Array | null = null) {
  return { low: extreme(sorted, lambda, counts, false), high: extreme(sorted, lambda, counts, true) }
}

function extreme({ values, weights }: Sorted, lambda: number, counts: Uint16Array | null, largest: boolean): number {
  const rows = values.length
  let top = 0
  let bottom = 0
  // All rows at one end of the odds first; then the best ones, one by one, at the other.
  const base = largest ? 1 / lambda : lambda
  const step = largest ? lambda - 1 / lambda : 1 / lambda - lambda
  for (let k = 0; k < rows; k++) {
    const weight = weights[k]! * (counts === null ? 1 : counts[k]!) * base
    top += weight * values[k]!
    bottom += weight
  }
  let best = top / bottom
  for (let k = rows - 1; k >= 0; k--) {
    const weight = weights[k]! * (counts === null ? 1 : counts[k]!) * step
    top += weight * values[k]!
    bottom += weight
    if (!(bottom > 0)) continue
    const value = top / bottom
    if (largest ? value > best : value < best) best = value
  }
  return best
}

const REPLICATES = 200
/** On more rows the bands are those of so many, spread evenly over the sorted values, scaled by the square root of the ratio. */
const MAX_RESAMPLED = 4000

export function boundsWithBand(values: MissingValues, lambdas: readonly number[], random: Random): readonly Bounds[] {
  const sorted = sortedByValue(values)
  const some = thinned(sorted)
  const rows = some.values.length
  const shrink = Math.sqrt(rows / sorted.values.length)
  const lows = lambdas.map(() => [] as number[])
  const highs = lambdas.map(() => [] as number[])
  const counts = new Uint16Array(rows)
  for (let replicate = 0; replicate < REPLICATES; replicate++) {
    counts.fill(0)
    for (let k = 0; k < rows; k++) {
      const drawn = random.integer(rows)
      counts[drawn] = counts[drawn]! + 1
    }
    lambdas.forEach((lambda, which) => {
      const { low, high } = oddsBounds(some, lambda, counts)
      lows[which]!.push(low)
      highs[which]!.push(high)
    })
  }
  const end = (found: number[], p: number) => found.sort((a, b) => a - b)[Math.round(p * (REPLICATES - 1))]!
  return lambdas.map((lambda, which) => {
    const { low, high } = oddsBounds(sorted, lambda)
    const own = some === sorted ? { low, high } : oddsBounds(some, lambda)
    const band = {
      low: low - shrink * (own.low - end(lows[which]!, 0.025)),
      high: high + shrink * (end(highs[which]!, 0.975) - own.high),
    }
    return { lambda, low, high, band }
  })
}

function thinned(sorted: Sorted): Sorted {
  const rows = sorted.values.length
  if (rows <= MAX_RESAMPLED) return sorted
  const kept = Uint32Array.from({ length: MAX_RESAMPLED }, (_, k) => Math.floor(((k + 0.5) * rows) / MAX_RESAMPLED))
  return {
    values: Float64Array.from(kept, (k) => sorted.values[k]!),
    weights: Float64Array.from(kept, (k) => sorted.weights[k]!),
  }
}

/** The smallest Lambda at which the bounds hold 0; null: beyond 100. */
export function robustnessValue(values: MissingValues): number | null {
  const sorted = sortedByValue(values)
  const holdsZero = (lambda: number) => {
    const { low, high } = oddsBounds(sorted, lambda)
    return low <= 0 && high >= 0
  }
  if (holdsZero(1)) return 1
  let low = 1
  let high = 100
  if (!holdsZero(high)) return null
  while (high / low > 1.0005) {
    const middle = Math.sqrt(low * high)
    if (holdsZero(middle)) high = middle
    else low = middle
  }
  return high
}

/** The weighted mean of v under a tilt by alpha standard deviations of `residuals`. */
export function tiltedMean({ values, weights }: MissingValues, residuals: Float64Array, alpha: number): number {
  let square = 0
  let total = 0
  residuals.forEach((residual, k) => {
    square += weights[k]! * residual * residual
    total += weights[k]!
  })
  const scale = Math.sqrt(square / total) || 1
  let top = 0
  let bottom = 0
  values.forEach((value, k) => {
    // Beyond five standard deviations a tilt would rest on single rows.
    const weight = weights[k]! * Math.exp(alpha * Math.min(5, Math.max(-5, residuals[k]! / scale)))
    top += weight * value
    bottom += weight
  })
  return top / bottom
}
