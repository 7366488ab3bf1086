// Draws the rounds of a block, one row after the other, from the stream (seed, 'world', block): context, eta, observation
// and reward in this order, each round taking what it needs. What only some environments have (an input that the model
// alone sees, its random error) comes from streams of its own: turning such a dial leaves everything else as it was.

import { BLOCK_ROUNDS, Random } from '@primo/numeric'
import { covariateDraw } from './covariate-law.js'
import { meanAt, predictionAt } from './imputers.js'
import type { Mechanism } from './mechanisms.js'
import type { Structure } from './structure.js'

/** One round with all that is behind it, in the user's units. The same object is used for every round of a block. */
export interface Row {
  round: number
  readonly x: Float64Array
  /** The covariate's mean given all that a policy may learn without seeing it: x and, where there is one, the model's input. */
  mean: number
  z: number
  observed: boolean
  pretrained: number
  /** f*(x, z*, a) and realised rewards, by action. */
  readonly means: Float64Array
  readonly rewards: Float64Array
}

export type RowVisitor = (row: Row, at: number) => void

export function rowSource(
  structure: Structure,
  mechanism: Mechanism | null,
): (seed: number, index: number, count: number, visit: RowVisitor) => void {
  const { problem, drawContext, covariate, rewardMeans, realise } = structure
  const features = Object.keys(problem.context).length
  const actions = problem.actions.length
  const range = covariateRange(structure)
  return (seed, index, count, visit) => {
    const random = Random.fromSeed(seed).split('world', index)
    const inputs = random.split('input')
    const errors = random.split('error')
    const probability = mechanism?.bind(seed)
    const drawCovariate = covariate === null ? () => 0 : covariateDraw(covariate)
    const row: Row = {
      round: 0,
      x: new Float64Array(features),
      mean: 0,
      z: 0,
      observed: false,
      pretrained: Number.NaN,
      means: new Float64Array(actions),
      rewards: new Float64Array(actions),
    }
    const { x, means, rewards } = row
    for (let at = 0; at < count; at++) {
      const round = index * BLOCK_ROUNDS + at
      row.round = round
      drawContext(random, x)
      if (covariate !== null && probability !== undefined) {
        const { imputer, inputUnit } = covariate
        const before = covariate.mean(x)
        const input = imputer.extra > 0 ? imputer.extra * inputUnit * (2 * inputs.uniform() - 1) : 0
        const mean = clip(meanAt(covariate, x, before, round) + input, range)
        const z = drawCovariate(mean, random.uniform())
        row.mean = mean
        row.z = z
        row.observed = random.uniform() < probability(x, z - mean, round)
        const error = imputer.noise > 0 ? 2 * errors.uniform() - 1 : 0
        row.pretrained = clip(predictionAt(covariate, x, before, input, error), range)
      }
      rewardMeans(x, row.z, means, round)
      realise(x, row.z, means, random.uniform(), rewards)
      visit(row, at)
    }
  }
}

interface Range {
  readonly min: number
  readonly max: number
}

function clip(value: number, range: Range): number {
  return value < range.min ? range.min : value > range.max ? range.max : value
}

function covariateRange(structure: Structure): Range {
  const [spec] = Object.values(structure.problem.covariates)
  return spec?.type === 'number' ? spec : { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY }
}
