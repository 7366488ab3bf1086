// q(x, z~, a): the linear reward class of core on the values that the log's decisions used, with an offset where a value was
// missing, each row by a fit that has not seen it. It serves the direct and the doubly robust estimators.

import type { Interactions } from '@primo/core'
import { encodingOf, linearOracle, rewardRows } from '@primo/core/engine'
import { BLOCK_ROUNDS, type Random } from '@primo/numeric'
import type { EvaluationLog } from './evaluation-log.js'
import { subsetOf } from './folds.js'
import type { LogPart } from './log-parts.js'

export interface RewardModelOptions {
  readonly parts: readonly LogPart[]
  readonly random: Random
  /** Products in the linear class; default 'none'. */
  readonly interactions?: Interactions
}

/** Predicted rewards in the user's units, rows x K; the middle of the range where no part judges. */
export function crossFittedRewards(log: EvaluationLog, options: RewardModelOptions): Float64Array {
  const { rounds, problem, choices } = log
  const { parts, random, interactions = 'none' } = options
  const { rows, actions } = choices
  const { min, max } = problem.reward.mean ?? problem.reward
  const indicator = Object.keys(problem.covariates).length > 0 ? 'intercept' : 'none'
  // A prediction may leave the range of the mean by as much as a reward may.
  const span = max - min
  const clip = { min: (problem.reward.min - min) / span, max: (problem.reward.max - min) / span }
  const oracle = linearOracle(encodingOf(problem), { interactions, indicator, clip, width: 'action' })
  const out = new Float64Array(rows * actions).fill((problem.reward.min + problem.reward.max) / 2)
  const scores = new Float64Array(actions)
  for (const { learns, judges, number } of parts) {
    const training = subsetOf(rounds, learns)
    const model = oracle.fit(
      rewardRows(training, { from: 0, to: training.count }, actions),
      random.split('rewards', number),
    )
    const scorer = oracle.compile(model)
    for (let i = 0; i < rows; i++) {
      if (!judges(i)) continue
      scorer.scores(rounds.block(i), i % BLOCK_ROUNDS, scores)
      for (let a = 0; a < actions; a++) out[i * actions + a] = min + span * scores[a]!
    }
  }
  return out
}
