// Rows of (context, covariate, seen or not, action, propensity, reward) whose covariate is hidden by one of five
// mechanisms. The action depends on the covariate where it is seen, as it does in a log.

import type { Random } from '@primo/numeric'

export const mechanismNames = ['at random', 'low hidden', 'high hidden', 'above the mean hidden', 'cancelling'] as const
export type Mechanism = (typeof mechanismNames)[number]

/**
 * The reward of an action is base + slope z; 'product': the first slope depends on the context; 'boolean': so is the
 * covariate.
 */
export const boundsKinds = ['number', 'boolean', 'product', 'yes or no reward'] as const
export type BoundsKind = (typeof boundsKinds)[number]

export interface BoundsRows {
  readonly count: number
  readonly context: Float64Array
  readonly covariate: Float64Array
  readonly observed: Uint8Array
  readonly action: Uint16Array
  readonly propensity: Float64Array
  readonly reward: Float64Array
}

export const CONTEXT_WIDTH = 3
export const ACTIONS = 3
const SLOPES = [0.22, -0.12, 0.04] as const
const INTERCEPTS = [0.45, 0.5, 0.55] as const

const sigmoid = (t: number) => 1 / (1 + Math.exp(-t))

function seenProbability(mechanism: Mechanism, index: number, deviation: number, x: number): number {
  switch (mechanism) {
    case 'at random':
      return sigmoid(index)
    case 'low hidden':
      return sigmoid(index + 2.5 * deviation)
    case 'high hidden':
      return sigmoid(index - 2.5 * deviation)
    case 'above the mean hidden':
      return sigmoid(index + (deviation > 0 ? -1.5 : 1.5))
    case 'cancelling':
      return sigmoid(index + 2.5 * deviation * Math.sign(x))
  }
}

export function boundsRows(kind: BoundsKind, mechanism: Mechanism, count: number, random: Random): BoundsRows {
  const rows = {
    count,
    context: new Float64Array(count * CONTEXT_WIDTH),
    covariate: new Float64Array(count),
    observed: new Uint8Array(count),
    action: new Uint16Array(count),
    propensity: new Float64Array(count),
    reward: new Float64Array(count),
  }
  const x = rows.context
  for (let row = 0, at = 0; row < count; row++, at += CONTEXT_WIDTH) {
    for (let k = 0; k < CONTEXT_WIDTH; k++) x[at + k] = 2 * random.uniform() - 1
    const mean = 0.4 * x[at]! - 0.3 * x[at + 1]! + 0.5 * x[at + 2]! ** 2 - 0.2
    const share = sigmoid(3 * mean)
    const eta = random.normal()
    const z = kind === 'boolean' ? (random.uniform() < share ? 1 : 0) : mean + 0.5 * eta
    const deviation = kind === 'boolean' ? 1.6 * (z - share) : 0.5 * eta
    const seen = random.uniform() < seenProbability(mechanism, x[at + 1]! - 0.7 * x[at]!, deviation, x[at]!)
    const expected = seen ? z : kind === 'boolean' ? share : mean
    const scores = SLOPES.map((slope) => Math.exp(10 * slope * expected))
    const sum = scores.reduce((total, score) => total + score, 0)
    let action = 0
    for (let left = random.uniform() * sum; action < ACTIONS - 1 && left > scores[action]!; action++)
      left -= scores[action]!
    const slope = SLOPES[action]! + (kind === 'product' && action === 0 ? 0.2 * x[at + 1]! : 0)
    const expectedReward = INTERCEPTS[action]! + 0.1 * (action - 1) * x[at]! + slope * z
    rows.covariate[row] = z
    rows.observed[row] = seen ? 1 : 0
    rows.action[row] = action
    rows.propensity[row] = scores[action]! / sum
    rows.reward[row] =
      kind === 'yes or no reward'
        ? random.uniform() < expectedReward
          ? 1
          : 0
        : expectedReward + 0.15 * random.normal()
  }
  return rows
}

/** The mean of the covariate over the rows without it. */
export function meanWhereMissing({ covariate, observed }: BoundsRows): number {
  const missing = covariate.filter((_, row) => observed[row] === 0)
  return missing.reduce((sum, z) => sum + z, 0) / missing.length
}
