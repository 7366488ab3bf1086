// The calibration of a column of predictions against a covariate that is observed in part of the rows (method#calibration,
// method#analysis).

import type { ObservationOptions } from '@primo/core'
import { type CorrectionClass, observationSettings } from '@primo/core/engine'
import { PrimoError, Random } from '@primo/numeric'
import { calibratedNames } from './calibrated-columns.js'
import { calibrationCurve } from './calibration-curve.js'
import { CalibrationFits, type FitSettings, type Shrunk } from './calibration-fit.js'
import type { CalibrationReport } from './calibration-report.js'
import { ALL_QUARTERS, calibrationRows } from './calibration-rows.js'
import { calibrationWarnings } from './calibration-warnings.js'
import { contextBalance } from './context-balance.js'
import { type EncodedTable, encodeTable } from './encode-table.js'
import { lossReport, pairedDifference, squaredError } from './held-out-loss.js'
import { observationReport } from './observation-report.js'
import type { Table } from './table.js'
import { tableConstants } from './table-constants.js'
import type { TableSpec } from './table-spec.js'
import { numberUnit } from './user-units.js'
import { checkOutput } from './write-calibrated.js'

export interface CalibrateTableOptions {
  /** Class of the correction, or 'auto' (default): the one with the smallest held-out loss, none if none helps. */
  readonly class?: CorrectionClass | 'auto'
  /** Radius of the ball around g~ in the covariate's units; default no ball. */
  readonly delta0?: number
  /** Floor of e(x); default 0.01 (method#analysis). */
  readonly eps0?: number
  /** Model of e(x); default 'logit'. */
  readonly model?: 'constant' | 'logit' | 'probit'
  /** Loss that e(x) is fitted by; default 'likelihood', the paper's is 'squared'. */
  readonly loss?: 'squared' | 'likelihood'
  /** Weights of the correction's fit; default 'ipw'. */
  readonly weights?: 'ipw' | 'none'
  /** 'power' (default) shrinks the correction by what other rows say about it, 'none' does not. */
  readonly shrinkage?: 'power' | 'none'
  /** Bins of the calibration curves; default 10. */
  readonly bins?: number
  /** Seed of the folds; default 0. */
  readonly seed?: number
  /** Where the calibrated columns are to be written afterwards: refused before the fit if that cannot be; default nowhere. */
  readonly out?: string
  /** Name of the calibrated column; default 'calibrated'. */
  readonly name?: string
}

/** A calibrated column of predictions, with the rows behind it. */
export interface TableCalibration {
  readonly report: CalibrationReport
  readonly encoded: EncodedTable
}

const CLASSES: readonly CorrectionClass[] = ['bias', 'linear', 'basis']

/** Calibrates a column of predictions against a covariate that part of the rows have. */
export function calibrateTable(table: Table, spec: TableSpec, options: CalibrateTableOptions = {}): TableCalibration {
  const { class: asked = 'auto', seed = 0, bins = 10 } = options
  if ((spec.others ?? []).length > 0) refuse('covariate', 'one column', spec.others!.length + 1)
  if (spec.prediction === undefined) refuse('prediction', 'the column of the predictions', 'none')
  if (asked !== 'auto' && !CLASSES.includes(asked)) refuse('class', '"auto", "bias", "linear" or "basis"', asked)
  if (!Number.isSafeInteger(bins) || bins < 2) refuse('bins', 'a whole number >= 2', bins)
  const encoded = encodeTable(table, spec)
  const { encoding } = encoded
  const covariate = encoding.covariates[0]!
  const { feature } = covariate
  if (options.out !== undefined) checkOutput(table, calibratedNames(feature, options.name), options.out)
  // One inside unit in the covariate's own.
  const unit = feature.type === 'number' ? (feature.max - feature.min) / 2 : 1
  const random = Random.fromSeed(seed).split('calibrate')
  const rows = calibrationRows(encoded, random.split('folds'))
  const fits = new CalibrationFits(rows, encoding, fitSettings(options, unit), random)
  const probabilities = fits.heldOutProbabilities()

  const tried = (asked === 'auto' ? CLASSES : [asked]).map((kind) => {
    const mse = rows.knownCount === 0 ? null : squaredError(rows, fits.heldOut(kind, false), probabilities).mean
    return { class: kind, mse: mse === null ? null : mse * unit * unit }
  })
  const before = squaredError(rows, rows.pretrained, probabilities).mean
  const rung = asked === 'auto' ? bestRung(tried, before === null ? null : before * unit * unit) : asked
  const fitted: Shrunk | null = rung === null ? null : fits.shrunk(rung, ALL_QUARTERS)
  const model = fitted?.correction ?? null
  const calibrated = fits.heldOut(model === null ? null : rung)

  const { size, clippedShare } = fits.size(model)
  const balance = contextBalance(rows, encoding.contextColumns, probabilities)
  const { bound, constants, unsupported } = tableConstants(rows, unit, random.split('constants'))
  const judged = {
    n: table.rows,
    observed: encoded.observedCount,
    withoutPrediction: rows.withoutPrediction,
    observation: observationReport(fits.observation(ALL_QUARTERS), encoding.contextColumns, rows, probabilities),
    correction: {
      kind: model === null ? ('none' as const) : ('correction' as const),
      rung: model === null ? null : rung,
      shrinkage: fitted?.shrinkage?.value ?? 1,
      shrinkageSe: fitted?.shrinkage?.se ?? null,
      ball: {
        delta0: options.delta0 ?? null,
        size: size * unit,
        active: fitted?.report.folds.some(({ columns }) => columns.some(({ multiplier }) => multiplier > 0)) ?? false,
      },
      clippedShare,
      model,
    },
    loss: {
      pretrained: lossReport(rows, rows.pretrained, probabilities, covariate.feature, unit),
      calibrated: lossReport(rows, calibrated, probabilities, covariate.feature, unit),
      difference: pairedDifference(rows, calibrated, probabilities, unit),
    },
    elasticity: {
      units: `squared units of ${covariate.name}; times L_Z^2 (L_Z: reward per unit of ${covariate.name}) a bound of the model elasticity`,
      pretrained: bound(rows.pretrained),
      calibrated: bound(calibrated),
    },
    constants,
  }
  const decode = feature.type === 'number' ? numberUnit(feature).fromInside : (inside: number) => inside
  const report: CalibrationReport = {
    ...judged,
    diagnostics: {
      rungs: tried,
      calibrationCurve: {
        before: calibrationCurve(rows, rows.pretrained, probabilities, bins, decode),
        after: calibrationCurve(rows, calibrated, probabilities, bins, decode),
      },
      balance,
      warnings: calibrationWarnings({ ...judged, balance, asked, refused: encoded.refusedPredictions }),
    },
    notes: [
      ...encoded.notes,
      ...(unsupported === null ? [] : [`elasticity and constants have no intervals: ${unsupported}`]),
      'losses, curves and elasticities are cross-fitted: every row is judged by fits that its fold had no part in',
      'all of it assumes that whether the covariate is observed depends on the context only',
    ],
  }
  return { report, encoded }
}

function fitSettings(options: CalibrateTableOptions, unit: number): FitSettings {
  const { delta0, eps0 = 0.01, model = 'logit', loss = 'likelihood', weights = 'ipw', shrinkage = 'power' } = options
  if (delta0 !== undefined && !(Number.isFinite(delta0) && delta0 >= 0)) refuse('delta0', '>= 0', delta0)
  if (weights !== 'ipw' && weights !== 'none') refuse('weights', '"ipw" or "none"', weights)
  if (shrinkage !== 'power' && shrinkage !== 'none') refuse('shrinkage', '"power" or "none"', shrinkage)
  const observation: ObservationOptions = observationSettings({ model, loss, floor: eps0 })
  return { observation, weights, shrinkage, radius: delta0 === undefined ? undefined : delta0 / unit }
}

/** The smallest held-out loss, the simpler class when they are equal; null when none is below that of g~. */
function bestRung(tried: readonly { class: CorrectionClass; mse: number | null }[], pretrained: number | null) {
  let best: CorrectionClass | null = null
  let least = pretrained ?? Number.NEGATIVE_INFINITY
  for (const { class: kind, mse } of tried) {
    if (mse === null || mse >= least) continue
    least = mse
    best = kind
  }
  return best
}

function refuse(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${String(value)}`, { field, value })
}
