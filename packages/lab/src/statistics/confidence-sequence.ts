// Limits for a running mean that hold at all times at once, so that one may look as often as one likes:
//   P( for all n:  (1/n) sum_i E[X_i | past]  >=  mean_n - u(V_n)/n )  >=  1 - alpha,   V_n = sum_i (X_i - guess_i)^2,
//   u(v) solves  sum_k w_k exp( l_k u - psi(l_k) v ) = 1/alpha,   psi(l) = -log(1 - l) - l,  0 < l_k < 1,  sum_k w_k = 1,
// for X_i >= 0 and guesses made before X_i, at most 1 (so X_i - guess_i >= -1): each exponential is then a supermartingale
// (Fan, Grama, Liu 2015; Howard, Ramdas, McAuliffe, Sekhon 2021, theorem 4), and so is their mixture. X may be as large as it likes
// and its law may depend on the past: policies that learn, inverse-propensity weights. The upper limit is the lower one of
// what is left to 1. The mixture itself: numeric/algebra/mixture-limit.ts.

import { lowerSum } from '@primo/numeric'

/** Sums over the values seen so far, which all limits are made from. */
export interface Evidence {
  count: number
  sum: number
  /** Sum of squared distances from the guesses. */
  deviation: number
}

/** Evidence before the first value. */
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

/** Limits of a mean. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** How sure a confidence sequence is. */
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

/** Sums about the difference of what was played and another policy. */
export interface ComparedEvidence {
  readonly ahead: Evidence
  readonly behind: Evidence
}

/** Evidence about a difference before the first reward. */
export function noComparison(): ComparedEvidence {
  return { ahead: noEvidence(), behind: noEvidence() }
}

/**
 * Adds a reward r in [0, 1] of what was played, with the other policy's weight w (mean 1). (w - 1)(1 - r) and
 * (w - 1) r have the difference and its negative as their means and are at least -1. Both are added as halves, moved to
 * begin at 0.
 */
export function addComparison({ ahead, behind }: ComparedEvidence, weight: number, reward: number): void {
  addEvidence(ahead, (1 + (weight - 1) * (1 - reward)) / 2)
  addEvidence(behind, (1 + (weight - 1) * reward) / 2)
}

/** Of what was played less the other policy, in units of the reward's range. */
export function differenceInterval(
  { ahead, behind }: ComparedEvidence,
  { alpha = 0.05 }: ConfidenceOptions = {},
): Interval {
  return { low: 2 * lowerLimit(ahead, alpha / 2) - 1, high: 1 - 2 * lowerLimit(behind, alpha / 2) }
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

/** For values of at least 0, as large as they like: the lower limit at all times, missed ever with probability alpha at most. */
export function lowerLimit({ count, sum, deviation }: Evidence, alpha: number): number {
  if (count === 0) return 0
  return Math.max(0, lowerSum([{ sum, deviation, scale: 1 }], alpha) / count)
}
