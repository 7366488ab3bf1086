// B^2 lambda_max of a basis class's elasticity from data, under MAR (method#elasticity-from-data). The largest eigenvector v is
// taken from the other fold (C weighted by 1/e, or (1-e)/e for the missing rows), so that B^2 (v'Delta)^2 is a fixed function
// on this fold and its mean an ordinary missing mean with a log-scale interval (missing-mean.ts). It targets v'Cv <=
// lambda_max, the shortfall being of second order in the error of v. When the eigenvalue gap is small the eigenvector is
// unstable and a percentile bootstrap of the plug-in is reported as well.

import type { Random } from '@primo/numeric'
import { identity, requireAllFinite, requireInteger, requireLength, requirePositive } from '@primo/numeric'
import {
  type Assumption,
  type BasisElasticity,
  basisElasticityOfMoments,
  MAR_ASSUMPTIONS,
  type TheoryWarning,
  theoryWarning,
  weightedMoments,
} from '@primo/theory'
import {
  type CrossFitOptions,
  checkTable,
  crossFitProbabilities,
  crossFitRegression,
  type MissingTable,
  makeFolds,
} from './cross-fit.js'
import { type MissingMean, missingMean } from './missing-mean.js'

export interface BasisElasticityEstimateInput extends MissingTable, CrossFitOptions {
  /** Delta_i, rows x columns; rows where the covariate is missing are never read. */
  readonly differences: Float64Array
  readonly columns: number
  /** B > 0. */
  readonly norm: number
  /** K, default 1. */
  readonly actions?: number
  /** M, columns x columns; default the identity. */
  readonly metric?: Float64Array
  /** Default 'all'. */
  readonly target?: 'all' | 'missing'
  /** Default 0.95. */
  readonly level?: number
  /** Below this relative gap the bootstrap runs. Default 0.1. */
  readonly smallGap?: number
  /** Default 500. */
  readonly bootstrapDraws?: number
}

export interface BasisElasticityEstimate {
  /** Weighted plug-in on all rows: an upward-biased lambda_max, with the bounds for max inside. */
  readonly plugIn: Omit<BasisElasticity, 'rows'>
  /** Sample-split estimate with interval. */
  readonly split: MissingMean
  readonly bootstrap: { readonly lower: number; readonly upper: number; readonly draws: number } | null
  readonly assumptions: readonly Assumption[]
  readonly warnings: readonly TheoryWarning[]
}

export function estimateBasisElasticity(input: BasisElasticityEstimateInput): BasisElasticityEstimate {
  const { differences, columns: p, norm, actions = 1, target = 'all', floor = 0.05, level = 0.95 } = input
  const { smallGap = 0.1, bootstrapDraws = 500, random } = input
  const rows = checkTable(input)
  requireInteger('columns', p, 1)
  requireInteger('actions', actions, 1)
  requireInteger('bootstrapDraws', bootstrapDraws, 2)
  requirePositive('norm', norm)
  requireLength('differences', differences.length, rows * p)
  const metric = input.metric ?? identity(p)
  requireLength('metric', metric.length, p * p)
  const seen = Float64Array.from(differences, (value, at) => (input.observed[Math.floor(at / p)] ? value : 0))
  requireAllFinite('differences', seen)
  const folds = makeFolds(input, input)
  const probabilities = crossFitProbabilities(input, folds, floor)
  const weights = probabilities.map((e, i) =>
    input.observed[i] ? Math.min(target === 'all' ? 1 / e : (1 - e) / e, 1 / floor) : 0,
  )
  const solve = (part: Float64Array): Omit<BasisElasticity, 'rows'> =>
    basisElasticityOfMoments(weightedMoments(seen, p, part), p, norm, actions, metric)
  const values = new Float64Array(rows)
  const regression = new Float64Array(rows)
  for (let fold = 0; fold < folds.count; fold++) {
    const { direction } = solve(weights.map((weight, i) => (folds.of[i] === fold ? 0 : weight)))
    const form = quadraticValues(seen, p, direction)
    const fitted = crossFitRegression(input, folds, form)
    for (let i = 0; i < rows; i++) {
      if (folds.of[i] !== fold) continue
      values[i] = form[i]!
      regression[i] = fitted[i]!
    }
  }
  const { observed } = input
  const split = missingMean({ values, observed, probabilities, regression, target, floor, level })
  const assumptions = MAR_ASSUMPTIONS
  const scale = hajekScale(weights, rows, target, split)
  const plugIn = rescale(solve(weights), scale)
  if (p === 1 || plugIn.gap >= smallGap)
    return Object.freeze({ plugIn, split, bootstrap: null, assumptions, warnings: split.warnings })
  const warning = theoryWarning('eigenvalue-gap-small', 'the worst direction is unstable: see the bootstrap interval', {
    gap: plugIn.gap,
  })
  const draws = bootstrap(random.split('bootstrap'), bootstrapDraws, weights, (part) => {
    return rescale(solve(part), hajekScale(part, rows, target, split)).printed
  })
  const tail = (1 - level) / 2
  const limits = Object.freeze({
    lower: quantile(draws, tail),
    upper: quantile(draws, 1 - tail),
    draws: bootstrapDraws,
  })
  return Object.freeze({
    plugIn,
    split,
    bootstrap: limits,
    assumptions,
    warnings: Object.freeze([...split.warnings, warning]),
  })
}

/** B^2 (v'Delta_i)^2; the direction already has length B in the metric. */
function quadraticValues(differences: Float64Array, p: number, direction: readonly number[]): Float64Array {
  const out = new Float64Array(differences.length / p)
  for (let i = 0; i < out.length; i++) {
    let sum = 0
    for (let k = 0; k < p; k++) sum += direction[k]! * differences[i * p + k]!
    out[i] = sum * sum
  }
  return out
}

/** Turns (1/rows) sum w into a weighted mean, times the missing share for target 'missing'. */
function hajekScale(weights: Float64Array, rows: number, target: 'all' | 'missing', split: MissingMean): number {
  let total = 0
  for (const weight of weights) total += weight
  if (total === 0) return 0
  return ((target === 'all' ? 1 : 1 - split.observed / split.rows) * rows) / total
}

function rescale(answer: Omit<BasisElasticity, 'rows'>, scale: number): Omit<BasisElasticity, 'rows'> {
  const maxInside = { lower: answer.maxInside.lower * scale, upper: answer.maxInside.upper * scale }
  return Object.freeze({ ...answer, printed: answer.printed * scale, maxInside: Object.freeze(maxInside) })
}

/** Sorted values of the statistic under resampled row weights. */
function bootstrap(
  random: Random,
  draws: number,
  weights: Float64Array,
  statistic: (weights: Float64Array) => number,
): Float64Array {
  const rows = weights.length
  const out = new Float64Array(draws)
  const part = new Float64Array(rows)
  for (let draw = 0; draw < draws; draw++) {
    part.fill(0)
    for (let i = 0; i < rows; i++) {
      const row = random.integer(rows)
      part[row] = part[row]! + weights[row]!
    }
    out[draw] = statistic(part)
  }
  return out.sort()
}

/** By linear interpolation between order statistics. */
function quantile(sorted: Float64Array, p: number): number {
  const at = p * (sorted.length - 1)
  const low = Math.floor(at)
  const high = Math.min(sorted.length - 1, low + 1)
  return sorted[low]! + (at - low) * (sorted[high]! - sorted[low]!)
}
