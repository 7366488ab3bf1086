// One repetition: random folds with observed and missing rows dealt apart; in every fold e-hat(x) and the correction h come from
// the other folds. Power tuning (method#power-tuning): lambda = clip(sum w y h / sum w h^2, 0, 1) over the held-out observed rows,
// y = z - g~, w = 1/e-hat; its standard error sqrt(sum (w h (y - lambda h))^2) / sum w h^2.

import type { ObservationOptions } from '@primo/core'
import {
  type CorrectionClass,
  type CrossFit,
  calibrate,
  calibrationSettings,
  compileCorrection,
  crossFit,
  type Encoding,
  type Folds,
} from '@primo/core/engine'
import type { Random } from '@primo/numeric'
import type { Estimate } from '../tables/weighted-mean.js'
import { type AnalysisRows, rowsWhere } from './analysis-rows.js'

export interface CorrectionSettings {
  /** null: g~ is not corrected. */
  readonly class: CorrectionClass | null
  readonly weights: 'ipw' | 'none'
  /** Radius of the ball in inside units. */
  readonly radius: number | undefined
  readonly observation: ObservationOptions
  readonly floor: number
  readonly folds: number
}

export interface CrossFitted {
  /** e-hat and regressions of every row, from the other folds. */
  readonly nuisances: CrossFit
  /** g~ + lambda h, in the user's units. */
  readonly calibrated: Float64Array
  /** lambda before it is clipped; null: there is no correction. */
  readonly shrinkage: Estimate | null
}

/** Classes of nuisances are those of an earlier repetition, where there is one. */
export function crossFitCorrection(
  rows: AnalysisRows,
  encoding: Encoding,
  settings: CorrectionSettings,
  random: Random,
  earlier?: CrossFitted,
): CrossFitted {
  const { inside, count, observed } = rows
  const nuisances = crossFit(rows, {
    random: random.split('folds'),
    folds: settings.folds,
    ...(earlier === undefined ? {} : { observationClass: earlier.nuisances.observationClass }),
  })
  const { folds, probabilities } = nuisances
  const corrected = new Float64Array(inside.pretrained)
  if (settings.class !== null) {
    for (let fold = 0; fold < folds.count; fold++) correctFold(rows, encoding, settings, folds, fold, random, corrected)
  }
  let cross = 0
  let square = 0
  for (let row = 0; row < count; row++) {
    if (observed[row] !== 1) continue
    const h = corrected[row]! - inside.pretrained[row]!
    const weight = 1 / probabilities[row]!
    cross += weight * h * (inside.truth[row]! - inside.pretrained[row]!)
    square += weight * h * h
  }
  const raw = square > 0 ? cross / square : null
  const lambda = raw === null ? 0 : Math.min(1, Math.max(0, raw))
  let spread = 0
  for (let row = 0; row < count; row++) {
    if (observed[row] !== 1 || raw === null) continue
    const h = corrected[row]! - inside.pretrained[row]!
    spread += ((h * (inside.truth[row]! - inside.pretrained[row]! - raw * h)) / probabilities[row]!) ** 2
  }
  const low = encoding.covariates[0]!.feature.type === 'number' ? -1 : 0
  return {
    nuisances,
    calibrated: inside.pretrained.map((g, row) =>
      rows.decode(Math.min(1, Math.max(low, g + lambda * (corrected[row]! - g)))),
    ),
    shrinkage: raw === null ? null : { value: raw, se: Math.sqrt(spread) / square },
  }
}

function correctFold(
  { inside }: AnalysisRows,
  encoding: Encoding,
  { class: kind, weights, radius, observation }: CorrectionSettings,
  folds: Folds,
  fold: number,
  random: Random,
  out: Float64Array,
): void {
  const covariate = encoding.covariates[0]!
  const minimumRows = kind === 'basis' ? 30 : 8
  const options = { class: kind!, split: 'swap', weights, minimumRows, observation } as const
  const { correction } = calibrate(
    rowsWhere(inside, (row) => folds.of[row] !== fold),
    encoding.context,
    calibrationSettings(options, [covariate.name]),
    radius,
    random.split('correction', fold),
  )
  if (correction === null) return
  const correct = compileCorrection(correction, encoding.context, covariate, 'none')
  const value = new Float64Array(1)
  for (let row = 0; row < inside.count; row++) {
    if (folds.of[row] !== fold) continue
    value[0] = inside.pretrained[row]!
    correct(inside.context, row * inside.contextWidth, value, 0)
    out[row] = value[0]!
  }
}
