// The mean of a value v that is seen only where b = 1, under MAR, over all rows or over the missing ones (augmented inverse
// probability weighting with cross-fitted e and m = E[v | x, b = 1]; right if either is). Over the missing rows it is the ratio of
// E[(1 - b) v] to the share missing, which is estimated too. Several repetitions are joined by their median (Chernozhukov and
// others 2018):  theta = median theta_r,  se = sqrt(median (se_r^2 + (theta_r - theta)^2)).

import { aipwInfluence, influenceInterval } from '@primo/core/engine'
import { studentQuantile } from '@primo/numeric'
import type { Estimate } from '../tables/weighted-mean.js'

export interface IntervalEstimate extends Estimate {
  /** 95% interval; null: the rows cannot support one, and the notes say why. */
  readonly low: number | null
  readonly high: number | null
}

export interface AugmentedMean extends Estimate {
  readonly degrees: number
}

export interface AugmentedMeanInput {
  readonly values: Float64Array
  readonly observed: Uint8Array
  readonly probabilities: Float64Array
  readonly regression: Float64Array
}

/** `scale` as in core's intervals of means: 'log' for what is never below 0. */
export type MeanScale = 'linear' | 'log'

export function augmentedMean(
  input: AugmentedMeanInput,
  target: 'all' | 'missing',
  scale: MeanScale = 'linear',
): AugmentedMean {
  const { observed } = input
  const { estimate, influence } = aipwInfluence({ ...input, target })
  const missing = observed.reduce((sum, b) => sum + 1 - b, 0)
  const share = target === 'all' ? 1 : missing / observed.length
  const value = estimate / share
  if (target === 'missing')
    for (let row = 0; row < influence.length; row++)
      influence[row] = (influence[row]! + estimate - value * (1 - observed[row]!)) / share
  const { standardError, degrees } = influenceInterval(value, influence, { level: 0.95, scale })
  return { value, se: standardError, degrees }
}

export function joinRepetitions(
  estimates: readonly AugmentedMean[],
  { scale, supported }: { readonly scale: MeanScale; readonly supported: boolean },
): IntervalEstimate {
  const value = median(estimates.map((one) => one.value))
  const se = Math.sqrt(median(estimates.map((one) => one.se ** 2 + (one.value - value) ** 2)))
  if (!supported) return { value, se, low: null, high: null }
  const half = studentQuantile(0.975, median(estimates.map(({ degrees }) => degrees))) * se
  if (scale === 'linear' || value <= 0) return { value, se, low: value - half, high: value + half }
  const factor = Math.exp(half / value)
  return { value, se, low: value / factor, high: value * factor }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}
