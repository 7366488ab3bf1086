// omega0, tau and delta0 from data under MAR (method#constants), with r = z - g~ the error of the pretrained model and
// d(x) = E[r | x] = g*(x) - g~(x):
//   delta0^2 = E[d^2] (squared-mean.ts),   omega0^2 = E[r^2] - E[d^2] = E[Var(z | x)], terms paired row by row,
//   tau = largest |r - d-hat| on observed rows, d-hat cross-fitted: a lower bound of the true bound, without an interval.
// Intervals are taken on the scale of the squares.

import { requireAllFinite, requireLength, requireOpenUnit } from '@primo/numeric'
import { type Assumption, MAR_ASSUMPTIONS, type TheoryWarning } from '@primo/theory'
import { type CrossFit, type CrossFitOptions, checkTable, crossFit, type MissingTable } from './cross-fit.js'
import { influenceInterval } from './influence-interval.js'
import { aipwInfluence, effectiveRowsOf, unsupportedBy, withoutEnd } from './missing-mean.js'
import { squaredInfluence, squaredMean } from './squared-mean.js'

export interface CovariateConstantsInput extends MissingTable, CrossFitOptions {
  /** z_i; entries of missing rows are never read. */
  readonly covariate: ArrayLike<number>
  /** g~(x_i) on every row. */
  readonly pretrained: ArrayLike<number>
  /** In (0, 1), default 0.95. */
  readonly level?: number
  /** Nuisances of these rows that are known already; default fitted here. */
  readonly nuisances?: CrossFit
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
  /** Why the intervals have no end; null: they have. */
  readonly unsupported: TheoryWarning | null
  readonly assumptions: readonly Assumption[]
  readonly warnings: readonly TheoryWarning[]
}

/** omega0, tau and delta0 of a covariate, estimated from data. */
export function estimateCovariateConstants(input: CovariateConstantsInput): CovariateConstants {
  const { covariate, pretrained, observed, level = 0.95 } = input
  const rows = checkTable(input)
  requireOpenUnit('level', level)
  requireLength('covariate', covariate.length, rows)
  requireLength('pretrained', pretrained.length, rows)
  requireAllFinite('pretrained', pretrained)
  const errors = Float64Array.from({ length: rows }, (_, i) => (observed[i] ? covariate[i]! - pretrained[i]! : 0))
  requireAllFinite('covariate', errors)
  const nuisances = input.nuisances ?? crossFit(input, input)
  const { probabilities } = nuisances
  const halves = nuisances.halves(errors)
  const shared = { values: errors, observed, probabilities, halves, level }
  const delta = squaredMean(shared)
  const part = squaredInfluence(shared)
  const squares = errors.map((value) => value * value)
  const { fitted: regression } = nuisances.regression(squares)
  const whole = aipwInfluence({ values: squares, observed, probabilities, regression })
  const left = Math.max(0, whole.estimate - part.estimate)
  const influence = whole.influence.map((value, i) => value - part.influence[i]!)
  const unsupported = unsupportedBy(observed, probabilities)
  const { lower, upper, upperLimit } =
    unsupported === null
      ? influenceInterval(left, influence, {
          level,
          scale: left > 0 ? 'log' : 'linear',
          extraVariance: part.extraVariance,
        })
      : withoutEnd('log')
  let etaBound = 0
  for (let i = 0; i < rows; i++)
    if (observed[i]) etaBound = Math.max(etaBound, Math.abs(errors[i]! - (halves.first[i]! + halves.second[i]!) / 2))
  return Object.freeze({
    omega0: rooted({ estimate: left, lower, upper, upperLimit }),
    etaBound,
    delta0: rooted(delta),
    effectiveRows: effectiveRowsOf(observed, probabilities),
    unsupported,
    assumptions: MAR_ASSUMPTIONS,
    warnings: delta.warnings,
  })
}

function rooted({ estimate, lower, upper, upperLimit }: Interval): Interval {
  const root = (square: number) => Math.sqrt(Math.max(0, square))
  return Object.freeze({
    estimate: root(estimate),
    lower: root(lower),
    upper: root(upper),
    upperLimit: root(upperLimit),
  })
}
