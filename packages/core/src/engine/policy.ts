// A policy: the state between two ends of epochs compiled for deciding. One row goes in (context, what was observed, the
// pre-trained values), one action comes out: impute, score, weigh, draw. Used by the learner for one request and by the
// lab for whole columns; owns its scratch space and allocates nothing per row.

import { categorical } from '@primo/numeric'
import type { Weighing } from '../exploration/exploration-rule.js'
import { inverseGapWeighting } from '../exploration/inverse-gap-weighting.js'
import { raiseToMinimum } from '../exploration/minimum-propensity.js'
import { compileCombiner } from '../imputation/ensemble.js'
import { compileImputation } from '../imputation/impute-row.js'
import { compileRowsImputation, type RowsImputer } from '../imputation/impute-rows.js'
import { LARGEST_WIDTH } from '../oracle/reward-noise.js'
import type { RoundBlock } from '../rounds/round-table.js'
import { correctionCompiler, type Engine, imputationModels, imputationPoints, imputationSpread } from './engine.js'
import type { EpochState } from './epoch-state.js'

/** Decides rows of a block; frozen between two ends of epochs. */
export interface Policy {
  /** Scores and propensities of the row last decided, by action; an action that was not eligible has propensity 0. */
  readonly scores: Float64Array
  readonly propensities: Float64Array
  /**
   * Decides the row: writes z-tilde of missing covariates, the action and its propensity into the block and returns the
   * action. Reads the context, `observed`, `pretrained`, and z-tilde where a covariate was observed or fell back.
   */
  readonly decide: (block: RoundBlock, row: number, draw: number, eligible?: Int32Array) => number
  /**
   * Decides rows start ... end - 1 with draws[0], draws[1], ...: the same as `decide` for one after the other, to the bit. Writes
   * the propensities to `propensities`, row-major by action, and leaves those of the policy alone.
   */
  readonly decideRows: (
    block: RoundBlock,
    start: number,
    end: number,
    draws: Float64Array,
    propensities: Float64Array,
  ) => void
}

/** Rows that are scored, weighed and drawn before the next ones. */
const ROWS = 256

/** The policy of a state as functions on rows, with scratch space for one thread. */
export function compilePolicy(engine: Engine, state: EpochState): Policy {
  const { covariateWidth } = engine.shape
  const { minimumPropensity } = engine
  const { gamma, rewardModel } = state
  const actions = engine.encoding.actions.length
  const models = imputationModels(engine, state)
  const scorer =
    rewardModel === null
      ? null
      : engine.oracle.compile(rewardModel, imputationSpread(engine, models), imputationPoints(models))
  const scores = new Float64Array(actions)
  const propensities = new Float64Array(actions)
  const chosenScores = new Float64Array(actions)
  const chosen = new Float64Array(actions)
  const widths = new Float64Array(actions)
  const chosenWidths = new Float64Array(actions)
  const clip = engine.calibration?.clip ?? 'range'
  const compile = correctionCompiler(engine)
  const impute = compileImputation(engine.encoding, models, clip, compile)
  const combine = compileCombiner(engine.encoding, engine.ensembles, engine.shape.memberWidth ?? 0, state.ensembles)
  const { exploration: rule } = engine
  // Until something was learnt play is uniform.
  const weighScores: Weighing =
    rewardModel === null ? weighAlike : rule.compile({ actions, gamma, fitted: rewardModel })

  // Actions added since the newest fit.
  const known = rewardModel?.degreesOfFreedom.length ?? actions

  const weigh: Weighing = (values, spreads, count, out, at = 0, eligible) => {
    weighScores(values, spreads, count, out, at, eligible)
    if (minimumPropensity > 0) raiseToMinimum(out, count, minimumPropensity, at)
  }

  function score(block: RoundBlock, row: number): void {
    if (scorer === null) return
    if (scorer.scoreRows !== undefined) scorer.scoreRows(block, row, 1, scores, rule.usesWidths ? widths : null)
    else {
      scorer.scores(block, row, scores)
      if (rule.usesWidths) scorer.widths(widths)
    }
    if (known < actions) writeUnknown(scores, widths, known, actions)
  }

  let rowsImputer: RowsImputer | undefined
  let rows = new Int32Array(0)

  function imputeRows(block: RoundBlock, start: number, end: number): void {
    const count = end - start
    rowsImputer ??= compileRowsImputation(engine.encoding, models, clip, compile)
    if (rows.length < count) rows = new Int32Array(count)
    for (let i = 0; i < count; i++) rows[i] = start + i
    rowsImputer(block, rows, count, block.covariates)
  }

  // Of as many rows as are taken through scoring and weighing before the next ones.
  let rowScores = new Float64Array(0)
  let rowWidths = new Float64Array(0)
  let rowPropensities = new Float64Array(0)

  function scoreRows(block: RoundBlock, first: number, count: number): void {
    if (rowScores.length === 0) {
      rowScores = new Float64Array(ROWS * actions)
      rowWidths = new Float64Array(ROWS * actions)
      rowPropensities = new Float64Array(ROWS * actions)
    }
    if (known === actions && scorer?.scoreRows !== undefined) {
      scorer.scoreRows(block, first, count, rowScores, rule.usesWidths ? rowWidths : null)
      return
    }
    for (let row = 0; row < count; row++) {
      score(block, first + row)
      rowScores.set(scores, row * actions)
      rowWidths.set(widths, row * actions)
    }
  }

  return {
    scores,
    propensities,
    decideRows: (block, start, end, draws, out) => {
      if (combine !== null) for (let row = start; row < end; row++) combine(block, row, block.pretrained)
      imputeRows(block, start, end)
      for (let first = start; first < end; first += ROWS) {
        const count = Math.min(ROWS, end - first)
        const before = first - start
        scoreRows(block, first, count)
        for (let row = 0; row < count; row++) weigh(rowScores, rowWidths, actions, rowPropensities, row * actions)
        for (let row = 0; row < count; row++) {
          const action = categorical(rowPropensities, actions, draws[before + row]!, row * actions)
          block.action[first + row] = action
          block.propensity[first + row] = rowPropensities[row * actions + action]!
        }
        out.set(rowPropensities.subarray(0, count * actions), before * actions)
      }
    },
    decide: (block, row, draw, eligible) => {
      combine?.(block, row, block.pretrained)
      impute(block, row, block.covariates, row * covariateWidth)
      score(block, row)
      let action: number
      if (eligible === undefined) {
        weigh(scores, widths, actions, propensities)
        action = categorical(propensities, actions, draw)
      } else {
        const count = eligible.length
        for (let k = 0; k < count; k++) {
          chosenScores[k] = scores[eligible[k]!]!
          chosenWidths[k] = widths[eligible[k]!]!
        }
        weigh(chosenScores, chosenWidths, count, chosen, 0, eligible)
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

const weighAlike: Weighing = (scores, _widths, count, out, at) => inverseGapWeighting(scores, count, 0, out, at)

/** An action that no fit has seen: the mean of the known scores, and as uncertain as can be. */
export function writeUnknown(scores: Float64Array, widths: Float64Array, known: number, actions: number): void {
  let sum = 0
  for (let a = 0; a < known; a++) sum += scores[a]!
  for (let a = known; a < actions; a++) {
    scores[a] = sum / known
    widths[a] = LARGEST_WIDTH
  }
}
