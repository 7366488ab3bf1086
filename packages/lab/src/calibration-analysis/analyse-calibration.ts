// The calibration of a column of predictions for an analyst (method#analysis): 5-fold cross-fitting, repeated and joined by
// medians; bias and error before and after with intervals, over all rows and over the missing ones; shrinkage; calibration
// curves with bands; overlap and balance; and how far the conclusions lean on values being missing at random. All in the
// covariate's own units.

import { type CorrectionClass, type NuisanceClass, observationSettings, unsupportedBy } from '@primo/core/engine'
import { PrimoError, Random } from '@primo/numeric'
import { type BalanceRow, contextBalance } from '../tables/context-balance.js'
import type { EncodedTable } from '../tables/encode-table.js'
import { type AnalysisRows, analysisRows } from './analysis-rows.js'
import {
  type AugmentedMean,
  augmentedMean,
  type IntervalEstimate,
  joinRepetitions,
  type MeanScale,
  median,
} from './augmented-mean.js'
import { type CalibrationLine, calibrationLine } from './calibration-line.js'
import { type CorrectionSettings, type CrossFitted, crossFitCorrection } from './cross-fitted-correction.js'
import { type MissingSensitivity, missingSensitivity } from './missing-sensitivity.js'
import { type OverlapTable, overlapTable } from './overlap-table.js'

/** How a calibration is analysed: class, folds, repetitions, weights. */
export interface AnalysisOptions {
  /** Class of the correction; null: none, g~ alone is judged. Default 'linear'. */
  readonly class?: CorrectionClass | null
  /** Default 5. */
  readonly folds?: number
  /** Default 5. */
  readonly repetitions?: number
  /** Radius of the ball in the covariate's units; default none. */
  readonly delta0?: number
  /** Floor of e(x); default 0.01. */
  readonly eps0?: number
  /** Weights of the correction's fit; default 'ipw'. */
  readonly weights?: 'ipw' | 'none'
  /** Bins of the curves; default 10. */
  readonly bins?: number
  /** Default 0. */
  readonly seed?: number
  readonly onProgress?: (share: number) => void
}

interface BeforeAfter {
  readonly pretrained: IntervalEstimate
  readonly calibrated: IntervalEstimate
}

/** What an analysis found, in the covariate's own units. */
export interface CalibrationAnalysis {
  readonly kind: 'calibration-analysis'
  readonly covariate: string
  readonly rows: number
  readonly observed: number
  readonly class: CorrectionClass | null
  readonly folds: number
  readonly repetitions: number
  readonly seed: number
  /** E[g - z], over all rows and over the missing ones. */
  readonly bias: { readonly all: BeforeAfter; readonly missing: BeforeAfter }
  /** E[(z - g)^2]; `difference` is calibrated - pretrained, paired: below 0, calibration helps. */
  readonly squaredError: {
    readonly all: BeforeAfter & { readonly difference: IntervalEstimate }
    readonly missing: BeforeAfter & { readonly difference: IntervalEstimate }
  }
  /** lambda of the power tuning before it is clipped to [0, 1]; null: there is no correction. */
  readonly shrinkage: IntervalEstimate | null
  readonly line: { readonly before: CalibrationLine; readonly after: CalibrationLine }
  readonly overlap: OverlapTable
  /** Standardised mean differences of observed and missing rows, before and after weighting. */
  readonly balance: readonly BalanceRow[]
  readonly sensitivity: MissingSensitivity
  readonly notes: readonly string[]
}

const TARGETS = ['all', 'missing'] as const

/** Judges a column of predictions and its correction by repeated cross-fitting, with intervals and sensitivity. */
export function analyseCalibration(encoded: EncodedTable, options: AnalysisOptions = {}): CalibrationAnalysis {
  const { folds = 5, repetitions = 5, eps0 = 0.01, bins = 10, seed = 0, weights = 'ipw', onProgress } = options
  const kind = options.class === undefined ? 'linear' : options.class
  requireWhole('folds', folds, 2, 255)
  requireWhole('repetitions', repetitions, 1, 1000)
  requireWhole('bins', bins, 2, 1000)
  const { encoding } = encoded
  const covariate = encoding.covariates[0]!
  const { feature } = covariate
  const unit = feature.type === 'number' ? (feature.max - feature.min) / 2 : 1
  const random = Random.fromSeed(seed).split('calibration analysis')
  const rows = analysisRows(encoded, random.split('rows'))
  const settings: CorrectionSettings = {
    class: kind,
    weights,
    radius: options.delta0 === undefined ? undefined : options.delta0 / unit,
    observation: observationSettings({ model: 'logit', loss: 'likelihood', floor: eps0 }),
    floor: eps0,
    folds,
  }
  const fits: CrossFitted[] = []
  const found = new Map<string, AugmentedMean[]>()
  let classes: FigureClasses = []
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const fit = crossFitCorrection(rows, encoding, settings, random.split('repetition', repetition), fits[0])
    fits.push(fit)
    const { figures, classes: chosen } = figuresOf(rows, fit, classes)
    classes = chosen
    for (const [name, { values, regression }] of Object.entries(figures)) {
      for (const target of TARGETS) {
        const list = found.get(`${name} ${target}`) ?? []
        found.set(`${name} ${target}`, list)
        const { probabilities } = fit.nuisances
        const input = { values, observed: rows.observed, probabilities, regression }
        list.push(augmentedMean(input, target, scaleOf(name)))
      }
    }
    onProgress?.((repetition + 1) / (repetitions + 1))
  }
  const unsupported = unsupportedBy(rows.observed, fits[0]!.nuisances.probabilities)
  const joined = (name: string, target: string) =>
    joinRepetitions(found.get(`${name} ${target}`)!, {
      scale: scaleOf(name),
      supported: unsupported === null,
    })
  const pair = (name: string, target: string): BeforeAfter => ({
    pretrained: joined(`${name} pretrained`, target),
    calibrated: joined(`${name} calibrated`, target),
  })
  const errors = (target: string) => ({ ...pair('error', target), difference: joined('error difference', target) })
  // Curves, tables and sensitivity are those of the repetition whose gain is the median one.
  const gains = found.get('error difference all')!.map(({ value }) => value)
  const middle = median(gains)
  const near = gains.map((value) => Math.abs(value - middle))
  const fit = fits[near.indexOf(Math.min(...near))]!
  const shrinkages = fits.flatMap(({ shrinkage }) => (shrinkage === null ? [] : [shrinkage]))
  const analysis: CalibrationAnalysis = {
    kind: 'calibration-analysis',
    covariate: covariate.name,
    rows: rows.count,
    observed: rows.inside.knownCount,
    class: kind,
    folds,
    repetitions,
    seed,
    bias: { all: pair('bias', 'all'), missing: pair('bias', 'missing') },
    squaredError: { all: errors('all'), missing: errors('missing') },
    shrinkage:
      shrinkages.length === fits.length
        ? joinRepetitions(
            shrinkages.map((one) => ({ ...one, degrees: rows.inside.knownCount })),
            { scale: 'linear', supported: true },
          )
        : null,
    line: {
      before: calibrationLine(rows, rows.pretrained, fit.nuisances.probabilities, bins),
      after: calibrationLine(rows, fit.calibrated, fit.nuisances.probabilities, bins),
    },
    overlap: overlapTable(rows, fit.nuisances.probabilities, eps0),
    balance: contextBalance(rows.inside, encoding.contextColumns, fit.nuisances.probabilities),
    sensitivity: missingSensitivity(rows, fit, random.split('sensitivity')),
    notes: [
      `${repetitions} repetitions of ${folds}-fold cross-fitting, joined by medians; curves, tables and sensitivity are those of the repetition with the median gain`,
      ...(unsupported === null ? [] : [`no intervals are shown: ${unsupported.message}`]),
      `nuisances by held-out loss: ${fit.nuisances.observationClass} for being observed, ${classes[0]} for the error, ${classes[1]} for its square`,
      'figures outside "sensitivity" assume that whether the covariate is observed depends on the context only',
    ],
  }
  onProgress?.(1)
  return analysis
}

/**
 * The values whose means are shown, with E[v | x]. All are made of r = z - g~ and of h, the correction, which is known on every row,
 * so that two regressions, of r and of r^2, serve them all.
 */
function figuresOf(
  { count, observed, truth, pretrained }: AnalysisRows,
  { calibrated, nuisances }: CrossFitted,
  classes: FigureClasses,
) {
  const errors = Float64Array.from({ length: count }, (_, row) => (observed[row] ? truth[row]! - pretrained[row]! : 0))
  const squares = errors.map((r) => r * r)
  const { fitted: first, class: ofErrors } = nuisances.regression(errors, classes[0])
  const { fitted: second, class: ofSquares } = nuisances.regression(squares, classes[1])
  const figure = (of: (r: number, square: number, h: number) => number) => ({
    values: errors.map((r, row) => of(r, squares[row]!, calibrated[row]! - pretrained[row]!)),
    regression: first.map((r, row) => of(r, second[row]!, calibrated[row]! - pretrained[row]!)),
  })
  const figures = {
    'bias pretrained': figure((r) => -r),
    'bias calibrated': figure((r, _, h) => h - r),
    'error pretrained': figure((_, square) => square),
    'error calibrated': figure((r, square, h) => square - 2 * h * r + h * h),
    'error difference': figure((r, _, h) => h * h - 2 * h * r),
  }
  return { figures, classes: [ofErrors, ofSquares] as const }
}

/** Squared errors are never below 0. */
function scaleOf(figure: string): MeanScale {
  return /^error (pretrained|calibrated)$/.test(figure) ? 'log' : 'linear'
}

/** Of the regressions of r and of r^2. */
type FigureClasses = readonly NuisanceClass[]

function requireWhole(field: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  throw new PrimoError('invalid-option', `${field} must be a whole number from ${least} to ${most}, got ${value}`, {
    field,
    value,
  })
}
