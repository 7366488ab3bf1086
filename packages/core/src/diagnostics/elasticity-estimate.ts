// Elasticity of a fitted reward model from data where the covariate is sometimes missing, under MAR (method#elasticity-from-data):
//   E_all = E[max_a D_a^2] and upsilon_a = E[D_a^2] by target 'all', E_miss = E[(1-b) max_a D_a^2] by target 'missing',
//   cross-fitted aipw with log-scale intervals, hajek where aipw is not positive (missing-mean.ts, cross-fit.ts).
//   printed = max_a upsilon_a: the estimate of the largest action; its one-sided limit is Bonferroni over the actions.
//   E_bias = E[(1-b) max_a E[D_a|x]^2]: with d(x) = E[D_A|x], A(x) the action of largest |d_a(x)| in the other folds,
//     psi = (1-b) d^2 + 2 b ((1-e)/e) d (D_A - d), whose mean is free of first-order errors in d; it can come out below 0
//     when there is no bias, and is then reported as 0 with an interval [0, z SE].
// Conditional on the reward model. Not identified when missingness depends on the hidden value (E44).

import {
  invalidOption,
  normalQuantile,
  requireAllFinite,
  requireInteger,
  requireLength,
  requireOpenUnit,
} from '@primo/numeric'
import { type Assumption, MAR_ASSUMPTIONS, type TheoryWarning, theoryWarning } from '@primo/theory'
import {
  type CrossFitOptions,
  checkTable,
  crossFitProbabilities,
  crossFitRegression,
  type Folds,
  type MissingTable,
  makeFolds,
} from './cross-fit.js'
import { type MissingMean, missingMean } from './missing-mean.js'

export interface ElasticityEstimateInput extends MissingTable, CrossFitOptions {
  /** Name of the covariate, for the report. */
  readonly name?: string
  /** K. */
  readonly actions: number
  /** D_a(x_i, z_i), rows x actions; rows where the covariate is missing are never read. */
  readonly differences: Float64Array
  /** In (0, 1), default 0.95. */
  readonly level?: number
}

interface BiasEstimate {
  readonly estimate: number
  readonly standardError: number
  readonly lower: number
  readonly upper: number
  readonly upperLimit: number
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
  readonly bias: BiasEstimate
  /** upsilon_a = E[D_a^2], per action. */
  readonly upsilon: readonly MissingMean[]
  /** max_a upsilon_a. */
  readonly printed: { readonly action: number; readonly estimate: number; readonly upperLimit: number }
  readonly assumptions: readonly Assumption[]
  readonly warnings: readonly TheoryWarning[]
}

export function estimateElasticity(input: ElasticityEstimateInput): ElasticityEstimate {
  const { actions, differences, observed, floor = 0.05, level = 0.95 } = input
  const rows = checkTable(input)
  requireInteger('actions', actions, 1)
  requireOpenUnit('level', level)
  requireLength('differences', differences.length, rows * actions)
  const seen = observedColumns(input)
  const folds = makeFolds(input, input)
  const probabilities = crossFitProbabilities(input, folds, floor)
  const mean = (values: Float64Array, regression: Float64Array, target: 'all' | 'missing'): MissingMean =>
    missingMean({ values, observed, probabilities, regression, target, floor, level })
  const squares = seen.map((column) => column.map((value) => value * value))
  const largest = new Float64Array(rows)
  for (const column of squares) for (let i = 0; i < rows; i++) largest[i] = Math.max(largest[i]!, column[i]!)
  const largestMean = crossFitRegression(input, folds, largest)
  const upsilon = squares.map((column) => mean(column, crossFitRegression(input, folds, column), 'all'))
  const action = upsilon.reduce((best, { estimate }, a) => (estimate > upsilon[best]!.estimate ? a : best), 0)
  const z = normalQuantile(1 - (1 - level) / actions)
  const limits = upsilon.map(({ estimate, standardError: se }) =>
    estimate > 0 ? estimate * Math.exp((z * se) / estimate) : 0,
  )
  const bias = estimateBias(input, seen, folds, probabilities)
  return Object.freeze({
    name: input.name ?? null,
    rows,
    observed: upsilon[0]!.observed,
    maxInside: mean(largest, largestMean, 'all'),
    missingOnly: mean(largest, largestMean, 'missing'),
    bias: bias.estimate,
    upsilon: Object.freeze(upsilon),
    printed: Object.freeze({ action, estimate: upsilon[action]!.estimate, upperLimit: Math.max(...limits) }),
    assumptions: MAR_ASSUMPTIONS,
    warnings: Object.freeze(bias.warnings),
  })
}

/** One estimate per covariate: each has its own observed rows and its own differences. */
export function estimateElasticities(inputs: readonly ElasticityEstimateInput[]): readonly ElasticityEstimate[] {
  if (inputs.length === 0) invalidOption('covariates', 'a list with at least one covariate', inputs)
  return Object.freeze(inputs.map(estimateElasticity))
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
  input: ElasticityEstimateInput,
  columns: readonly Float64Array[],
  folds: Folds,
  probabilities: Float64Array,
): { estimate: BiasEstimate; warnings: TheoryWarning[] } {
  const { observed, floor = 0.05, level = 0.95 } = input
  const rows = observed.length
  const means = columns.map((column) => crossFitRegression(input, folds, column))
  const psi = new Float64Array(rows)
  let sum = 0
  for (let i = 0; i < rows; i++) {
    let action = 0
    for (let a = 1; a < means.length; a++) if (Math.abs(means[a]![i]!) > Math.abs(means[action]![i]!)) action = a
    const d = means[action]![i]!
    const e = probabilities[i]!
    const weight = Math.min((1 - e) / e, 1 / floor)
    psi[i] = observed[i] ? 2 * weight * d * (columns[action]![i]! - d) : d * d
    sum += psi[i]!
  }
  const raw = sum / rows
  let square = 0
  for (const value of psi) square += (value - raw) ** 2
  const standardError = Math.sqrt(square / Math.max(1, rows - 1) / rows)
  const z = normalQuantile((1 + level) / 2)
  const oneSided = normalQuantile(level)
  const warnings: TheoryWarning[] = []
  if (raw <= 0) {
    warnings.push(theoryWarning('clipped-at-zero', 'the bias estimate is not positive and is reported as 0', { raw }))
  }
  const estimate = {
    estimate: Math.max(0, raw),
    standardError,
    lower: Math.max(0, raw - z * standardError),
    upper: Math.max(0, raw) + z * standardError,
    upperLimit: Math.max(0, raw) + oneSided * standardError,
  }
  return { estimate: Object.freeze(estimate), warnings }
}
