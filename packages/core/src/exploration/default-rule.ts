// The default's rule (method#default-rule), in closed form from means f, widths w, noise and counts:
//   b = argmax f,   star = argmax f + w sqrt(1 + ln+(n / (K n_a))),   l_a = skew_a w_a^2 / s2_a
//   W = w_a^2 + w_b^2,   D_a = integral from 0 to f_b - f_a of t / (W + l_a t) dt
//   h_a = (1 / w_a^2) / sum_c (1 / w_c^2)                        its part of what is known here
//   p_a = e^-min(D_a, 700) / (2K) min(1, (1 / (12 K h_a))^2)     every action but star; star gets the rest, more than 1/2
// D is gap^2 / 2W for quiet rewards and the exponent of the Poisson tail for rare ones. An action that carries less than 1/12 of
// an equal part of the local precision has p_a >= e^-D_a / (2K). K is the number of eligible actions. Ties: smallest index.

import type { Weighing } from './exploration-rule.js'
import { limitUntested, untestedLimits } from './limit-untested.js'

/** What a rule may know of a reward model, by action. */
export interface FittedNoise {
  readonly sigma: number
  readonly rows: readonly number[]
  readonly weight: number
  /** Noise variances; absent: sigma squared for all. */
  readonly variances?: readonly number[]
  /** Third moment of the residuals over their second; absent: 0. */
  readonly skews?: readonly number[]
}

/** The part of an equal share of the precision below which evidence alone decides. */
const FAIR_PART = 1 / 12
/** Beyond it a double holds nothing. */
const LARGEST_EXPONENT = 700

export function defaultRule(actions: number, { sigma, rows, weight, variances, skews }: FittedNoise): Weighing {
  const tails = new Float64Array(actions)
  const behind = new Float64Array(actions)
  for (let a = 0; a < actions; a++) {
    tails[a] = (skews?.[a] ?? 0) / (variances?.[a] ?? sigma * sigma)
    behind[a] = Math.log(Math.max(1, weight) / Math.max(1, rows[a] ?? 0))
  }
  const limits = untestedLimits(actions, rows)

  return (scores, widths, count, out, at = 0, eligible) => {
    const lead = Math.log(count)
    let best = 0
    let star = 0
    let highest = Number.NEGATIVE_INFINITY
    let known = 0
    for (let k = 0; k < count; k++) {
      const score = scores[at + k]!
      const width = Math.max(SMALLEST_WIDTH, widths[at + k]!)
      if (score > scores[at + best]!) best = k
      const lag = behind[eligible === undefined ? k : eligible[k]!]! - lead
      const upper = score + width * Math.sqrt(1 + Math.max(0, lag))
      if (upper > highest) {
        highest = upper
        star = k
      }
      known += 1 / (width * width)
    }
    const top = scores[at + best]!
    const leader = Math.max(SMALLEST_WIDTH, widths[at + best]!) ** 2
    let rest = 1
    for (let k = 0; k < count; k++) {
      if (k === star) continue
      const width = Math.max(SMALLEST_WIDTH, widths[at + k]!) ** 2
      const tail = tails[eligible === undefined ? k : eligible[k]!]! * width
      const against = Math.min(LARGEST_EXPONENT, evidenceAgainst(top - scores[at + k]!, width + leader, tail))
      const owed = (FAIR_PART * width * known) / count
      const share = (Math.exp(-against) / (2 * count)) * Math.min(1, owed * owed)
      out[at + k] = share
      rest -= share
    }
    out[at + star] = rest
    if (limits !== null) limitUntested(limits, scores, count, out, at, eligible)
  }
}

/** Keeps the precision finite. */
const SMALLEST_WIDTH = 1e-150

/** Integral from 0 to gap of t / (variance + tail t) dt. */
function evidenceAgainst(gap: number, variance: number, tail: number): number {
  const x = (tail * gap) / variance
  // The first terms of the series: below, the closed form loses its digits.
  if (x < 1e-4) return ((gap * gap) / variance) * (1 / 2 - x / 3)
  return (gap / tail) * (1 - Math.log1p(x) / x)
}
