// What knowing a missing value now would be worth (SPEC H): with eta the residual of its imputation,
//   V = E_eta[ max_a f(x, g + eta, a) ] - max_a E_eta[ f(x, g + eta, a) ]  >= 0,
// over the 16 residual points of a number, or the probabilities of a boolean or a category. Other covariates that are missing
// too stay missing. Averaged over missing rows it estimates the regret that nobody avoids without seeing z (the floor).
// Only replies and reports ask for it: the bulk kernel does not pay. Allocates nothing per call.

import { isCorrection } from '../calibration/correction.js'
import { Observed, type RoundBlock } from '../data/round-table.js'
import type { EpochState } from '../epoch/epoch-state.js'
import { spreadScale } from '../imputation/residual-moments.js'
import { normalPoints } from '../imputation/residual-points.js'
import { type Engine, imputationModels, imputationPoints, imputationSpread, oracleInUse } from './engine.js'

/** V for a decided row, in units of the mean reward's range; NaN: the residual's spread is not known. */
export type ValueOfObserving = (block: RoundBlock, row: number, which: number, eligible?: Int32Array) => number

/** null: there is no reward model yet. */
export function compileValueOfObserving(engine: Engine, state: EpochState): ValueOfObserving | null {
  const { rewardModel } = state
  if (rewardModel === null) return null
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = engine.shape
  const { covariates, actions } = engine.encoding
  const models = imputationModels(engine, state)
  const scorer = oracleInUse(engine, state).compile(
    rewardModel,
    imputationSpread(engine, models),
    imputationPoints(models),
  )
  const points = models.map((model) => {
    if (!isCorrection(model) || model.moments === undefined) return null
    return Float64Array.from(model.points ?? normalPoints(model.moments[2] ?? 0))
  })
  const residuals = models.map((model) => (model?.kind === 'correction' ? model : {}))
  const input = {
    context: new Float64Array(p),
    covariates: new Float64Array(m),
    observed: new Uint8Array(c),
    modelSd: new Float64Array(c),
  }
  const scores = new Float64Array(actions.length)
  const means = new Float64Array(actions.length)

  function best(values: Float64Array, eligible: Int32Array | undefined): number {
    let top = Number.NEGATIVE_INFINITY
    const count = eligible === undefined ? values.length : eligible.length
    for (let k = 0; k < count; k++) top = Math.max(top, values[eligible === undefined ? k : eligible[k]!]!)
    return top
  }

  /** Scores the row as it stands and adds them with a weight; returns the weighted best. */
  function add(weight: number, eligible: Int32Array | undefined): number {
    scorer.scores(input, 0, scores)
    for (let a = 0; a < scores.length; a++) means[a] = means[a]! + weight * scores[a]!
    return weight * best(scores, eligible)
  }

  return (block, row, which, eligible) => {
    const { at, width, feature } = covariates[which]!
    if (Number.isNaN(block.pretrained[row * m + at])) return Number.NaN
    const offsets = points[which]
    if (feature.type === 'number' ? offsets == null : models[which]?.kind === 'constant') return Number.NaN
    for (let k = 0; k < p; k++) input.context[k] = block.context[row * p + k]!
    for (let k = 0; k < m; k++) input.covariates[k] = block.covariates[row * m + k]!
    for (let k = 0; k < c; k++) input.observed[k] = block.observed[row * c + k] === Observed.atDecision ? 1 : 0
    for (let k = 0; k < c; k++) input.modelSd[k] = block.modelSd === null ? Number.NaN : block.modelSd[row * c + k]!
    input.observed[which] = 1
    means.fill(0)
    let expected = 0
    const from = row * m + at
    if (feature.type === 'number') {
      const count = offsets!.length
      const scale = spreadScale(residuals[which]!, input.context, 0, input.modelSd[which])
      for (let i = 0; i < count; i++) {
        input.covariates[at] = block.covariates[from]! + scale * offsets![i]!
        expected += add(1 / count, eligible)
      }
    } else if (feature.type === 'boolean') {
      const probability = block.covariates[from]!
      for (let value = 0; value <= 1; value++) {
        input.covariates[at] = value
        expected += add(value === 1 ? probability : 1 - probability, eligible)
      }
    } else {
      for (let level = 0; level < width; level++) {
        for (let k = 0; k < width; k++) input.covariates[at + k] = k === level ? 1 : 0
        expected += add(block.covariates[from + level]!, eligible)
      }
    }
    return Math.max(0, expected - best(means, eligible))
  }
}
