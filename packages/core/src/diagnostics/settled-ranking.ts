// Is the best action of a decision with a missing value the same for all that rewards allow (method#missing-set)? The set holds means of
// the covariate over missing rows; what is in use has the mean `used`. The decision is settled if
//   argmax_a f(x, z~ + d, a) is the same for every d in [lower - used, upper - used],
// and open if not. Only reports and explanations ask.

import { type Engine, imputationModels, imputationPoints, imputationSpread } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import type { InputRow } from '../oracle/oracle.js'
import { insideUnit } from '../problem/feature.js'

/** What rewards allow the mean of a covariate to be where it is missing, in its units (method#missing-set). */
export interface AllowedMean {
  /** 95% limits, 99% ones where no values agree with the rewards at 95%; null: no values agree with the rewards, whose noise then depends on why values are missing. */
  readonly limits: { readonly lower: number; readonly upper: number } | null
  /** The mean of what stands in for it. */
  readonly used: number
}

/** Whether the ranking of a row with a missing covariate is settled; null: nothing is known of it. */
export type SettledRanking = (input: InputRow, row: number, which: number, eligible?: Int32Array) => boolean | null

const MOVES = 9

/** `allowed` by covariate; undefined: nothing is known of it. null: there is no reward model yet. */
export function compileSettledRanking(
  engine: Engine,
  state: EpochState,
  allowed: readonly (AllowedMean | undefined)[],
): SettledRanking | null {
  const { rewardModel } = state
  const { actions, covariates } = engine.encoding
  if (rewardModel === null || rewardModel.degreesOfFreedom.length !== actions.length) return null
  const models = imputationModels(engine, state)
  const scorer = engine.oracle.compile(rewardModel, imputationSpread(engine, models), imputationPoints(models))
  const scores = new Float64Array(actions.length)
  return (input, row, which, eligible) => {
    const { at, feature } = covariates[which]!
    const { limits = null, used = 0 } = allowed[which] ?? {}
    if (limits === null || feature.type === 'category') return null
    const place = row * engine.shape.covariateWidth + at
    const kept = input.covariates[place]!
    const least = feature.type === 'number' ? -1 : 0
    const bestAt = (share: number) => {
      const move = (1 - share) * limits.lower + share * limits.upper - used
      input.covariates[place] = Math.min(1, Math.max(least, kept + move / insideUnit(feature)))
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
