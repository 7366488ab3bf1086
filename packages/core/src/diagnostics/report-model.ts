// The model of a covariate that is in use, and its values for the rows of a report.

import { type AnyCorrection, compileCorrection, isCorrection } from '../calibration/correction.js'
import { radiusOf } from '../calibration/settings.js'
import { correctionCompiler, type Engine, imputationModels } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { insideUnit } from '../problem/feature.js'
import type { ReportSample } from './report-sample.js'

export interface CorrectionInUse {
  readonly use: 'pretrained' | 'calibrated' | 'constant'
  /** Class of the correction in use; null: none. */
  readonly rung: string | null
  /** Radius, root mean square of the correction over contexts, whether the ball binds; the covariate's units. */
  readonly ball: { readonly delta0: number | null; readonly size: number; readonly active: boolean }
  /** Standard deviation of what the imputation leaves open; the covariate's units. */
  readonly residualSd: number | null
}

/** The value that the model in use would give each row. */
export function fittedValues(
  state: EpochState,
  engine: Engine,
  sample: ReportSample,
  which: number,
  rows: readonly number[],
): Float64Array {
  const { encoding, shape } = engine
  const { contextWidth: p, covariateWidth: m } = shape
  const covariate = encoding.covariates[which]!
  const { at, width } = covariate
  const model = imputationModels(engine, state)[which] ?? null
  const fitted = new Float64Array(rows.length * width)
  const clip = engine.calibration?.clip ?? 'range'
  const correct = isCorrection(model)
    ? compileCorrection(model, encoding.context, covariate, clip, correctionCompiler(engine))
    : null
  rows.forEach((row, i) => {
    for (let k = 0; k < width; k++) {
      fitted[i * width + k] = model?.kind === 'constant' ? model.values[k]! : sample.block.pretrained[row * m + at + k]!
    }
    correct?.(sample.block.context, row * p, fitted, i * width)
  })
  return fitted
}

export function correctionInUse(
  state: EpochState,
  engine: Engine,
  sample: ReportSample,
  which: number,
  rows: readonly number[],
): CorrectionInUse {
  const { encoding, shape } = engine
  const { name, feature } = encoding.covariates[which]!
  const unit = insideUnit(feature)
  const model = imputationModels(engine, state)[which] ?? null
  const delta0 = engine.calibration === null ? null : (radiusOf(engine.calibration, name) ?? null)
  if (!isCorrection(model)) {
    const use = model?.kind === 'constant' ? ('constant' as const) : ('pretrained' as const)
    return { use, rung: null, ball: { delta0, size: 0, active: false }, residualSd: null }
  }
  const { at, width } = encoding.covariates[which]!
  const correct = compileCorrection(
    model,
    encoding.context,
    encoding.covariates[which]!,
    'none',
    correctionCompiler(engine),
  )
  const values = new Float64Array(width)
  let square = 0
  for (const row of rows) {
    const from = row * shape.covariateWidth + at
    values.set(sample.block.pretrained.subarray(from, from + width))
    correct(sample.block.context, row * shape.contextWidth, values, 0)
    for (let k = 0; k < width; k++) square += (values[k]! - sample.block.pretrained[from + k]!) ** 2
  }
  const folds = newestFolds(state, which)
  const variance = model.moments?.[2]
  return {
    use: isZero(model) ? 'pretrained' : 'calibrated',
    rung: model.class,
    ball: {
      delta0,
      size: rows.length === 0 ? 0 : unit * Math.sqrt(square / rows.length),
      active: folds.some(({ columns }) => columns.some(({ multiplier }) => multiplier > 0)),
    },
    residualSd: variance === undefined ? null : unit * Math.sqrt(variance),
  }
}

function isZero(model: AnyCorrection): boolean {
  if (model.kind === 'imputer') return false
  return model.kind === 'correction'
    ? model.coefficients.every((column) => column.every((value) => value === 0))
    : model.parts.every((parts) => parts.every(({ scale }) => scale === 0))
}

function newestFolds(state: EpochState, which: number) {
  for (let i = state.reports.length - 1; i >= 0; i--) {
    const { calibration } = state.reports[i]!.covariates[which]!
    if (calibration !== null) return calibration.folds
  }
  return []
}
