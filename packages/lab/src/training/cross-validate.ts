// One class on the rows, fold by fold: the score of each row by a model that did not see it, and the loss of what it predicts.

import type { TrainedModel, TrainedTarget } from '@primo/core'
import {
  fitLogOdds,
  fitUsable,
  linkScores,
  type RegressionRows,
  regressionOf,
  rowsAt,
  type UsableModel,
} from '@primo/core/engine'
import type { Random } from '@primo/numeric'
import type { Candidate } from './candidate-classes.js'
import { fitLink } from './link-fit.js'

/** Rows as columns, with the truths that they are about. */
export interface ScoredRowsInput {
  readonly inputs: Float64Array
  readonly width: number
  readonly truths: Float64Array
  readonly weights: Float64Array | null
  readonly target: TrainedTarget
}

/** A class that was cross-validated. */
export interface Validated {
  readonly candidate: Candidate
  /** By fold: the models of each score. */
  readonly models: readonly (readonly UsableModel[])[]
  /** Held-out scores, by score and row. */
  readonly scores: readonly Float64Array[]
  readonly link: TrainedModel['link']
  /** Held-out loss of each row: squared error, or log loss. */
  readonly losses: Float64Array
  /** Weighted mean of these. */
  readonly loss: number
}

/** A model of each score, on all these rows. */
export function fitScores(
  candidate: Candidate,
  { inputs, width, truths, weights, target }: ScoredRowsInput,
  random: Random,
): {
  readonly models: readonly UsableModel[]
  readonly score: (k: number, inputs: Float64Array, at: number) => number
} {
  const regression = regressionOf(candidate.options)
  const rows = { columns: width, count: truths.length, inputs, weights } as const
  const fits = Array.from({ length: scoreCount(target) }, (_, k) => {
    const own = random.split('score', k)
    if (target.type === 'number') return fitUsable(regression, { ...rows, targets: truths }, own)
    const targets = target.type === 'boolean' ? truths : Float64Array.from(truths, (truth) => (truth === k ? 1 : 0))
    return fitLogOdds(regression, { ...rows, targets }, own)
  })
  return {
    models: fits.map(({ fitted }) => fitted),
    score: (k, from, at) => fits[k]!.predictor.row(from, at),
  }
}

export function scoreCount(target: TrainedTarget): number {
  return target.type === 'category' ? target.levels.length : 1
}

export function crossValidate(
  candidate: Candidate,
  rows: ScoredRowsInput,
  folds: Uint8Array,
  random: Random,
  onFold: () => void = () => undefined,
): Validated {
  const { inputs, width, truths, weights, target } = rows
  const count = foldCount(folds)
  const scores = Array.from({ length: scoreCount(target) }, () => new Float64Array(truths.length))
  const all: RegressionRows = { columns: width, count: truths.length, inputs, targets: truths, weights }
  const models: (readonly UsableModel[])[] = []
  for (let fold = 0; fold < count; fold++) {
    const outside = indexesOf(folds, (own) => own !== fold)
    const training = rowsAt(all, outside)
    const fit = fitScores(
      candidate,
      { inputs: training.inputs, width, truths: training.targets, weights: training.weights, target },
      random.split('fold', fold),
    )
    for (let i = 0; i < folds.length; i++) {
      if (folds[i] !== fold) continue
      for (let k = 0; k < scores.length; k++) scores[k]![i] = fit.score(k, inputs, i * width)
    }
    models.push(fit.models)
    onFold()
  }
  const link = fitLink(target, scores, truths, weights)
  const losses = rowLosses(target, link, scores, truths)
  return { candidate, models, scores, link, losses, loss: meanLoss(losses, weights) }
}

/** Folds are numbered from 0. */
export function foldCount(folds: Uint8Array): number {
  return folds.reduce((most, fold) => Math.max(most, fold), 0) + 1
}

function indexesOf(folds: Uint8Array, keep: (fold: number) => boolean): Uint32Array {
  const out = new Uint32Array(folds.length)
  let count = 0
  for (let i = 0; i < folds.length; i++) if (keep(folds[i]!)) out[count++] = i
  return out.slice(0, count)
}

/** Squared error of a number, log loss else, per row. */
export function rowLosses(
  target: TrainedTarget,
  link: TrainedModel['link'],
  scores: readonly Float64Array[],
  truths: Float64Array,
): Float64Array {
  const values = new Float64Array(scores.length)
  return truths.map((truth, i) => {
    for (let k = 0; k < scores.length; k++) values[k] = scores[k]![i]!
    linkScores({ target, link }, values)
    return lossOf(target, values, truth)
  })
}

const LEAST = 1e-15

/** Of predicted values: the number, the probability of true, or one per level. */
export function lossOf(target: TrainedTarget, values: Float64Array, truth: number): number {
  if (target.type === 'number') return (truth - values[0]!) * (truth - values[0]!)
  const p = target.type === 'boolean' ? (truth === 1 ? values[0]! : 1 - values[0]!) : values[truth]!
  return -Math.log(Math.max(LEAST, p))
}

export function meanLoss(losses: Float64Array, weights: Float64Array | null): number {
  let [sum, total] = [0, 0]
  for (let i = 0; i < losses.length; i++) {
    const weight = weights === null ? 1 : weights[i]!
    sum += weight * losses[i]!
    total += weight
  }
  return sum / total
}
