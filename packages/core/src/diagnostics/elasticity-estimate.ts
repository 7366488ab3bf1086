// Elasticity of a fitted reward model from data where the covariate is sometimes missing, under MAR (method#elasticity-from-data):
//   E_all = E[max_a D_a^2] by target 'all', E_miss = E[(1-b) max_a D_a^2] by target 'missing',
//   cross-fitted aipw, hajek where aipw is not positive (missing-mean.ts, cross-fit.ts).
//   E_bias = E[(1-b) max_a E[D_a|x]^2] by the action of largest |E[D_a|x]| in the other folds (squared-mean.ts).
// Conditional on the reward model. Not identified when missingness depends on the hidden value (E44).

import { requireAllFinite, requireInteger, requireLength, requireOpenUnit } from '@primo/numeric'
import { type Assumption, MAR_ASSUMPTIONS, type TheoryWarning } from '@primo/theory'
import { type CrossFit, type CrossFitOptions, checkTable, crossFit, type MissingTable } from './cross-fit.js'
import { type MissingMean, missingMean } from './missing-mean.js'
import { type SquaredMean, squaredMean } from './squared-mean.js'

export interface ElasticityEstimateInput extends MissingTable, CrossFitOptions {
  /** Name of the covariate, for the report. */
  readonly name?: string
  /** K. */
  readonly actions: number
  /** D_a(x_i, z_i), rows x actions; rows where the covariate is missing are never read. */
  readonly differences: Float64Array
  /** In (0, 1), default 0.95. */
  readonly level?: number
  /** Nuisances of these rows that are known already; default fitted here. */
  readonly nuisances?: CrossFit
}

export interface ElasticityEstimate {
  /** Name of the covariate. */
  readonly name: string | null
  readonly rows: number
  readonly observed: number
  /** E[max_a D_a^2]. */
  readonly maxInside: MissingMean
  /** E[(1-b) max_a D_a^2]. */
  readonly missingOnly: MissingMean
  /** E[(1-b) max_a E[D_a|x]^2]. */
  readonly bias: SquaredMean
  readonly assumptions: readonly Assumption[]
  readonly warnings: readonly TheoryWarning[]
}

/** How much an error of imputation costs in reward, estimated from data. */
export function estimateElasticity(input: ElasticityEstimateInput): ElasticityEstimate {
  const { actions, differences, observed, level = 0.95 } = input
  const rows = checkTable(input)
  requireInteger('actions', actions, 1)
  requireOpenUnit('level', level)
  requireLength('differences', differences.length, rows * actions)
  const seen = observedColumns(input)
  const nuisances = input.nuisances ?? crossFit(input, input)
  const { probabilities } = nuisances
  const squares = seen.map((column) => column.map((value) => value * value))
  const largest = new Float64Array(rows)
  for (const column of squares) for (let i = 0; i < rows; i++) largest[i] = Math.max(largest[i]!, column[i]!)
  const { fitted: regression } = nuisances.regression(largest)
  const mean = (target: 'all' | 'missing') =>
    missingMean({ values: largest, observed, probabilities, regression, target, level })
  const bias = estimateBias(input, seen, nuisances)
  const maxInside = mean('all')
  return Object.freeze({
    name: input.name ?? null,
    rows,
    observed: maxInside.observed,
    maxInside,
    missingOnly: mean('missing'),
    bias,
    assumptions: MAR_ASSUMPTIONS,
    warnings: Object.freeze([...maxInside.warnings, ...bias.warnings]),
  })
}

/** Column a holds D_a on observed rows and 0 elsewhere. */
function observedColumns(input: ElasticityEstimateInput): Float64Array[] {
  const { actions, differences, observed } = input
  const rows = observed.length
  const columns = Array.from({ length: actions }, () => new Float64Array(rows))
  for (let i = 0; i < rows; i++) {
    if (!observed[i]) continue
    for (let a = 0; a < actions; a++) columns[a]![i] = differences[i * actions + a]!
  }
  for (const column of columns) requireAllFinite('differences', column)
  return columns
}

function estimateBias(
  { observed, level = 0.95 }: ElasticityEstimateInput,
  columns: readonly Float64Array[],
  nuisances: CrossFit,
): SquaredMean {
  const rows = observed.length
  const fitted = columns.map((column) => nuisances.halves(column))
  const values = new Float64Array(rows)
  const halves = {
    first: new Float64Array(rows),
    second: new Float64Array(rows),
    columns: Math.min(...fitted.map((one) => one.columns)),
  }
  for (let i = 0; i < rows; i++) {
    let action = 0
    let largest = -1
    for (let a = 0; a < columns.length; a++) {
      const size = Math.abs(fitted[a]!.first[i]! + fitted[a]!.second[i]!)
      if (size <= largest) continue
      largest = size
      action = a
    }
    values[i] = columns[action]![i]!
    halves.first[i] = fitted[action]!.first[i]!
    halves.second[i] = fitted[action]!.second[i]!
  }
  const { probabilities } = nuisances
  return squaredMean({ values, observed, probabilities, halves, target: 'missing', level })
}
