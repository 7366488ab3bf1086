// What knowing a missing value now would be worth (method#value-of-observing): with eta the residual of its imputation,
//   V = E_eta[ max_a f(x, g + eta, a) ] - max_a E_eta[ f(x, g + eta, a) ]  >= 0,
// over the 16 residual points of a number, or the probabilities of a boolean or a category. Where f is a line in z, clipped, one
// row is scored for all points; else a row for each. Other covariates that are missing too stay missing. Averaged over missing
// rows it estimates the regret that nobody avoids without seeing z (the floor). Only replies and reports ask for it: the bulk
// kernel does not pay. Allocates nothing per call.

import { isCorrection } from '../calibration/correction.js'
import type { ScoreLines } from '../oracle/oracle.js'
import { normalPoints } from '../residuals/residual-points.js'
import { Observed, type RoundBlock } from '../rounds/round-table.js'
import { type Engine, imputationModels, imputationPoints, imputationSpread } from './engine.js'
import type { EpochState } from './epoch-state.js'
import { writeUnknown } from './policy.js'

/** V for a decided row, in units of the mean reward's range; NaN: the residual's spread is not known. */
export type ValueOfObserving = (block: RoundBlock, row: number, which: number, eligible?: Int32Array) => number

/** null: there is no reward model yet. */
export function compileValueOfObserving(engine: Engine, state: EpochState): ValueOfObserving | null {
  const { rewardModel } = state
  if (rewardModel === null) return null
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = engine.shape
  const { covariates, actions } = engine.encoding
  const models = imputationModels(engine, state)
  const scorer = engine.oracle.compile(rewardModel, imputationSpread(engine, models), imputationPoints(models))
  const points = models.map((model) => {
    if (!isCorrection(model) || model.moments === undefined) return null
    return Float64Array.from(('points' in model ? model.points : null) ?? normalPoints(model.moments[2] ?? 0))
  })
  // A row for each value that the covariate may have.
  const values = Math.max(
    1,
    ...covariates.map(({ feature, width }, k) =>
      feature.type === 'number' ? (points[k]?.length ?? 0) : Math.max(2, width),
    ),
  )
  const input = {
    context: new Float64Array(values * p),
    covariates: new Float64Array(values * m),
    observed: new Uint8Array(values * c),
  }
  // Actions added since the newest fit have no lines.
  const known = rewardModel.degreesOfFreedom.length
  const lines = covariates.map(({ feature, at }) =>
    feature.type === 'number' && known === actions.length ? (scorer.lines?.(at) ?? null) : null,
  )
  const constants = new Float64Array(actions.length)
  const slopes = new Float64Array(actions.length)
  const tried = new Float64Array(values)
  const tops = new Float64Array(values)
  const weights = new Float64Array(values)
  const scores = new Float64Array(values * actions.length)
  const oneRow = new Float64Array(actions.length)
  const noWidths = new Float64Array(actions.length)
  const means = new Float64Array(actions.length)

  function best(of: Float64Array, at: number, eligible: Int32Array | undefined): number {
    let top = Number.NEGATIVE_INFINITY
    const count = eligible === undefined ? actions.length : eligible.length
    for (let k = 0; k < count; k++) top = Math.max(top, of[at + (eligible === undefined ? k : eligible[k]!)]!)
    return top
  }

  function scoreRows(count: number): void {
    if (known === actions.length && scorer.scoreRows !== undefined) {
      scorer.scoreRows(input, 0, count, scores, null)
      return
    }
    for (let i = 0; i < count; i++) {
      scorer.scores(input, i, oneRow)
      if (known < actions.length) writeUnknown(oneRow, noWidths, known, actions.length)
      scores.set(oneRow, i * actions.length)
    }
  }

  /** The row as it would be with this covariate observed, in `count` copies. */
  function copyRow(block: RoundBlock, row: number, which: number, count: number): void {
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < p; k++) input.context[i * p + k] = block.context[row * p + k]!
      for (let k = 0; k < m; k++) input.covariates[i * m + k] = block.covariates[row * m + k]!
      for (let k = 0; k < c; k++)
        input.observed[i * c + k] = k === which || block.observed[row * c + k] === Observed.atDecision ? 1 : 0
    }
  }

  /** V over equally likely values of a covariate that f is a clipped line in, for the row that stands in the input. */
  function alongLines(
    { min, max, write }: ScoreLines,
    values: Float64Array,
    count: number,
    eligible: Int32Array | undefined,
  ): number {
    write(input, 0, constants, slopes)
    const weight = 1 / count
    let most = Number.NEGATIVE_INFINITY
    for (let i = 0; i < count; i++) tops[i] = Number.NEGATIVE_INFINITY
    const choices = eligible === undefined ? actions.length : eligible.length
    for (let k = 0; k < choices; k++) {
      const a = eligible === undefined ? k : eligible[k]!
      const constant = constants[a]!
      const slope = slopes[a]!
      let mean = 0
      for (let i = 0; i < count; i++) {
        const line = constant + slope * values[i]!
        const score = line < min ? min : line > max ? max : line
        mean += weight * score
        if (score > tops[i]!) tops[i] = score
      }
      if (mean > most) most = mean
    }
    let expected = 0
    for (let i = 0; i < count; i++) expected += weight * tops[i]!
    return Math.max(0, expected - most)
  }

  return (block, row, which, eligible) => {
    const { at, width, feature } = covariates[which]!
    if (Number.isNaN(block.pretrained[row * m + at])) return Number.NaN
    const offsets = points[which]
    if (feature.type === 'number' ? offsets == null : models[which]?.kind === 'constant') return Number.NaN
    const from = row * m + at
    const count = feature.type === 'number' ? offsets!.length : feature.type === 'boolean' ? 2 : width
    const line = lines[which] ?? null
    copyRow(block, row, which, line === null ? count : 1)
    if (feature.type === 'number') {
      for (let i = 0; i < count; i++) tried[i] = block.covariates[from]! + offsets![i]!
      if (line !== null) return alongLines(line, tried, count, eligible)
      for (let i = 0; i < count; i++) {
        weights[i] = 1 / count
        input.covariates[i * m + at] = tried[i]!
      }
    } else if (feature.type === 'boolean') {
      const probability = block.covariates[from]!
      for (let value = 0; value <= 1; value++) {
        weights[value] = value === 1 ? probability : 1 - probability
        input.covariates[value * m + at] = value
      }
    } else {
      for (let level = 0; level < width; level++) {
        weights[level] = block.covariates[from + level]!
        for (let k = 0; k < width; k++) input.covariates[level * m + at + k] = k === level ? 1 : 0
      }
    }
    scoreRows(count)
    means.fill(0)
    let expected = 0
    for (let i = 0; i < count; i++) {
      const first = i * actions.length
      for (let a = 0; a < actions.length; a++) means[a] = means[a]! + weights[i]! * scores[first + a]!
      expected += weights[i]! * best(scores, first, eligible)
    }
    return Math.max(0, expected - best(means, 0, eligible))
  }
}
