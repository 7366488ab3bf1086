// What a trained model says of a context, by additions, products, quotients and comparisons alone: the same bits in every engine.
//   number:    value = score, kept within the range it was trained on; sd by the place of the value among the cuts
//   boolean:   p = 1/(1 + exp(-(slope score + offset)))
//   category:  p_k = exp(t_k) / sum exp(t),  t_k = slope score_k + offset_k, less the largest

import { portableExp, portableTanh } from '@primo/numeric'
import type { Context, Prediction } from '../problem/imputer.js'
import {
  type TrainedFeature,
  type TrainedModel,
  type TrainedTarget,
  trainedWidth,
  writeTrainedFeature,
} from '../problem/trained-model.js'
import { compileModel } from '../regression/function-class.js'
import type { Predictor } from '../regression/regression.js'
import { compileUsable } from '../regression/usable-fit.js'

const PORTABLE = { exp: portableExp, tanh: portableTanh }

/** The scores of a trained model, each a function of the row of columns. */
export function compileScores(model: Pick<TrainedModel, 'features' | 'columns' | 'scores'>): readonly Predictor[] {
  const width = trainedWidth(model.features, model.columns)
  return model.scores.map((score) => compileUsable(score, compileModel(score.model, PORTABLE), width))
}

/** Writes probabilities (of true, or one per level) or the number itself over scores. */
export function linkScores({ target, link }: Pick<TrainedModel, 'target' | 'link'>, scores: Float64Array): void {
  if (target.type === 'number') {
    scores[0] = Math.min(target.max, Math.max(target.min, scores[0]!))
    return
  }
  let largest = 0
  for (let k = 0; k < scores.length; k++) {
    scores[k] = link.slope * scores[k]! + link.offsets[k]!
    if (k === 0 || scores[k]! > largest) largest = scores[k]!
  }
  if (target.type === 'boolean') {
    scores[0] = 1 / (1 + portableExp(-scores[0]!))
    return
  }
  let sum = 0
  for (let k = 0; k < scores.length; k++) {
    scores[k] = portableExp(scores[k]! - largest)
    sum += scores[k]!
  }
  for (let k = 0; k < scores.length; k++) scores[k] = scores[k]! / sum
}

/** The sd that goes with a predicted number. */
export function spreadAt({ spread }: Pick<TrainedModel, 'spread'>, value: number): number {
  let place = 0
  while (place < spread!.cuts.length && value > spread!.cuts[place]!) place++
  return spread!.sd[place]!
}

/** A memo, not state: models are immutable. */
const compiled = new WeakMap<TrainedModel, (context: Context) => Prediction>()

/** What a trained model predicts. */
export function predictTrained(model: TrainedModel, context: Context): Prediction {
  let predict = compiled.get(model)
  if (predict === undefined) {
    predict = compileTrained(model)
    compiled.set(model, predict)
  }
  return predict(context)
}

function compileTrained(model: TrainedModel): (context: Context) => Prediction {
  const { features, columns, target } = model
  const row = new Float64Array(trainedWidth(features, columns))
  const predictors = compileScores(model)
  const scores = new Float64Array(predictors.length)
  return (context) => {
    let at = 0
    for (const feature of features)
      at = writeTrainedFeature(feature, columns, inputOf(feature, context[feature.name]), row, at)
    predictors.forEach((predictor, k) => {
      scores[k] = predictor.row(row, 0)
    })
    linkScores(model, scores)
    return said(target, scores, model)
  }
}

function said(target: TrainedTarget, values: Float64Array, model: TrainedModel): Prediction {
  if (target.type === 'number') return { value: values[0]!, sd: spreadAt(model, values[0]!) }
  if (target.type === 'boolean') return values[0]!
  return Object.fromEntries(target.levels.map((level, k) => [level, values[k]!]))
}

/** A value as the model counts it; whatever it cannot read is missing. */
function inputOf(feature: TrainedFeature, value: unknown): number {
  if (feature.type === 'category') return typeof value === 'string' ? feature.levels.indexOf(value) : -1
  if (typeof value === 'number') return value
  return typeof value === 'boolean' ? Number(value) : Number.NaN
}
