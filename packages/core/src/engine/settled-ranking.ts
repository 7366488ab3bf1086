// Is the best action of a decision with a missing value the same for all that rewards allow (method#missing-set)? The set holds means of
// the covariate over missing rows; what is in use has the mean `used`. The decision is settled if
//   argmax_a f(x, z~ + d, a) is the same for every d in [lower - used, upper - used],
// and open if not. Only reports and explanations ask.

import type { RewardSetReport } from '../calibration/reward-checks.js'
import type { InputRow } from '../oracle/oracle.js'
import { type Engine, imputationModels, imputationPoints, imputationSpread, oracleInUse } from './engine.js'
import type { EpochState } from './epoch-state.js'

/** What rewards said last of a covariate where it is missing, and the mean of what is in use; null: they were not asked. */
export function newestSet(state: EpochState, which: number): (RewardSetReport & { readonly inUse: number }) | null {
  for (let k = state.reports.length - 1; k >= 0; k--) {
    const set = state.reports[k]!.covariates[which]?.guard?.set
    if (set !== undefined) return { ...set, inUse: set.used + set.shift }
  }
  return null
}

/** Whether the ranking of a row with a missing covariate is settled; null: nothing is known of it. */
export type SettledRanking = (input: InputRow, row: number, which: number, eligible?: Int32Array) => boolean | null

const MOVES = 9

/** null: there is no reward model yet. */
export function compileSettledRanking(engine: Engine, state: EpochState): SettledRanking | null {
  const { rewardModel } = state
  const { actions, covariates } = engine.encoding
  if (rewardModel === null || rewardModel.degreesOfFreedom.length !== actions.length) return null
  const models = imputationModels(engine, state)
  const scorer = oracleInUse(engine, state).compile(
    rewardModel,
    imputationSpread(engine, models),
    imputationPoints(models),
  )
  const scores = new Float64Array(actions.length)
  const sets = covariates.map((_, which) => newestSet(state, which))
  return (input, row, which, eligible) => {
    const { at, feature } = covariates[which]!
    const set = sets[which]!
    if (set === null || set.limits === null || feature.type === 'category') return null
    const place = row * engine.shape.covariateWidth + at
    const kept = input.covariates[place]!
    const least = feature.type === 'number' ? -1 : 0
    const bestAt = (share: number) => {
      const move = (1 - share) * set.limits!.lower + share * set.limits!.upper - set.inUse
      input.covariates[place] = Math.min(1, Math.max(least, kept + move))
      scorer.scores(input, row, scores)
      const choices = eligible ?? scores.keys()
      let best = -1
      for (const action of choices) if (best < 0 || scores[action]! > scores[best]!) best = action
      return best
    }
    const bests = Array.from({ length: MOVES }, (_, k) => bestAt(k / (MOVES - 1)))
    input.covariates[place] = kept
    return bests.every((best) => best === bests[0])
  }
}
