// E[f*(x, z*, a) | x] and E[f*(x, z*, a) | x, b = 0]: what someone knows of the rewards who knows everything but z*.
// Sums over the nodes of eta's law, weighted with P(b = 0 | x, eta) = 1 / (1 + exp(logit(x) + slope eta)) where observation
// depends on eta. Rewards that are polynomials in z need moments only:
//   degree 1: f*(m),   degree 2: (f*(m + s) + f*(m - s)) / 2 with m and s^2 the mean and variance of z* given the same.
// argmax_a of the second is abar(x) of the floor (method#regret).

import { covariateNodes } from './covariate-law.js'
import type { Mechanism } from './mechanisms.js'
import type { Row } from './rows.js'
import type { Structure } from './structure.js'

/** Given b = 0, or given nothing about b. */
type Given = 'missing' | 'context'
export type ConditionalMeans = (row: Row, given: Given, out: Float64Array) => void

export function conditionalMeans(structure: Structure, mechanism: Mechanism | null): ConditionalMeans {
  const { covariate, degree, rewardMeans } = structure
  const actions = structure.problem.actions.length
  if (covariate === null || mechanism === null) return (row, _given, out) => out.set(row.means)
  const { tilt } = mechanism
  const { fixed, etas, weights, place } = covariateNodes(covariate)
  const count = etas.length
  const part = new Float64Array(actions)
  const tilted = new Float64Array(count)
  const odds = new Float64Array(count)
  if (fixed && tilt !== null) writeOdds(tilt.slope)

  function writeOdds(slope: number): void {
    for (let j = 0; j < count; j++) odds[j] = Math.exp(slope * etas[j]!)
  }

  /** Weights of the nodes given b = 0. */
  function tiltedWeights(x: Float64Array): Float64Array {
    if (tilt === null) return weights
    if (!fixed) writeOdds(tilt.slope)
    const base = Math.exp(tilt.logit(x))
    for (let j = 0; j < count; j++) tilted[j] = weights[j]! / (1 + base * odds[j]!)
    return tilted
  }

  return (row, given, out) => {
    const { x, mean, round } = row
    if (degree === 1 && (given === 'context' || tilt === null)) {
      rewardMeans(x, mean, out, round)
      return
    }
    place(mean)
    const w = given === 'missing' ? tiltedWeights(x) : weights
    let total = 0
    let first = 0
    let second = 0
    for (let j = 0; j < count; j++) {
      const eta = etas[j]!
      total += w[j]!
      first += w[j]! * eta
      second += w[j]! * eta * eta
    }
    const center = mean + first / total
    if (degree === 1) {
      rewardMeans(x, center, out, round)
    } else if (degree === 2) {
      const deviation = Math.sqrt(Math.max(0, second / total - (first / total) ** 2))
      rewardMeans(x, center + deviation, out, round)
      rewardMeans(x, center - deviation, part, round)
      for (let a = 0; a < actions; a++) out[a] = (out[a]! + part[a]!) / 2
    } else {
      out.fill(0)
      for (let j = 0; j < count; j++) {
        rewardMeans(x, mean + etas[j]!, part, round)
        for (let a = 0; a < actions; a++) out[a]! += (w[j]! / total) * part[a]!
      }
    }
  }
}
