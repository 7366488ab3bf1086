// The mean of a value that is seen only where the covariate is observed, under MAR (method#elasticity-from-data). For target
// 'all' it is E[v], for 'missing' E[(1-b) v]; e = observation probability, m = E[v | x], w = 1/e or (1-e)/e, weights capped at
// 1/floor.
//   hajek: sum b w v / sum b w  (times the missing share for 'missing').
//   aipw:  mean of psi,  psi = m + b w (v - m)  or  (1-b) m + b w (v - m); right if either e or m is.
// Interval on the log scale: exp(log M -+ z SE/M), which keeps it positive; one-sided upper limit with the same level.
// Hajek's standard error treats e as known, which is conservative when e is fitted. When aipw <= 0, hajek is reported.

import {
  invalidOption,
  normalQuantile,
  requireAllFinite,
  requireLength,
  requireOpenUnit,
  requireShare,
} from '@primo/numeric'
import { type TheoryWarning, theoryWarning } from '@primo/theory'

export interface MissingMeanInput {
  /** v_i; entries of unobserved rows are never read. */
  readonly values: ArrayLike<number>
  /** b_i, 0 or 1. */
  readonly observed: ArrayLike<number>
  /** e(x_i) in (0, 1], cross-fitted where fitted. */
  readonly probabilities: ArrayLike<number>
  /** m(x_i), cross-fitted; without it only hajek. */
  readonly regression?: ArrayLike<number>
  /** Default 'all'. */
  readonly target?: 'all' | 'missing'
  /** eps0 in (0, 1]; weights are capped at 1/floor. Default 0.05. */
  readonly floor?: number
  /** Confidence of the interval, in (0, 1). Default 0.95. */
  readonly level?: number
}

export interface MissingMean {
  readonly method: 'aipw' | 'hajek'
  readonly target: 'all' | 'missing'
  readonly estimate: number
  readonly standardError: number
  readonly lower: number
  readonly upper: number
  /** One-sided: the truth is below it with the given level. */
  readonly upperLimit: number
  readonly level: number
  readonly rows: number
  readonly observed: number
  /** (sum b w)^2 / sum b w^2. */
  readonly effectiveRows: number
  /** Observed rows whose weight was capped. */
  readonly capped: number
  readonly warnings: readonly TheoryWarning[]
}

/** By aipw where a regression is given and the result is positive, else by hajek. */
export function missingMean(input: MissingMeanInput): MissingMean {
  const hajek = hajekMean(input)
  const nothingMissing = hajek.target === 'missing' && hajek.observed === hajek.rows
  if (input.regression === undefined || nothingMissing || hajek.effectiveRows === 0) return hajek
  const aipw = aipwMean(input)
  if (aipw.estimate > 0) return aipw
  const warning = theoryWarning('augmented-not-positive', 'the augmented estimate is not positive: hajek is reported', {
    aipw: aipw.estimate,
  })
  return Object.freeze({ ...hajek, warnings: Object.freeze([...hajek.warnings, warning]) })
}

export function hajekMean(input: MissingMeanInput): MissingMean {
  const weighing = weigh(input)
  const { rows, weights, target, missingShare } = weighing
  const { values, observed } = input
  let total = 0
  let sum = 0
  for (let i = 0; i < rows; i++) {
    if (!observed[i]) continue
    total += weights[i]!
    sum += weights[i]! * values[i]!
  }
  const share = target === 'missing' ? missingShare : 1
  const mean = total > 0 ? sum / total : 0
  const influence = new Float64Array(rows)
  for (let i = 0; i < rows; i++) {
    const weighted = observed[i] && total > 0 ? (rows * weights[i]! * (values[i]! - mean)) / total : 0
    const counted = target === 'missing' ? mean * ((observed[i] ? 0 : 1) - missingShare) : 0
    influence[i] = share * weighted + counted
  }
  return report('hajek', input, weighing, share * mean, influence)
}

export function aipwMean(input: MissingMeanInput): MissingMean {
  const weighing = weigh(input)
  const { rows, weights, target } = weighing
  const { values, observed, regression } = input
  if (regression === undefined) invalidOption('regression', 'a value per row', regression)
  requireLength('regression', regression.length, rows)
  requireAllFinite('regression', regression)
  const psi = new Float64Array(rows)
  let sum = 0
  for (let i = 0; i < rows; i++) {
    const m = regression[i]!
    const kept = target === 'missing' && observed[i] ? 0 : m
    psi[i] = kept + (observed[i] ? weights[i]! * (values[i]! - m) : 0)
    sum += psi[i]!
  }
  const mean = sum / rows
  return report(
    'aipw',
    input,
    weighing,
    mean,
    psi.map((value) => value - mean),
  )
}

interface Weighing {
  readonly rows: number
  readonly weights: Float64Array
  readonly target: 'all' | 'missing'
  readonly missingShare: number
  readonly observed: number
  readonly capped: number
}

function weigh(input: MissingMeanInput): Weighing {
  const { values, observed, probabilities, target = 'all', floor = 0.05, level = 0.95 } = input
  const rows = observed.length
  if (rows === 0) invalidOption('observed', 'a table with at least one row', observed)
  if (target !== 'all' && target !== 'missing') invalidOption('target', '"all" or "missing"', target)
  requireShare('floor', floor)
  requireOpenUnit('level', level)
  requireLength('values', values.length, rows)
  requireLength('probabilities', probabilities.length, rows)
  const weights = new Float64Array(rows)
  let count = 0
  let capped = 0
  for (let i = 0; i < rows; i++) {
    const e = probabilities[i]!
    requireShare(`probabilities[${i}]`, e)
    if (!observed[i]) continue
    count++
    if (!Number.isFinite(values[i]!)) invalidOption(`values[${i}]`, 'a finite number where observed', values[i])
    const weight = target === 'all' ? 1 / e : (1 - e) / e
    if (weight > 1 / floor) capped++
    weights[i] = Math.min(weight, 1 / floor)
  }
  if (count === 0) invalidOption('observed', 'a table with at least one observed row', 0)
  return { rows, weights, target, missingShare: (rows - count) / rows, observed: count, capped }
}

function report(
  method: 'aipw' | 'hajek',
  input: MissingMeanInput,
  weighing: Weighing,
  estimate: number,
  influence: Float64Array,
): MissingMean {
  const { floor = 0.05, level = 0.95 } = input
  const { rows, weights, target, capped, missingShare } = weighing
  let square = 0
  for (const value of influence) square += value * value
  const standardError = Math.sqrt(square / Math.max(1, rows - 1) / rows)
  let total = 0
  let totalSquare = 0
  for (const weight of weights) {
    total += weight
    totalSquare += weight * weight
  }
  const effectiveRows = totalSquare > 0 ? (total * total) / totalSquare : 0
  const warnings: TheoryWarning[] = []
  if (capped > 0) warnings.push(theoryWarning('weights-capped', 'weights above 1/floor were capped', { capped, floor }))
  if (effectiveRows < 30) {
    warnings.push(theoryWarning('few-effective-rows', 'fewer than 30 effective rows', { effectiveRows }))
  }
  if (target === 'missing' && missingShare === 0) {
    warnings.push(theoryWarning('no-missing-rows', 'no row is missing: the estimate is 0', { rows }))
  }
  const spread = estimate > 0 ? standardError / estimate : 0
  return Object.freeze({
    method,
    target,
    estimate,
    standardError,
    lower: estimate / factor(normalQuantile((1 + level) / 2) * spread),
    upper: estimate * factor(normalQuantile((1 + level) / 2) * spread),
    upperLimit: estimate * factor(normalQuantile(level) * spread),
    level,
    rows,
    observed: weighing.observed,
    effectiveRows,
    capped,
    warnings: Object.freeze(warnings),
  })
}

/** exp, kept finite: an estimate far below its standard error has an interval without a useful end. */
function factor(exponent: number): number {
  return Math.exp(Math.min(600, exponent))
}
