// An estimate with an interval at a fixed number of rows that is right although the log was made by a policy that learnt: doubly robust
// terms phi_i with a model of earlier rows, weighted by what was known before each row,
//   T = sum h_i phi_i / sum h_i,   h_i = 1/sqrt(v_i),   v_i = mean over the rows before of sum_a d(a)^2 / p(a), forgetting slowly.
// Unweighted, the rows' variances follow what the logging policy happened to learn, and the mean is not normal. Weighted
// by their inverse roots, each row adds about as much variance as any other (the idea of Hadad and others 2021). A
// difference from what was played changes along the log, so its rows count alike: h_i = 1.

import { studentEstimate, type ValueEstimate } from '../intervals.js'
import type { JudgedRow } from './signed-value.js'

/** Share of a new row in the running mean of v, once there are enough. */
const RATE = 0.02

export class StabilisedValue {
  readonly #terms: number[] = []
  readonly #weights: number[] = []
  readonly #alike: boolean
  #variance = 0

  constructor({ alike = false }: { readonly alike?: boolean } = {}) {
    this.#alike = alike
  }

  /** `weights`: d(a | x_i). */
  add(row: JudgedRow, weights: Float64Array): void {
    const { action, reward, propensity, propensities, model } = row
    let expected = 0
    let variance = 0
    for (let a = 0; a < weights.length; a++) {
      const d = weights[a]!
      if (d === 0) continue
      expected += d * model[a]!
      // Of what is never played only the model knows: no row has a part in its error.
      if (propensities[a] !== 0) variance += (d * d) / propensities[a]!
    }
    const ratio = weights[action]! / propensity
    const count = this.#terms.push(expected + ratio * (reward - model[action]!))
    this.#weights.push(this.#alike || count === 1 || this.#variance === 0 ? 1 : 1 / Math.sqrt(this.#variance))
    // Where only the played propensity is known, its square has the same mean.
    const seen = Number.isNaN(variance) ? ratio * ratio : variance
    this.#variance += Math.max(RATE, 1 / count) * (seen - this.#variance)
  }

  estimate(level: number): ValueEstimate {
    // Before anything is known of the variances a row counts as the first one that is.
    const first = this.#weights.find((weight, i) => i > 0 && weight !== 1) ?? 1
    const weights = this.#weights.map((weight, i) => (i === 0 ? first : weight))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const value = weights.reduce((sum, weight, i) => sum + weight * this.#terms[i]!, 0) / total
    const mean = total / weights.length
    const phi = Float64Array.from(weights, (weight, i) => (weight * (this.#terms[i]! - value)) / mean)
    return studentEstimate(value, phi, level)
  }
}
