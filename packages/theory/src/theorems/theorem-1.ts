// Theorem 1: how far the reward fit on imputed rows is from the true mean reward, ||fhat - f*||_2, with probability 1 -
// 4 delta (terms and both formulas: oracle-inequality.ts; method#theorems, errata E5-E7, E10-E12, E46).
//   printed: the universal constant is taken as 1, or the proof's numbers with proofConstants.
//   corrected: E_miss, or E_bias at noise bound lambda + 1 when given and smaller.
// Squared form, probability 1 - delta: the paper omits to replace delta by delta/4 (E12); corrected does, and uses (a_1
// + ... + a_k)^2 <= k (a_1^2 + ... + a_k^2). Printed, the bracket is given with its constant C(lambda, upsilon) left as
// 1.

import { requireAtLeast, requireOpenUnit, requirePositive } from '@primo/numeric'
import { type Assumption, assumptionsOf } from '../assumptions.js'
import { type Formulas, requireFormulas } from '../formulas.js'
import { type Radius, radiusAt } from '../radii/radius.js'
import { constantOne, type TheoryWarning, theoryWarning } from '../theory-warning.js'
import {
  ermConstants,
  freezeTerms,
  largestTerm,
  type OracleInequality,
  oracleInequality,
  sumOf,
  type Term,
} from './oracle-inequality.js'
import { peelingCount } from './peeling.js'

/** Inputs of Theorem 1 about a reward fit. */
export interface Theorem1Input {
  /** Default 'corrected'. */
  readonly formulas?: Formulas
  readonly rows: number
  /** r_N of the reward class. */
  readonly rewardRadius: Radius
  readonly lambda: number
  /** In (0, 1). */
  readonly delta: number
  /** Printed: E; corrected: E_miss. */
  readonly elasticity: number
  /** E_bias, corrected only. */
  readonly biasElasticity?: number
  /** upsilon(f*), printed only, > 0. */
  readonly upsilon?: number
  /** Printed only: the numbers of the proof instead of a universal constant taken as 1. Default false. */
  readonly proofConstants?: boolean
}

/** How far a reward fit on imputed rows can be from the truth. */
export interface Theorem1Bound {
  readonly theorem: 1
  readonly formulas: Formulas
  readonly form: 'root' | 'squared'
  readonly rows: number
  readonly terms: readonly Term[]
  readonly largest: string
  /** Bound on ||fhat - f*||_2, or on its square. */
  readonly bound: number
  readonly probability: number
  readonly route: 'elasticity' | 'bias'
  readonly assumptions: readonly Assumption[]
  readonly warnings: readonly TheoryWarning[]
}

/** Theorem 1: the error of the reward fit on imputed rows, root mean square. */
export function theorem1(input: Theorem1Input): Theorem1Bound {
  const { formulas, delta } = check(input)
  const { side, route } = inequality(input, delta)
  return bound('root', input, formulas, side.terms, 1 - 4 * delta, route, side.warnings)
}

/** Theorem 1 for the squared error. */
export function theorem1Squared(input: Theorem1Input): Theorem1Bound {
  const { formulas, delta, radius } = check(input)
  if (formulas === 'corrected') {
    const { side, route } = inequality(input, delta / 4)
    const count = side.terms.length
    const terms = side.terms.map(({ name, value }) => ({ name, value: count * value * value }))
    return bound('squared', input, formulas, terms, 1 - delta, route, side.warnings)
  }
  requirePositive('upsilon', input.upsilon)
  const { rows, lambda, elasticity } = input
  const log = Math.log(peelingCount(lambda, radius) / delta)
  const terms = [
    { name: 'oracle', value: radius * radius },
    { name: 'elasticity', value: elasticity },
    { name: 'fluctuation', value: (2 * log) / rows },
    { name: 'higher-order', value: (log / (radius * rows)) ** 2 },
    { name: 'average', value: Math.log(2 / delta) / rows },
  ]
  return bound('squared', input, formulas, terms, 1 - delta, 'elasticity', [constantOne()])
}

function check(input: Theorem1Input): { formulas: Formulas; delta: number; radius: number } {
  const { formulas = 'corrected', rows, lambda, delta, elasticity, biasElasticity } = input
  requireFormulas(formulas)
  requireAtLeast('rows', rows, 1)
  requireAtLeast('lambda', lambda, 0)
  requireOpenUnit('delta', delta)
  requireAtLeast('elasticity', elasticity, 0)
  if (biasElasticity !== undefined) requireAtLeast('biasElasticity', biasElasticity, 0)
  return { formulas, delta, radius: radiusAt('rewardRadius', input.rewardRadius, rows) }
}

/** The right-hand side at confidence delta per event, by the better route. */
export function inequality(
  input: Theorem1Input,
  delta: number,
): { readonly side: OracleInequality; readonly route: 'elasticity' | 'bias' } {
  const { formulas = 'corrected', rows, lambda, elasticity, biasElasticity } = input
  const radius = radiusAt('rewardRadius', input.rewardRadius, rows)
  const table = ermConstants(formulas, input.proofConstants)
  const imputation = [{ name: 'elasticity', value: Math.sqrt(elasticity) }]
  if (formulas === 'printed') {
    requirePositive('upsilon', input.upsilon)
    const side = oracleInequality({ rows, radius, lambda, delta, imputation, upsilon: input.upsilon }, table)
    return { side, route: 'elasticity' }
  }
  const whole = oracleInequality({ rows, radius, lambda, delta, imputation }, table)
  if (biasElasticity === undefined) return { side: whole, route: 'elasticity' }
  const bias = [{ name: 'elasticity', value: Math.sqrt(biasElasticity) }]
  const sharper = oracleInequality({ rows, radius, lambda: lambda + 1, delta, imputation: bias }, table)
  return sharper.sum < whole.sum ? { side: sharper, route: 'bias' } : { side: whole, route: 'elasticity' }
}

function bound(
  form: 'root' | 'squared',
  input: Theorem1Input,
  formulas: Formulas,
  terms: readonly Term[],
  probability: number,
  route: 'elasticity' | 'bias',
  warnings: readonly TheoryWarning[],
): Theorem1Bound {
  const vacuous = theoryWarning('probability-vacuous', 'the bound is claimed with probability 0', {
    delta: input.delta,
  })
  return Object.freeze({
    theorem: 1,
    formulas,
    form,
    rows: input.rows,
    terms: freezeTerms(terms),
    largest: largestTerm(terms),
    bound: sumOf(terms),
    probability: Math.max(0, probability),
    route,
    assumptions: assumptionsOf(1, formulas),
    warnings: Object.freeze(probability > 0 ? [...warnings] : [...warnings, vacuous]),
  })
}
