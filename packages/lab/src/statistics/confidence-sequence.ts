// Limits for a running mean that hold at all times at once, so that one may look as often as one likes:
//   P( for all n:  (1/n) sum_i E[X_i | past]  >=  mean_n - u(V_n)/n )  >=  1 - alpha,   V_n = sum_i (X_i - guess_i)^2,
//   u(v) = k1 sqrt(v l(v)) + k2 l(v),  l(v) = s log log(eta v) + log( zeta(s) / (alpha log^s eta) ),  v >= 1,
// for X_i >= 0 and guesses made before X_i, at most 1 (so X_i - guess_i >= -1): empirical Bernstein with a stitched boundary
// (Howard, Ramdas, McAuliffe, Sekhon 2021, theorems 1 and 4). X may be as large as it likes and its law may depend on the past: policies
// that learn, and inverse-propensity weights. The upper limit is the lower one of what is left to 1.

export interface Evidence {
  count: number
  sum: number
  /** Sum of squared distances from the guesses. */
  deviation: number
}

export function noEvidence(): Evidence {
  return { count: 0, sum: 0, deviation: 0 }
}

/** Adds a value; the guess is the mean so far, begun at one half. */
export function addEvidence(evidence: Evidence, value: number): void {
  const guess = Math.min(1, (0.5 + evidence.sum) / (1 + evidence.count))
  evidence.count++
  evidence.sum += value
  evidence.deviation += (value - guess) ** 2
}

export interface Interval {
  readonly low: number
  readonly high: number
}

export interface ConfidenceOptions {
  /** Probability that the interval ever misses; default 0.05. */
  readonly alpha?: number
}

/** For values in [0, 1]: both limits at all times, alpha / 2 each. */
export function meanInterval(evidence: Evidence, { alpha = 0.05 }: ConfidenceOptions = {}): Interval {
  const { count, sum, deviation } = evidence
  return {
    low: lowerLimit(evidence, alpha / 2),
    high: 1 - lowerLimit({ count, sum: count - sum, deviation }, alpha / 2),
  }
}

/** For rewards in [0, 1] under weights with mean 1: `gained` adds up weight x reward, `lost` weight x (1 - reward). */
export function weightedInterval(gained: Evidence, lost: Evidence, { alpha = 0.05 }: ConfidenceOptions = {}): Interval {
  return { low: lowerLimit(gained, alpha / 2), high: 1 - lowerLimit(lost, alpha / 2) }
}

/** For values in [min, max], added as (value - min) / (max - min). */
export function rangeInterval(
  evidence: Evidence,
  range: { readonly min: number; readonly max: number },
  options: ConfidenceOptions = {},
): Interval {
  const { low, high } = meanInterval(evidence, options)
  const span = range.max - range.min
  return { low: range.min + span * low, high: range.min + span * high }
}

const ETA = 2
const S = 1.4
const ZETA = 3.105472
const K1 = (ETA ** 0.25 + ETA ** -0.25) / Math.SQRT2
const K2 = (Math.sqrt(ETA) + 1) / 2

function lowerLimit({ count, sum, deviation }: Evidence, alpha: number): number {
  if (count === 0) return 0
  return Math.max(0, (sum - boundary(deviation, alpha)) / count)
}

function boundary(deviation: number, alpha: number): number {
  const v = Math.max(1, deviation)
  const l = S * Math.log(Math.log(ETA * v)) + Math.log(ZETA / (alpha * Math.log(ETA) ** S))
  return K1 * Math.sqrt(v * l) + K2 * l
}
