// Elasticities of an environment at its true mean reward f* (method#elasticity), under any mechanism, by Monte Carlo:
//   D_a = f*(x,z*,a) - f*(x,g(x),a),   printed max_a E[D_a^2],   missingOnly E[(1-b) max_a D_a^2] (E6),
//   bias E[(1-b) max_a (E[f*(x,z*,a)|x,b=0] - f*(x,g(x),a))^2] (E46).
// The proofs of Thm 1 and 2 need them at f* only; the printed definition, a supremum over the class, can only be larger.

import type { KnownEnvironment } from '@primo/lab'
import { BLOCK_ROUNDS } from '@primo/numeric'

/** Which model fills a missing value: the true mean g* or the pre-trained g~. */
export type FilledBy = 'true mean' | 'pretrained'

export interface EnvironmentElasticities {
  readonly printed: number
  readonly missingOnly: number
  readonly bias: number
  /** The same averaged over the actions, as a uniform policy plays them: E[(1-b) mean_a (...)^2]. */
  readonly biasUniform: number
  /** Root mean square of what fills a missing value minus g*, over all rounds. */
  readonly delta0: number
  readonly missingShare: number
}

export interface ElasticityOptions {
  readonly filledBy?: FilledBy
  readonly draws: number
  readonly seed: number
}

export function environmentElasticities(
  environment: KnownEnvironment,
  { filledBy = 'pretrained', draws, seed }: ElasticityOptions,
): EnvironmentElasticities {
  const { rewardMeans, problem } = environment.structure
  const actions = problem.actions.length
  const { min, max } = problem.reward.mean ?? problem.reward
  const unit = (max - min) ** 2
  const atImputed = new Float64Array(actions)
  const expected = new Float64Array(actions)
  const byAction = new Float64Array(actions)
  let missingOnly = 0
  let bias = 0
  let biasUniform = 0
  let missing = 0
  let distance = 0
  for (let first = 0, index = 0; first < draws; first += BLOCK_ROUNDS, index++) {
    environment.rows(seed, index, Math.min(BLOCK_ROUNDS, draws - first), (row) => {
      const imputed = filledBy === 'true mean' ? row.mean : row.pretrained
      distance += (imputed - row.mean) ** 2
      rewardMeans(row.x, imputed, atImputed, row.round)
      let most = 0
      for (let a = 0; a < actions; a++) {
        const square = (row.means[a]! - atImputed[a]!) ** 2
        byAction[a]! += square
        if (square > most) most = square
      }
      if (row.observed) return
      missing++
      missingOnly += most
      environment.conditional(row, 'missing', expected)
      let largest = 0
      for (let a = 0; a < actions; a++) {
        const square = (expected[a]! - atImputed[a]!) ** 2
        biasUniform += square / actions
        if (square > largest) largest = square
      }
      bias += largest
    })
  }
  return {
    printed: Math.max(...byAction) / draws / unit,
    missingOnly: missingOnly / draws / unit,
    bias: bias / draws / unit,
    biasUniform: biasUniform / draws / unit,
    delta0: Math.sqrt(distance / draws),
    missingShare: missing / draws,
  }
}
