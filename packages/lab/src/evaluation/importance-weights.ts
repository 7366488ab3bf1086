// w_i = pi(a_i | x_i) / p_i: how much more often the policy would have played what was played; where rewards are missing, over P(seen)
// as well, and 0 without a reward. Their mean is 1 when the
// propensities are right and the log supports the policy; (sum w)^2 / sum w^2 is how many rows they leave in effect.

import type { LoggedChoices, TargetPropensities } from './logged-choices.js'

export interface WeightReport {
  readonly mean: number
  /** Standard error of the mean. */
  readonly standardError: number
  readonly largest: number
  /** The largest one's share of all weight. */
  readonly largestShare: number
  readonly effectiveRows: number
}

export function importanceWeights(choices: LoggedChoices, target: TargetPropensities): Float64Array {
  const { rows, actions, action, propensity, seen } = choices
  const weights = new Float64Array(rows)
  for (let i = 0; i < rows; i++)
    weights[i] = (target[i * actions + action[i]!]! / propensity[i]!) * (seen === undefined ? 1 : seen[i]!)
  return weights
}

export function weightReport(weights: Float64Array): WeightReport {
  const rows = weights.length
  let sum = 0
  let square = 0
  let largest = 0
  for (const weight of weights) {
    sum += weight
    square += weight * weight
    largest = Math.max(largest, weight)
  }
  const mean = sum / rows
  const variance = rows > 1 ? Math.max(0, square - rows * mean * mean) / (rows - 1) : 0
  return {
    mean,
    standardError: Math.sqrt(variance / rows),
    largest,
    largestShare: sum > 0 ? largest / sum : 0,
    effectiveRows: square > 0 ? (sum * sum) / square : 0,
  }
}
