// Rows of environments A and B with everything known: context, covariate, its mean, both imputers' values, observation.

import type { ReferenceEnvironment } from '@primo/lab'
import { observationProbabilityAt, pretrainedMean, trueCovariateMean } from '@primo/lab'
import type { Random } from '@primo/numeric'

export const CONTEXT_WIDTH = 5

export interface EnvironmentDraws {
  readonly rows: number
  /** rows x 5. */
  readonly context: Float64Array
  /** g*(x). */
  readonly mean: Float64Array
  /** g~(x). */
  readonly pretrained: Float64Array
  /** z* = g*(x) + eta. */
  readonly covariate: Float64Array
  /** e*(x). */
  readonly probability: Float64Array
  readonly observed: Uint8Array
}

export function drawEnvironment(reference: ReferenceEnvironment, rows: number, random: Random): EnvironmentDraws {
  const context = new Float64Array(rows * CONTEXT_WIDTH)
  const mean = new Float64Array(rows)
  const pretrained = new Float64Array(rows)
  const covariate = new Float64Array(rows)
  const probability = new Float64Array(rows)
  const observed = new Uint8Array(rows)
  for (let row = 0; row < rows; row++) {
    const at = row * CONTEXT_WIDTH
    for (let k = 0; k < CONTEXT_WIDTH; k++) context[at + k] = 2 * random.uniform() - 1
    const eta = reference.covariateNoise * (2 * random.uniform() - 1)
    mean[row] = trueCovariateMean(context, at)
    pretrained[row] = pretrainedMean(context, at, mean[row]!, reference.pretrainedBias)
    covariate[row] = mean[row]! + eta
    probability[row] = observationProbabilityAt(reference, context, at, eta)
    observed[row] = random.uniform() < probability[row]! ? 1 : 0
  }
  return { rows, context, mean, pretrained, covariate, probability, observed }
}
