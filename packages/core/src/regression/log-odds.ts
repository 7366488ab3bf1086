// Log odds of targets 0 and 1 by any function class: the class's own log-loss fit where it has one (trees, networks), else Newton
// steps, each a weighted fit of t + (y - p)/(p (1 - p)) with weights w p (1 - p), t kept within LARGEST_ODDS.

import type { Random } from '@primo/numeric'
import type { Regression, RegressionRows } from './regression.js'
import { fitUsable, type UsableFit } from './usable-fit.js'

const NEWTON_STEPS = 5
const LARGEST_ODDS = 6

/** Fits log odds of targets 0 and 1. */
export function fitLogOdds(regression: Regression, rows: RegressionRows, random: Random): UsableFit {
  let weight = 0
  let sum = 0
  for (let i = 0; i < rows.count; i++) {
    const own = rows.weights === null ? 1 : rows.weights[i]!
    weight += own
    sum += own * rows.targets[i]!
  }
  const share = (sum + 0.5) / (weight + 1)
  const start = Math.log(share / (1 - share))
  if (regression.fitLogOdds !== undefined)
    return fitUsable(regression, rows, random, { logOdds: true, otherwise: start })
  const odds = new Float64Array(rows.count).fill(start)
  const targets = new Float64Array(rows.count)
  const weights = new Float64Array(rows.count)
  let found: UsableFit | null = null
  for (let step = 0; step < NEWTON_STEPS; step++) {
    for (let i = 0; i < rows.count; i++) {
      const p = logistic(odds[i]!)
      const slope = p * (1 - p)
      weights[i] = rows.weights === null ? slope : rows.weights[i]! * slope
      targets[i] = odds[i]! + (rows.targets[i]! - p) / slope
    }
    found = fitUsable(regression, { ...rows, targets, weights, start }, random)
    found.predictor.table(rows.inputs, rows.count, odds)
    for (let i = 0; i < rows.count; i++) odds[i] = Math.min(LARGEST_ODDS, Math.max(-LARGEST_ODDS, odds[i]!))
  }
  return found!
}

export function logistic(t: number): number {
  return t >= 0 ? 1 / (1 + Math.exp(-t)) : Math.exp(t) / (1 + Math.exp(t))
}
