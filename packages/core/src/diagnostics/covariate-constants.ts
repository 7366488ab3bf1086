// omega0, tau and delta0 from data under MAR (method#constants), with g~ the pretrained and ghat a cross-fitted calibrated model:
//   omega0^2 = E[(z - ghat)^2] over all rows, by aipw with a log-scale interval; it includes the error of ghat itself.
//   tau = largest |z - ghat| on observed rows: a lower bound of the true bound.
//   delta0^2 = [ E[(z - g~)^2] - E[(z - ghat)^2] ]^+, the paired difference by aipw; since E[(z-g)^2] = ||g-g*||^2 + E eta^2
//   it falls short of ||g~-g*||^2 by the error of ghat. Upper limit one-sided on the scale of the square.
// ghat = g~ + a cross-fitted polynomial correction unless the caller has its own out-of-fold predictions.

import { normalQuantile, requireAllFinite, requireLength, requireOpenUnit } from '@primo/numeric'
import { type Assumption, MAR_ASSUMPTIONS, type TheoryWarning, theoryWarning } from '@primo/theory'
import {
  type CrossFitOptions,
  checkTable,
  crossFitProbabilities,
  crossFitRegression,
  type MissingTable,
  makeFolds,
} from './cross-fit.js'
import { aipwMean, missingMean } from './missing-mean.js'

export interface CovariateConstantsInput extends MissingTable, CrossFitOptions {
  /** z_i; entries of missing rows are never read. */
  readonly covariate: ArrayLike<number>
  /** g~(x_i) on every row. */
  readonly pretrained: ArrayLike<number>
  /** Out-of-fold ghat(x_i) on every row; default fitted here. */
  readonly calibrated?: ArrayLike<number>
  /** In (0, 1), default 0.95. */
  readonly level?: number
}

interface Interval {
  readonly estimate: number
  readonly lower: number
  readonly upper: number
  /** One-sided. */
  readonly upperLimit: number
}

export interface CovariateConstants {
  readonly omega0: Interval
  /** tau; no interval: it is an extreme. */
  readonly etaBound: number
  readonly delta0: Interval
  readonly effectiveRows: number
  readonly assumptions: readonly Assumption[]
  readonly warnings: readonly TheoryWarning[]
}

export function estimateCovariateConstants(input: CovariateConstantsInput): CovariateConstants {
  const { covariate, pretrained, observed, floor = 0.05, level = 0.95 } = input
  const rows = checkTable(input)
  requireOpenUnit('level', level)
  requireLength('covariate', covariate.length, rows)
  requireLength('pretrained', pretrained.length, rows)
  requireAllFinite('pretrained', pretrained)
  const seen = Float64Array.from({ length: rows }, (_, i) => (observed[i] ? covariate[i]! : 0))
  requireAllFinite('covariate', seen)
  const folds = makeFolds(input, input)
  const probabilities = crossFitProbabilities(input, folds, floor)
  const before = seen.map((z, i) => (observed[i] ? z - pretrained[i]! : 0))
  const calibrated = input.calibrated ?? crossFitRegression(input, folds, before).map((h, i) => h + pretrained[i]!)
  requireLength('calibrated', calibrated.length, rows)
  requireAllFinite('calibrated', calibrated)
  const after = seen.map((z, i) => (observed[i] ? z - calibrated[i]! : 0))
  const squares = after.map((value) => value * value)
  const gains = before.map((value, i) => value * value - squares[i]!)
  const shared = { observed, probabilities, floor, level }
  const noise = missingMean({ ...shared, values: squares, regression: crossFitRegression(input, folds, squares) })
  const gain = aipwMean({ ...shared, values: gains, regression: crossFitRegression(input, folds, gains) })
  const warnings: TheoryWarning[] = [...noise.warnings]
  if (gain.estimate <= 0) {
    warnings.push(
      theoryWarning('clipped-at-zero', 'calibration does not reduce the error: delta0 is reported as 0', {
        square: gain.estimate,
      }),
    )
  }
  const root = (square: number): number => Math.sqrt(Math.max(0, square))
  const width = normalQuantile((1 + level) / 2) * gain.standardError
  return Object.freeze({
    omega0: Object.freeze({
      estimate: root(noise.estimate),
      lower: root(noise.lower),
      upper: root(noise.upper),
      upperLimit: root(noise.upperLimit),
    }),
    etaBound: after.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0),
    delta0: Object.freeze({
      estimate: root(gain.estimate),
      lower: root(gain.estimate - width),
      upper: root(gain.estimate + width),
      upperLimit: root(gain.estimate + normalQuantile(level) * gain.standardError),
    }),
    assumptions: MAR_ASSUMPTIONS,
    effectiveRows: noise.effectiveRows,
    warnings: Object.freeze(warnings),
  })
}
