// E[f*(x, z*, a) | x] and E[f*(x, z*, a) | x, b = 0]: what someone knows of the rewards who knows everything but z*.
// Quadrature over eta at 32 midpoints of its quantile function (or over the support of a discrete covariate), weighted
// with 1 - P(b = 1 | x, eta) where observation depends on eta. Rewards that are polynomials in z need moments only:
//   degree 1: f*(m),   degree 2: (f*(m + s) + f*(m - s)) / 2 with m and s^2 the mean and variance of z* given the same.
// argmax_a of the second is abar(x) of the floor (SPEC A0).

import type { Mechanism } from './mechanisms.js'
import type { Row } from './rows.js'
import type { Structure } from './structure.js'

const NODES = 32

/** Given b = 0, or given nothing about b. */
export type Given = 'missing' | 'context'
export type ConditionalMeans = (row: Row, given: Given, out: Float64Array) => void

/** For the stream of a seed: blocks of missing rounds depend on it. */
export function conditionalMeans(
  structure: Structure,
  mechanism: Mechanism | null,
): (seed: number) => ConditionalMeans {
  const { covariate, degree, rewardMeans } = structure
  const actions = structure.problem.actions.length
  if (covariate === null || mechanism === null) {
    return () => (row, _given, out) => out.set(row.means)
  }
  const { imputer, support, value } = covariate
  const spread = 1 - imputer.extra
  return (seed) => {
    const probability = mechanism.bind(seed)
    const nodes = new Float64Array(NODES)
    const weights = new Float64Array(NODES)
    const part = new Float64Array(actions)

    function placeNodes(row: Row, weighted: boolean): number {
      let count = NODES
      if (support !== undefined) count = support(row.mean, nodes, weights)
      else {
        for (let j = 0; j < NODES; j++) nodes[j] = value(row.x, row.mean, spread, (j + 0.5) / NODES)
        weights.fill(1)
      }
      if (weighted) {
        for (let j = 0; j < count; j++) weights[j]! *= 1 - probability(row.x, nodes[j]! - row.mean, row.round)
      }
      return count
    }

    return (row, given, out) => {
      const weighted = given === 'missing' && mechanism.dependsOnEta
      if (degree === 1 && !weighted) {
        rewardMeans(row.x, row.mean, out, row.round)
        return
      }
      const count = placeNodes(row, weighted)
      let total = 0
      let mean = 0
      for (let j = 0; j < count; j++) {
        total += weights[j]!
        mean += weights[j]! * nodes[j]!
      }
      mean /= total
      if (degree === 1) {
        rewardMeans(row.x, mean, out, row.round)
      } else if (degree === 2) {
        let variance = 0
        for (let j = 0; j < count; j++) variance += weights[j]! * (nodes[j]! - mean) ** 2
        const deviation = Math.sqrt(variance / total)
        rewardMeans(row.x, mean + deviation, out, row.round)
        rewardMeans(row.x, mean - deviation, part, row.round)
        for (let a = 0; a < actions; a++) out[a] = (out[a]! + part[a]!) / 2
      } else {
        out.fill(0)
        for (let j = 0; j < count; j++) {
          rewardMeans(row.x, nodes[j]!, part, row.round)
          for (let a = 0; a < actions; a++) out[a]! += (weights[j]! / total) * part[a]!
        }
      }
    }
  }
}
