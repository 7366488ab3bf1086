// A policy: the state between two ends of epochs compiled for deciding. One row goes in (context, what was observed, the
// pre-trained values), one action comes out: impute, score, weigh, draw. Used by the learner for one request and by the
// lab for whole columns; owns its scratch space and allocates nothing per row.

import { type Corrector, compileCorrection } from '../calibration/correction.js'
import { Observed, type RoundBlock } from '../data/round-table.js'
import type { EpochState } from '../epoch/epoch-state.js'
import { inverseGapWeighting } from '../exploration/inverse-gap-weighting.js'
import { raiseToMinimum } from '../exploration/minimum-propensity.js'
import { categorical } from '../random/draw.js'
import type { Engine } from './engine.js'

export interface Policy {
  /** Scores and propensities of the row last decided, by action; an action that was not eligible has propensity 0. */
  readonly scores: Float64Array
  readonly propensities: Float64Array
  /**
   * Decides the row: writes z-tilde of missing covariates, the action and its propensity into the block and returns the
   * action. Reads the context, `observed`, `pretrained`, and z-tilde where a covariate was observed or fell back.
   */
  readonly decide: (block: RoundBlock, row: number, draw: number, eligible?: Int32Array) => number
}

export function compilePolicy(engine: Engine, state: EpochState): Policy {
  const { contextWidth, covariateWidth, covariateCount } = engine.shape
  const { minimumPropensity } = engine
  const { gamma, rewardModel } = state
  const actions = engine.encoding.actions.length
  const scorer = rewardModel === null ? null : engine.oracle.compile(rewardModel)
  const scores = new Float64Array(actions)
  const propensities = new Float64Array(actions)
  const chosenScores = new Float64Array(actions)
  const chosen = new Float64Array(actions)
  const at = Int32Array.from(engine.encoding.covariates, (covariate) => covariate.at)
  const widths = Int32Array.from(engine.encoding.covariates, (covariate) => covariate.width)
  const correctors: readonly (Corrector | null)[] = engine.encoding.covariates.map((covariate, which) => {
    const correction = state.corrections[which]
    return correction == null || engine.calibration === null
      ? null
      : compileCorrection(correction, engine.encoding.context, covariate, engine.calibration.clip)
  })

  function impute(block: RoundBlock, row: number): void {
    for (let which = 0; which < covariateCount; which++) {
      if (block.observed[row * covariateCount + which] === Observed.atDecision) continue
      const to = row * covariateWidth + at[which]!
      // Without a prediction the row keeps the fallback that was written with it.
      if (Number.isNaN(block.pretrained[to])) continue
      for (let k = 0; k < widths[which]!; k++) block.covariates[to + k] = block.pretrained[to + k]!
      correctors[which]?.(block.context, row * contextWidth, block.covariates, to)
    }
  }

  function weigh(values: Float64Array, count: number, out: Float64Array): void {
    inverseGapWeighting(values, count, gamma, out)
    if (minimumPropensity > 0) raiseToMinimum(out, count, minimumPropensity)
  }

  return {
    scores,
    propensities,
    decide: (block, row, draw, eligible) => {
      impute(block, row)
      if (scorer !== null)
        scorer.scores(block.context, row * contextWidth, block.covariates, row * covariateWidth, scores)
      let action: number
      if (eligible === undefined) {
        weigh(scores, actions, propensities)
        action = categorical(propensities, actions, draw)
      } else {
        const count = eligible.length
        for (let k = 0; k < count; k++) chosenScores[k] = scores[eligible[k]!]!
        weigh(chosenScores, count, chosen)
        propensities.fill(0)
        for (let k = 0; k < count; k++) propensities[eligible[k]!] = chosen[k]!
        action = eligible[categorical(chosen, count, draw)]!
      }
      block.action[row] = action
      block.propensity[row] = propensities[action]!
      return action
    },
  }
}
