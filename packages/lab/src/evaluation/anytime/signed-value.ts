// The lower limit, at all times, of the mean of sum_a d(a|x_i) E[r_i | x_i, a] over the rows so far: d = pi for a policy's value,
// d = pi_1 - pi_2 for a difference of two. Rewards in [0, 1]; h = the logging propensities, which may depend on all that came before:
//   phi_i = d(A)/h(A) (r - q(A)) + sum_a d(a) q(a),
// q a model fitted on earlier rows, cut so that the first term is at least -k: q(a) <= k h(a)/d(a) where d(a) > 0, and
// 1 - q(a) <= k h(a)/|d(a)| where d(a) < 0. phi / (k + 1 + span), span = sum of the negative parts of d at most, is then a value that
// confidence-sequence.ts takes. k = 0 is inverse propensity weighting and needs the played action's propensity alone; larger k trust the
// model more. All are kept at once, and the limit is that of their mixture (the idea of Waudby-Smith and others 2022).

import { lowerSum } from '@primo/numeric'

const CUTS = [0, 1, 4, 16] as const

/** What is known of a row before and after its reward; arrays of K. */
export interface JudgedRow {
  readonly action: number
  /** In [0, 1]. */
  readonly reward: number
  /** Of the played action. */
  readonly propensity: number
  /** Of all actions; NaN where they are not known. */
  readonly propensities: Float64Array
  /** In [0, 1], from earlier rows. */
  readonly model: Float64Array
}

export class SignedValue {
  #count = 0
  readonly #sums = new Float64Array(CUTS.length)
  readonly #deviations = new Float64Array(CUTS.length)
  readonly #span: number

  /** `span`: 0 where d is never negative, else 1. */
  constructor(span: 0 | 1) {
    this.#span = span
  }

  /** `weights`: d(a | x_i). */
  add(row: JudgedRow, weights: Float64Array): void {
    this.#count++
    const known = !Number.isNaN(row.propensities[0])
    for (let j = 0; j < CUTS.length; j++) {
      const scale = CUTS[j]! + 1 + this.#span
      const value = cutTerm(row, weights, known ? CUTS[j]! : 0) / scale
      // The mean so far, begun in the middle of what the mean can be.
      const begin = this.#span === 0 ? 0.5 / scale : 0
      const guess = Math.min(1 / scale, (begin + this.#sums[j]!) / this.#count)
      this.#sums[j] = this.#sums[j]! + value
      this.#deviations[j] = this.#deviations[j]! + (value - guess) ** 2
    }
  }

  /** Of the mean, missed ever with probability alpha at most. */
  lower(alpha: number): number {
    const least = -this.#span
    if (this.#count === 0) return least
    const evidences = CUTS.map((cut, j) => ({
      sum: this.#sums[j]!,
      deviation: this.#deviations[j]!,
      scale: cut + 1 + this.#span,
    }))
    return Math.max(least, lowerSum(evidences, alpha) / this.#count)
  }
}

/** phi, with q cut so that its first term is at least -cut. */
export function cutTerm(
  { action, reward, propensity, propensities, model }: JudgedRow,
  d: Float64Array,
  cut: number,
): number {
  let expected = 0
  let played = 0
  for (let a = 0; a < d.length; a++) {
    const weight = d[a]!
    if (weight === 0) continue
    const room = cut === 0 ? 0 : (cut * propensities[a]!) / Math.abs(weight)
    const q = weight > 0 ? Math.min(model[a]!, room) : Math.max(model[a]!, 1 - room)
    expected += weight * q
    if (a === action) played = q
  }
  const weight = d[action]!
  return expected + (weight === 0 ? 0 : (weight / propensity) * (reward - played))
}
