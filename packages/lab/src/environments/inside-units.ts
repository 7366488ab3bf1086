// From the user's units to the units inside: numbers to [-1, 1], booleans 0 or 1, categories one-hot, rewards in units of
// the mean reward's range. Every inside value is one that survives the way out and back bit by bit, so that a table
// written in the user's units and read again is the same stream.

import type { NumberFeature, Problem } from '@primo/core'
import { encodingOf, scaleNumber, unscaleNumber } from '@primo/core/engine'

export interface InsideUnits {
  readonly contextWidth: number
  /** Encodes a context (one number per feature) to out[at ...]. */
  readonly writeContext: (x: Float64Array, out: Float64Array, at: number) => void
  readonly covariate: (value: number) => number
  readonly reward: (value: number) => number
  /** A difference of rewards. */
  readonly rewardSpan: (difference: number) => number
}

export function insideUnits(problem: Problem): InsideUnits {
  const encoding = encodingOf(problem)
  const { contextWidth } = encoding
  const features = encoding.context.map(({ feature }) => feature)
  const starts = Int32Array.from(encoding.context, ({ at }) => at)
  const covariate = encoding.covariates[0]?.feature
  const { min, max } = problem.reward.mean ?? problem.reward
  const span = max - min
  const plain = min === 0 && span === 1
  return {
    contextWidth,
    writeContext: (x, out, at) => {
      for (let k = 0; k < features.length; k++) {
        const feature = features[k]!
        const to = at + starts[k]!
        if (feature.type === 'number') out[to] = settledNumber(feature, x[k]!)
        else if (feature.type === 'boolean') out[to] = x[k]!
        // Arrays start at zero: only the level's own column is written.
        else out[to + x[k]!] = 1
      }
    },
    covariate: (value) => (covariate?.type === 'number' ? settledNumber(covariate, value) : value),
    reward: (value) => (plain ? value + 0 : settledReward(min, span, value)),
    rewardSpan: (difference) => difference / span,
  }
}

const STEPS = 8

/** The inside value s next to scaleNumber(value) with scaleNumber(unscaleNumber(s)) === s. */
function settledNumber(feature: NumberFeature, value: number): number {
  return settledInside(feature, scaleNumber(feature, value))
}

/** The same next to an inside value. */
export function settledInside(feature: NumberFeature, near: number): number {
  let inside = near
  for (let step = 0; step < STEPS; step++) {
    const again = scaleNumber(feature, unscaleNumber(feature, inside))
    if (again === inside) break
    inside = again
  }
  return inside
}

/** The same for rewards, whose inside value is (value - min) / span. */
export function settledReward(min: number, span: number, value: number): number {
  let inside = (value - min) / span + 0
  for (let step = 0; step < STEPS; step++) {
    const again = (inside * span + min - min) / span + 0
    if (again === inside) break
    inside = again
  }
  return inside
}
