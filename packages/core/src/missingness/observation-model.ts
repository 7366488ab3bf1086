// Observation models e(x) = P(z is observed | x), values in [floor, 1] (the paper's class T with eps0 = floor).
//   constant: e(x) = c.   logit / probit: e(x) = clip(link(w0 + w'x), floor, 1).   class: any function class (class-observation.ts).
//   causes: declared reasons of missing values taken apart (causes-observation.ts).
// The link is fitted without the clip and clipped afterwards (method#observation-model, erratum E22): clipping towards [floor, 1]
// never increases the expected squared loss when e*(x) >= floor.

import { invalidOption, normalDistribution, requireOptions } from '@primo/numeric'
import { type ClassOptions, regressionOf } from '../regression/function-class.js'
import { logistic } from '../regression/log-odds.js'
import { type CausesObservation, causesProbability } from './causes-observation.js'
import { type ClassObservation, classProbability } from './class-observation.js'

interface ConstantObservation {
  readonly kind: 'constant'
  readonly probability: number
  readonly floor: number
}

export interface LinkObservation {
  readonly kind: 'logit' | 'probit'
  /** Intercept, then one weight per context column. */
  readonly weights: readonly number[]
  readonly floor: number
}

/** A fitted probability that a value is seen, given the context. */
export type ObservationModel = ConstantObservation | LinkObservation | ClassObservation | CausesObservation

/** How the probability that a value is seen is modelled. */
export interface ObservationOptions {
  /** Default 'logit'. */
  readonly model?: 'constant' | 'logit' | 'probit' | ClassOptions
  /** 'squared' is the paper's least squares; 'likelihood' is maximum likelihood (the log loss). Default 'squared'. */
  readonly loss?: 'squared' | 'likelihood'
  /** eps0, the smallest probability allowed; in (0, 1], default 0.05. */
  readonly floor?: number
  /** 'isotonic' recalibrates a function class's probabilities by cross-fitted isotonic regression; default 'none'. */
  readonly recalibration?: 'none' | 'isotonic'
}

export type ObservationSettings = Required<ObservationOptions>

/** The options with their defaults, checked. */
export function observationSettings(options: ObservationOptions = {}): ObservationSettings {
  requireOptions('calibration.observation', options, ['model', 'loss', 'floor', 'recalibration'])
  const { model = 'logit', loss = 'squared', floor = 0.05, recalibration = 'none' } = options
  if (typeof model === 'object' && model !== null) regressionOf(model)
  else if (!['constant', 'logit', 'probit'].includes(model))
    invalidOption('observation.model', '"constant", "logit", "probit" or a function class', model)
  if (recalibration !== 'none' && recalibration !== 'isotonic')
    invalidOption('observation.recalibration', '"none" or "isotonic"', recalibration)
  if (loss !== 'squared' && loss !== 'likelihood') invalidOption('observation.loss', '"squared" or "likelihood"', loss)
  if (typeof floor !== 'number' || !(floor > 0 && floor <= 1))
    invalidOption('observation.floor (eps0)', 'in (0, 1]', floor)
  return { model, loss, floor, recalibration }
}

export function clipProbability(probability: number, floor: number): number {
  return probability < floor ? floor : probability > 1 ? 1 : probability
}

/** e(x) for the row of encoded context columns that starts at x[at]. */
export function observationProbability(model: ObservationModel, x: Float64Array, at: number): number {
  if (model.kind === 'class') return classProbability(model, x, at)
  if (model.kind === 'causes') return causesProbability(model, (part) => observationProbability(part, x, at))
  if (model.kind === 'constant') return clipProbability(model.probability, model.floor)
  const { weights } = model
  let index = weights[0]!
  for (let k = 1; k < weights.length; k++) index += weights[k]! * x[at + k - 1]!
  return clipProbability(model.kind === 'logit' ? logistic(index) : normalDistribution(index), model.floor)
}
