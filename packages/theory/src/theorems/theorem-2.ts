// Theorem 2 (PRIMO), epoch s >= 2: Gamma_s is the right-hand side of Thm 1 on the |D_{s-1}| rows of the epoch before,
// at delta/(4 s^2), and gamma_s = sqrt(K) / (2 Gamma_s). Terms: oracle-inequality.ts.
//   printed:   elasticity = E of the definition, upsilon required, Gamma_s without the universal constant (E40).
//   corrected: elasticity = E_miss (E5, E6), no upsilon (E7); with biasElasticity the sharper route sqrt(E_bias) at
//              noise bound lambda + 1 (E46) is tried too and the smaller Gamma_s kept.
// gamma_s never exceeds sqrt(K)/(2 sqrt(E)) (E39). Deviation: `rows` given by the caller replaces 2^(s-2) (E13).

import { requireAtLeast, requireInteger, requireOpenUnit } from '@primo/numeric'
import { type Assumption, assumptionsOf } from '../assumptions.js'
import { type Formulas, requireFormulas } from '../formulas.js'
import { type Radius, radiusAt } from '../radii/radius.js'
import { type TheoryWarning, theoryWarning } from '../theory-warning.js'
import { rewardRows } from './epoch-rows.js'
import { largestTerm, type OracleInequality, type Term } from './oracle-inequality.js'
import { inequality } from './theorem-1.js'

/** Inputs of Theorems 2 and 4 about an epoch. */
export interface EpochInput {
  /** Default 'corrected'. */
  readonly formulas?: Formulas
  /** s >= 2. */
  readonly epoch: number
  /** K. */
  readonly actions: number
  /** |D_{s-1}|; default that of the doubling schedule. */
  readonly rows?: number
  /** r_N of the reward class. */
  readonly rewardRadius: Radius
  /** Noise bound: |reward - mean| <= lambda. */
  readonly lambda: number
  /** In (0, 1). */
  readonly delta: number
}

/** An epoch of PRIMO. */
export interface Theorem2Input extends EpochInput {
  /** Printed: E; corrected: E_miss. */
  readonly elasticity: number
  /** E_bias, corrected only: the sharper route of E46. */
  readonly biasElasticity?: number
  /** upsilon(f*), printed only, > 0. */
  readonly upsilon?: number
}

/** The bound on an epoch: Gamma and gamma, with the terms behind them. */
export interface EpochBound {
  readonly theorem: 2 | 4
  readonly formulas: Formulas
  readonly epoch: number
  readonly rows: number
  /** Named parts of Gamma; they add up to it. */
  readonly terms: readonly Term[]
  readonly largest: string
  readonly Gamma: number
  /** Thm 4 only: what stands for the square root of the elasticity. */
  readonly Upsilon?: number
  readonly gamma: number
  /** Which bound on the imputation error was used: all of D, or its mean given the context (E46). */
  readonly route: 'elasticity' | 'bias'
  readonly assumptions: readonly Assumption[]
  readonly warnings: readonly TheoryWarning[]
}

export interface CheckedEpoch {
  readonly formulas: Formulas
  readonly rows: number
  readonly radius: number
  /** delta / (4 s^2). */
  readonly epochDelta: number
}

/** Theorem 2 (PRIMO) for one epoch. */
export function theorem2Epoch(input: Theorem2Input): EpochBound {
  const checked = checkEpoch(input)
  const { elasticity, biasElasticity } = input
  requireAtLeast('elasticity', elasticity, 0)
  if (biasElasticity !== undefined) requireAtLeast('biasElasticity', biasElasticity, 0)
  const { formulas, rows, radius: rewardRadius } = checked
  const { side, route } = inequality({ ...input, formulas, rows, rewardRadius }, checked.epochDelta)
  const remaining = route === 'bias' ? biasElasticity! : elasticity
  return epochBound(2, input, checked, side, route, saturation(input.actions, remaining))
}

export function checkEpoch(input: EpochInput): CheckedEpoch {
  const { formulas = 'corrected', epoch, actions, lambda, delta } = input
  requireFormulas(formulas)
  requireInteger('epoch', epoch, 2)
  requireInteger('actions', actions, 1)
  const rows = input.rows ?? rewardRows(formulas, epoch)
  requireAtLeast('rows', rows, 1)
  requireAtLeast('lambda', lambda, 0)
  requireOpenUnit('delta', delta)
  const radius = radiusAt('rewardRadius', input.rewardRadius, rows)
  return { formulas, rows, radius, epochDelta: delta / (4 * epoch * epoch) }
}

export function epochBound(
  theorem: 2 | 4,
  input: EpochInput,
  checked: CheckedEpoch,
  side: OracleInequality,
  route: 'elasticity' | 'bias',
  warnings: readonly TheoryWarning[],
  Upsilon?: number,
): EpochBound {
  return Object.freeze({
    theorem,
    formulas: checked.formulas,
    epoch: input.epoch,
    rows: checked.rows,
    terms: side.terms,
    largest: largestTerm(side.terms),
    Gamma: side.sum,
    ...(Upsilon === undefined ? {} : { Upsilon }),
    gamma: Math.sqrt(input.actions) / (2 * side.sum),
    route,
    assumptions: assumptionsOf(theorem, checked.formulas),
    warnings: Object.freeze([...side.warnings, ...warnings]),
  })
}

function saturation(actions: number, elasticity: number): readonly TheoryWarning[] {
  if (elasticity === 0) return []
  const ceiling = Math.sqrt(actions) / (2 * Math.sqrt(elasticity))
  return [
    theoryWarning('gamma-saturates', 'gamma stays below this ceiling however many rows are seen (E39)', { ceiling }),
  ]
}
