// The mean of a value that is seen only where the covariate is observed, under MAR (method#elasticity-from-data). For target 'all' it is E[v],
// for 'missing' E[(1-b) v]; e = observation probability, m = E[v | x], w = 1/e or (1-e)/e; W = sum b w.
//   hajek: sum b w v / W  (times the missing share for 'missing').
//   aipw:  mean of psi,  psi = m + c b w (v - m)  or  (1-b) m + c b w (v - m), c = n/W or the number of missing rows/W; right if
//          either e or m is, and free of an error in the level of e.
// Interval: influence-interval.ts, on the log scale for values that are never below 0. Where the rows cannot support one (few observed
// values, in number or in effect, or none to be expected where they are rarest) it is [0, Infinity] and `unsupported` says why.

import { invalidOption, requireAllFinite, requireLength, requireOpenUnit, requireShare } from '@primo/numeric'
import { type TheoryWarning, theoryWarning } from '@primo/theory'
import { influenceInterval } from './influence-interval.js'
import { expectedWhereRarest } from './overlap.js'

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
  /** Confidence of the interval, in (0, 1). Default 0.95. */
  readonly level?: number
  /** Default 'log', for values that are never below 0. */
  readonly scale?: 'log' | 'linear'
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
  /** Of Student's t: how many rows the estimate rests on, so to say. */
  readonly degrees: number
  /** Why there is no interval; null: there is one. */
  readonly unsupported: TheoryWarning | null
  readonly warnings: readonly TheoryWarning[]
}

/** Fewer observed values in effect, (sum b w)^2 / sum b w^2 with w = 1/e, give no interval. */
const FEWEST_EFFECTIVE = 80
/** Observed values to expect in the tenth of the rows where they are rarest. */
const FEWEST_WHERE_RAREST = 1.5

/** By aipw where a regression is given and the result can be, else by hajek. */
export function missingMean(input: MissingMeanInput): MissingMean {
  const hajek = hajekMean(input)
  const nothingMissing = hajek.target === 'missing' && hajek.observed === hajek.rows
  if (input.regression === undefined || nothingMissing || hajek.effectiveRows === 0) return hajek
  const aipw = aipwMean(input)
  if (aipw.estimate > 0 || input.scale === 'linear') return aipw
  const warning = theoryWarning('augmented-not-positive', 'the augmented estimate is not positive: hajek is reported', {
    aipw: aipw.estimate,
  })
  return Object.freeze({ ...hajek, warnings: Object.freeze([...hajek.warnings, warning]) })
}

/** The mean of a value that is seen only where the covariate is observed. */
export function hajekMean(input: MissingMeanInput): MissingMean {
  const weighing = weigh(input)
  const { rows, weights, target, missingShare, total } = weighing
  const { values, observed } = input
  let sum = 0
  for (let i = 0; i < rows; i++) if (observed[i]) sum += weights[i]! * values[i]!
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
  const { estimate, influence } = aipwInfluence(input, weighing)
  return report('aipw', input, weighing, estimate, influence)
}

/** The estimate, and what each row moves it by, times the number of rows. */
export function aipwInfluence(input: MissingMeanInput, weighing: Weighing = weigh(input)) {
  const { values, observed, regression } = input
  const { rows, weights, target, total, missingShare } = weighing
  if (regression === undefined) invalidOption('regression', 'a value per row', regression)
  requireLength('regression', regression.length, rows)
  requireAllFinite('regression', regression)
  const factor = total > 0 ? (rows * (target === 'missing' ? missingShare : 1)) / total : 0
  const psi = new Float64Array(rows)
  let sum = 0
  for (let i = 0; i < rows; i++) {
    const m = regression[i]!
    const kept = target === 'missing' && observed[i] ? 0 : m
    psi[i] = kept + (observed[i] ? factor * weights[i]! * (values[i]! - m) : 0)
    sum += psi[i]!
  }
  const estimate = sum / rows
  for (let i = 0; i < rows; i++) psi[i] = psi[i]! - estimate
  return { estimate, influence: psi }
}

interface Weighing {
  readonly rows: number
  readonly weights: Float64Array
  /** sum b w. */
  readonly total: number
  readonly target: 'all' | 'missing'
  readonly missingShare: number
  readonly observed: number
}

function weigh(input: MissingMeanInput): Weighing {
  const { values, observed, probabilities, target = 'all', level = 0.95 } = input
  const rows = observed.length
  if (rows === 0) invalidOption('observed', 'a table with at least one row', observed)
  if (target !== 'all' && target !== 'missing') invalidOption('target', '"all" or "missing"', target)
  requireOpenUnit('level', level)
  requireLength('values', values.length, rows)
  requireLength('probabilities', probabilities.length, rows)
  const weights = new Float64Array(rows)
  let count = 0
  let total = 0
  for (let i = 0; i < rows; i++) {
    const e = probabilities[i]!
    requireShare(`probabilities[${i}]`, e)
    if (!observed[i]) continue
    count++
    if (!Number.isFinite(values[i]!)) invalidOption(`values[${i}]`, 'a finite number where observed', values[i])
    weights[i] = target === 'all' ? 1 / e : (1 - e) / e
    total += weights[i]!
  }
  if (count === 0) invalidOption('observed', 'a table with at least one observed row', 0)
  return { rows, weights, total, target, missingShare: (rows - count) / rows, observed: count }
}

function report(
  method: 'aipw' | 'hajek',
  input: MissingMeanInput,
  weighing: Weighing,
  estimate: number,
  influence: Float64Array,
): MissingMean {
  const { level = 0.95, scale = 'log' } = input
  const { rows, weights, total, target, missingShare, observed } = weighing
  const interval = influenceInterval(estimate, influence, { level, scale })
  let square = 0
  for (const weight of weights) square += weight * weight
  const effectiveRows = square > 0 ? (total * total) / square : 0
  const nothing = target === 'missing' && missingShare === 0
  const unsupported = nothing ? null : unsupportedBy(input.observed, input.probabilities)
  const warnings: TheoryWarning[] = []
  if (unsupported !== null) warnings.push(unsupported)
  if (nothing) warnings.push(theoryWarning('no-missing-rows', 'no row is missing: the estimate is 0', { rows }))
  return Object.freeze({
    method,
    target,
    estimate,
    ...interval,
    ...(unsupported === null ? {} : withoutEnd(scale)),
    level,
    rows,
    observed,
    effectiveRows,
    unsupported,
    warnings: Object.freeze(warnings),
  })
}

export function withoutEnd(scale: 'log' | 'linear') {
  const lower = scale === 'log' ? 0 : Number.NEGATIVE_INFINITY
  return { lower, upper: Number.POSITIVE_INFINITY, upperLimit: Number.POSITIVE_INFINITY }
}

/**
 * Why these rows cannot support an interval; null: they can. It looks at who is observed and never at the values: an interval that
 * is shown only where the values look tame would be too short.
 */
export function unsupportedBy(observed: ArrayLike<number>, probabilities: ArrayLike<number>): TheoryWarning | null {
  const effectiveRows = effectiveRowsOf(observed, probabilities)
  if (effectiveRows < FEWEST_EFFECTIVE)
    return theoryWarning('few-effective-rows', `fewer than ${FEWEST_EFFECTIVE} values are observed in effect`, {
      effectiveRows,
    })
  const expected = expectedWhereRarest(probabilities)
  if (expected < FEWEST_WHERE_RAREST)
    return theoryWarning('nothing-where-rarest', 'in a tenth of the contexts hardly any value is ever observed', {
      expected,
    })
  return null
}

/** (sum w)^2 / sum w^2 of the weights 1/e of observed rows. */
export function effectiveRowsOf(observed: ArrayLike<number>, probabilities: ArrayLike<number>): number {
  let sum = 0
  let square = 0
  for (let i = 0; i < observed.length; i++) {
    if (!observed[i]) continue
    sum += 1 / probabilities[i]!
    square += 1 / probabilities[i]! ** 2
  }
  return square > 0 ? (sum * sum) / square : 0
}
