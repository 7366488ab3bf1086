// What a table with a sometimes-missing covariate and a prediction column says of the theorems' constants, under MAR, with 95% intervals:
// E(z-g)^2 and E[(1-b)(z-g)^2] (times L_Z^2 they bound the model elasticity), delta0, omega0 and tau. Nuisances are cross-fitted and
// chosen by held-out loss; where the rows cannot support an interval there is none, and `unsupported` says why.

import { type CrossFit, crossFit, estimateCovariateConstants, missingMean, unsupportedBy } from '@primo/core/engine'
import type { Random } from '@primo/numeric'
import type { CovariateConstantsReport, ElasticityBound } from './calibration-report.js'
import type { CalibrationRows } from './calibration-rows.js'
import { squaredErrorOf } from './held-out-loss.js'

export interface TableConstants {
  readonly bound: (predicted: Float64Array) => ElasticityBound
  /** null: the covariate is a category. */
  readonly constants: CovariateConstantsReport | null
  /** Why there are no intervals; null: there are. */
  readonly unsupported: string | null
}

/** Fewer rows of a kind than this tell nothing of who is observed. */
const FEWEST_ROWS = 5

export function tableConstants(rows: CalibrationRows, unit: number, random: Random): TableConstants {
  const { count, knownCount, known: observed, width } = rows
  const missing = count - knownCount
  if (knownCount < FEWEST_ROWS || (missing > 0 && missing < FEWEST_ROWS))
    return { bound: () => ({ all: null, missing: null }), constants: null, unsupported: 'too few rows of a kind' }
  const table = { context: rows.context, contextWidth: rows.contextWidth, observed }
  const nuisances = missing === 0 ? null : crossFit(table, { random })
  const probabilities = nuisances?.probabilities ?? new Float64Array(count).fill(1)
  const reason = unsupportedBy(observed, probabilities)
  const bound = (predicted: Float64Array): ElasticityBound => {
    if (reason !== null) return { all: null, missing: null }
    const values = Float64Array.from({ length: count }, (_, row) =>
      observed[row] === 1 ? unit * unit * squaredErrorOf(rows, predicted, row) : 0,
    )
    const regression = nuisances === null ? {} : { regression: nuisances.regression(values).fitted }
    const mean = (target: 'all' | 'missing') => {
      const found = missingMean({ values, observed, probabilities, target, ...regression })
      return { value: found.estimate, se: found.standardError, low: found.lower, high: found.upper }
    }
    return { all: mean('all'), missing: missing === 0 ? null : mean('missing') }
  }
  const constants = width === 1 && nuisances !== null ? covariateConstants(rows, unit, nuisances, random) : null
  return { bound, constants, unsupported: reason?.message ?? null }
}

function covariateConstants(
  { context, contextWidth, known, truth, pretrained }: CalibrationRows,
  unit: number,
  nuisances: CrossFit,
  random: Random,
): CovariateConstantsReport {
  const input = { context, contextWidth, observed: known, covariate: truth, pretrained, nuisances, random }
  const { delta0, omega0, etaBound, unsupported } = estimateCovariateConstants(input)
  const figure = ({ estimate, lower, upper, upperLimit }: typeof delta0) => ({
    value: unit * estimate,
    ...(unsupported === null
      ? { low: unit * lower, high: unit * upper, limit: unit * upperLimit }
      : { low: null, high: null, limit: null }),
  })
  return { delta0: figure(delta0), omega0: figure(omega0), tau: unit * etaBound, unit }
}
