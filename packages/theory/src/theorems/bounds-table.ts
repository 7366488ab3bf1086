// The four theorems' bounds for one problem, epoch by epoch up to T, and Thm 2 and Thm 4 in total; as printed and
// corrected. Thm 1 (error of the reward fit) and Thm 3 (error of the calibrated imputer) are those of the epoch's
// training rows. A problem enters by its constants and its three function classes; each row names its terms and the
// largest of them.

import { requireInteger } from '@primo/numeric'
import type { Formulas } from '../formulas.js'
import { type FunctionClass, radiusOf } from '../radii/class-radius.js'
import { doublingEpoch, rewardRows, roundsWithin } from './epoch-rows.js'
import { type RegretBound, theorem2Regret, theorem4Regret } from './regret-bound.js'
import { type Theorem1Bound, theorem1 } from './theorem-1.js'
import { type EpochBound, theorem2Epoch } from './theorem-2.js'
import { type Theorem3Bound, theorem3 } from './theorem-3.js'
import { theorem4Epoch } from './theorem-4.js'

/** A problem as the theorems see it: its constants and its function classes. */
export interface ProblemConstants {
  /** K. */
  readonly actions: number
  readonly lambda: number
  /** In (0, 1), default 0.05. */
  readonly delta?: number
  readonly elasticity: {
    /** E of the definition. */
    readonly printed: number
    /** E_miss. */
    readonly missingOnly: number
    /** E_bias, when known. */
    readonly bias?: number
  }
  /** upsilon(f*); default the printed elasticity. */
  readonly upsilon?: number
  readonly lipschitz: number
  readonly omega0: number
  readonly etaBound: number
  readonly delta0: number
  /** eps0. */
  readonly floor: number
  readonly entropyExponent: number
  readonly rewardClass: FunctionClass
  readonly observationClass: FunctionClass
  /** Default: by the entropy exponent alone. */
  readonly covariateClass?: FunctionClass
  /** Whether radii carry the constant 16. Default true. */
  readonly constant16?: boolean
  readonly ball?: 'l2' | 'complexity'
  readonly weights?: 'ipw' | 'none'
  readonly universal?: 'one' | 'explicit'
  readonly linearInCovariate?: boolean
  readonly floorPerRound?: number
}

/** The theorems' bounds in one epoch. */
export interface BoundsRow extends EpochBound {
  /** Rounds of the epoch up to the horizon. */
  readonly rounds: number
}

/** The bound on an error that an epoch starts from. */
export type ErrorRow = (Theorem1Bound | Theorem3Bound) & { readonly epoch: number }

/** The four theorems' bounds for one problem, by epoch and in total. */
export interface BoundsTable {
  readonly horizon: number
  /** Thm 1 and Thm 3. */
  readonly errors: readonly ErrorRow[]
  readonly epochs: readonly BoundsRow[]
  readonly regret: readonly RegretBound[]
}

const BOTH: readonly Formulas[] = ['printed', 'corrected']

/** The four theorems for one problem up to a horizon, printed and corrected. */
export function boundsTable(constants: ProblemConstants, horizon: number): BoundsTable {
  requireInteger('horizon', horizon, 1)
  const epochs: BoundsRow[] = []
  const errors: ErrorRow[] = []
  const regret: RegretBound[] = []
  for (const formulas of BOTH) {
    const shared = sharedInput(constants, formulas)
    const second = { ...shared, ...elasticityInput(constants, formulas) }
    const fourth = { ...shared, ...calibrationInput(constants) }
    for (let epoch = 2; epoch <= doublingEpoch(horizon); epoch++) {
      const rounds = roundsWithin(epoch, horizon)
      const rows = rewardRows(formulas, epoch)
      errors.push(Object.freeze({ ...theorem1({ ...second, rows }), epoch }))
      errors.push(Object.freeze({ ...theorem3({ ...fourth, rows: Math.max(2, rows) }), epoch }))
      epochs.push(Object.freeze({ ...theorem2Epoch({ ...second, epoch }), rounds }))
      epochs.push(Object.freeze({ ...theorem4Epoch({ ...fourth, epoch }), rounds }))
    }
    const floor = constants.floorPerRound === undefined ? {} : { floorPerRound: constants.floorPerRound }
    regret.push(theorem2Regret({ ...second, ...floor, horizon }), theorem4Regret({ ...fourth, ...floor, horizon }))
  }
  epochs.sort(inOrder)
  errors.sort(inOrder)
  regret.sort((a, b) => a.theorem - b.theorem)
  return Object.freeze({
    horizon,
    errors: Object.freeze(errors),
    epochs: Object.freeze(epochs),
    regret: Object.freeze(regret),
  })
}

type Placed = { readonly theorem: number; readonly epoch: number; readonly formulas: Formulas }

function inOrder(a: Placed, b: Placed): number {
  return a.theorem - b.theorem || a.epoch - b.epoch || BOTH.indexOf(a.formulas) - BOTH.indexOf(b.formulas)
}

function sharedInput(constants: ProblemConstants, formulas: Formulas) {
  const { actions, lambda, delta = 0.05, rewardClass, constant16 = true, elasticity } = constants
  return {
    formulas,
    actions,
    lambda,
    delta,
    rewardRadius: radiusOf(rewardClass, constant16),
    elasticity: formulas === 'printed' ? elasticity.printed : elasticity.missingOnly,
    upsilon: constants.upsilon ?? elasticity.printed,
  }
}

function elasticityInput(constants: ProblemConstants, formulas: Formulas) {
  const { bias } = constants.elasticity
  return formulas === 'corrected' && bias !== undefined ? { biasElasticity: bias } : {}
}

function calibrationInput(constants: ProblemConstants) {
  const { constant16 = true, covariateClass, observationClass } = constants
  const { ball, weights, universal, linearInCovariate } = constants
  return {
    lipschitz: constants.lipschitz,
    omega0: constants.omega0,
    etaBound: constants.etaBound,
    delta0: constants.delta0,
    floor: constants.floor,
    entropyExponent: constants.entropyExponent,
    observationRadius: radiusOf(observationClass, constant16),
    ...(covariateClass === undefined ? {} : { covariateRadius: radiusOf(covariateClass, constant16) }),
    ...(ball === undefined ? {} : { ball }),
    ...(weights === undefined ? {} : { weights }),
    ...(universal === undefined ? {} : { universal }),
    ...(linearInCovariate === undefined ? {} : { linearInCovariate }),
  }
}
