// What a reader of the calibration should be told before they trust it.

import type { CalibrationReport, CalibrationWarning } from './calibration-report.js'

/** |standardised mean difference| above this after weighting: e(x) does not explain who is missing. */
const MAX_IMBALANCE = 0.1
const MAX_CLIPPED = 0.05
const MAX_WEIGHT_SHARE = 0.05
const FEWEST_EFFECTIVE = 0.2

export type JudgedReport = Omit<CalibrationReport, 'diagnostics' | 'notes'> & {
  readonly balance: CalibrationReport['diagnostics']['balance']
  readonly asked: string
  /** Predictions that are no values of the covariate. */
  readonly refused: number
}

export function calibrationWarnings(report: JudgedReport): readonly CalibrationWarning[] {
  const { n, observed, withoutPrediction, observation, correction, loss } = report
  const warnings: CalibrationWarning[] = []
  const warn = (code: string, message: string) => warnings.push({ code, message })
  const nothing = loss.pretrained.mse === null && observed > 0 && withoutPrediction < n
  if (withoutPrediction === n && report.refused > 0) {
    warn('no-predictions', 'no prediction is a value that the covariate can take, so there is nothing to calibrate')
  } else if (withoutPrediction === n)
    warn('no-predictions', 'no row has a prediction, so there is nothing to calibrate')
  else if (withoutPrediction > 0)
    warn('rows-without-prediction', `${withoutPrediction} of ${n} rows have no prediction and were left out`)
  if (nothing) warn('none-to-compare', 'no row has both an observed value and a prediction')
  else if (observed === 0)
    warn('all-missing', 'the covariate is observed in no row, so the predictions stay as they are')
  else if (correction.model === null && correction.rung === null && report.asked !== 'auto') {
    warn('too-few-rows', `${observed} observed rows are too few for a correction of class ${report.asked}`)
  }
  if (observed === n)
    warn('none-missing', 'the covariate is observed in every row, so calibration changes no decision here')
  if (observation.kind === 'constant' && observed > 0 && observed < n) {
    warn(
      'constant-observation-model',
      'too few observed or missing rows to model who is missing: one probability for all',
    )
  }
  if (observation.clippedShare > MAX_CLIPPED) {
    warn(
      'low-overlap',
      `${percent(observation.clippedShare)} of the rows are observed with a probability at or below the minimum ${observation.floor}`,
    )
  }
  if (observed > 0 && observation.effectiveSampleSize < FEWEST_EFFECTIVE * observed) {
    warn(
      'small-effective-sample',
      `weighting leaves ${Math.round(observation.effectiveSampleSize)} effective of ${observed} observed rows`,
    )
  }
  if (observed >= 100 && observation.maxWeightShare > MAX_WEIGHT_SHARE) {
    warn('heavy-weight', `one row carries ${percent(observation.maxWeightShare)} of all weight`)
  }
  const worst = report.balance.filter(({ after }) => Math.abs(after) > MAX_IMBALANCE)
  if (worst.length > 0) {
    warn(
      'imbalance',
      `after weighting, observed and missing rows still differ in ${worst.map(({ column }) => column).join(', ')}`,
    )
  }
  if (correction.ball.active) warn('ball-active', `delta0 ${correction.ball.delta0} holds the correction back`)
  if (correction.model !== null && loss.difference !== null && loss.difference.value >= 0) {
    warn('not-better', 'on rows it has not seen, the correction is not better than the predictions as they are')
  }
  if (correction.rung === null && report.asked === 'auto' && observed > 0 && withoutPrediction < n && !nothing) {
    warn('no-correction', 'no class of correction was better on rows it has not seen: the predictions stay as they are')
  }
  return warnings
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}
