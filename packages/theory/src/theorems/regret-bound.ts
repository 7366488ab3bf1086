// The regret bounds of Thm 2 and Thm 4 up to horizon T as named terms; the lemma's universal constant is taken as 1
// (method#theorems).
//   printed: the theorems' displays. Thm 4's third line has a free s (E4), read as s(T); its last term lacks sqrt(K)
//     (E29).
//   corrected: sqrt(K) sum_s Gamma_s * (rounds of epoch s up to T), term by term, + the rounds of epoch 1 (E13)
//     + what deciding on imputed values costs against an oracle that sees them (E8): 2 sqrt(E_miss) per round, or, when
//     only the bias remains (E46), the unavoidable regret (method#regret) + 2 sqrt(bias) per round, none of it times
//       sqrt(K).
// Rewards lie in [0,1], so a total above T says nothing: warning 'bound-vacuous'. Only the doubling schedule is
// covered.

import { requireAtLeast, requireInteger, requirePositive } from '@primo/numeric'
import { type Assumption, assumptionsOf } from '../assumptions.js'
import { type Formulas, requireFormulas } from '../formulas.js'
import { radiusAt } from '../radii/radius.js'
import { constantOne, type TheoryWarning, theoryWarning } from '../theory-warning.js'
import { doublingEpoch, roundsWithin } from './epoch-rows.js'
import { freezeTerms, largestTerm, sumOf, type Term } from './oracle-inequality.js'
import { peelingCount } from './peeling.js'
import { type EpochBound, type Theorem2Input, theorem2Epoch } from './theorem-2.js'
import { covariateRadiusAt } from './theorem-3.js'
import { type Theorem4Input, theorem4Epoch } from './theorem-4.js'

/** Up to which round regret is bounded. */
export interface HorizonOptions {
  /** T >= 1. */
  readonly horizon: number
  /**
   * Regret per round that no policy avoids without the missing values (method#regret); used where only bias remains.
   */
  readonly floorPerRound?: number
}

/** A problem for Theorem 2 up to a horizon. */
export type Theorem2RegretInput = Omit<Theorem2Input, 'epoch' | 'rows'> & HorizonOptions

/** A problem for Theorem 4 up to a horizon. */
export type Theorem4RegretInput = Omit<Theorem4Input, 'epoch' | 'rows' | 'calibrationRows'> & HorizonOptions

/** A bound on the regret as named terms. */
export interface RegretBound {
  readonly theorem: 2 | 4
  readonly formulas: Formulas
  readonly horizon: number
  readonly terms: readonly Term[]
  readonly largest: string
  readonly total: number
  readonly assumptions: readonly Assumption[]
  readonly warnings: readonly TheoryWarning[]
}

/** The regret bound of Theorem 2 (PRIMO). */
export function theorem2Regret(input: Theorem2RegretInput): RegretBound {
  const formulas = checkHorizon(input)
  const at = (epoch: number): EpochBound => theorem2Epoch({ ...input, epoch })
  if (formulas === 'corrected') {
    const gap = (bound: EpochBound): number =>
      2 * Math.sqrt(bound.route === 'bias' ? input.biasElasticity! : input.elasticity)
    const floor = input.floorPerRound ?? 2 * Math.sqrt(input.elasticity)
    return correctedRegret(2, input, at, gap, floor)
  }
  const { rewardSums, sqrtK, horizon } = printedSums(input)
  const elasticity = { name: 'elasticity', value: sqrtK * Math.sqrt(input.elasticity) * horizon }
  return regret(2, formulas, horizon, [rewardSums.oracle, elasticity, rewardSums.fluctuation, rewardSums.higherOrder])
}

/** The regret bound of Theorem 4 (PRIMO-Cal). */
export function theorem4Regret(input: Theorem4RegretInput): RegretBound {
  const formulas = checkHorizon(input)
  const { lipschitz, omega0 } = input
  const at = (epoch: number): EpochBound => theorem4Epoch({ ...input, epoch })
  if (formulas === 'corrected') {
    const floor = input.floorPerRound ?? 2 * lipschitz * omega0
    return correctedRegret(4, input, at, (bound) => 2 * bound.Upsilon!, floor)
  }
  const { rewardSums, sqrtK, horizon, last } = printedSums(input, 4)
  const { entropyExponent: d, delta0, etaBound: tau, floor, delta } = input
  const scale = (sqrtK * lipschitz) / floor
  let covariate = 0
  let observation = 0
  let fluctuation = 0
  for (let s = 2; s <= last; s++) {
    const rows = Math.max(1, 2 ** (s - 3))
    const radius = radiusAt('observationRadius', input.observationRadius, rows)
    covariate += delta0 ** (d / (d + 2)) * 2 ** ((-2 * (s - 3)) / (d + 2) + s - 1)
    observation += radius * 2 ** (s - 1)
    if (s < last) continue
    const q = covariateRadiusAt(input, 'printed', rows)
    const covariateLog = Math.log((s * s * peelingCount(1 + tau, q)) / delta)
    const observationLog = Math.log((s * s * peelingCount(2, radius)) / delta)
    fluctuation = Math.sqrt((1 + tau) ** 2 * covariateLog + observationLog) * 2 ** (s / 2)
  }
  return regret(4, formulas, horizon, [
    rewardSums.oracle,
    { name: 'covariate-class', value: scale * covariate },
    { name: 'observation-class', value: scale * observation },
    rewardSums.fluctuation,
    rewardSums.higherOrder,
    { name: 'calibration-fluctuation', value: scale * fluctuation },
    { name: 'covariate-noise', value: lipschitz * omega0 * horizon },
  ])
}

function checkHorizon(input: HorizonOptions & { readonly formulas?: Formulas }): Formulas {
  const { formulas = 'corrected', horizon, floorPerRound } = input
  requireFormulas(formulas)
  requireInteger('horizon', horizon, 1)
  if (floorPerRound !== undefined) requireAtLeast('floorPerRound', floorPerRound, 0)
  return formulas
}

interface PrintedSums {
  readonly horizon: number
  readonly last: number
  readonly sqrtK: number
  readonly rewardSums: { readonly oracle: Term; readonly fluctuation: Term; readonly higherOrder: Term }
}

function printedSums(input: Theorem2RegretInput | Theorem4RegretInput, theorem: 2 | 4 = 2): PrintedSums {
  const { horizon, actions, lambda, delta } = input
  requireInteger('actions', actions, 1)
  requirePositive('upsilon', input.upsilon)
  const last = doublingEpoch(horizon)
  // Validates everything else, once.
  if (theorem === 2) theorem2Epoch({ ...(input as Theorem2RegretInput), epoch: Math.max(2, last) })
  else theorem4Epoch({ ...(input as Theorem4RegretInput), epoch: Math.max(2, last) })
  const sqrtK = Math.sqrt(actions)
  let oracle = 0
  let fluctuation = 0
  let higherOrder = 0
  for (let s = 2; s <= last; s++) {
    const r = radiusAt('rewardRadius', input.rewardRadius, 2 ** (s - 2))
    const log = Math.log((4 * s * s * peelingCount(lambda, r)) / delta)
    oracle += r * 2 ** (s - 1)
    fluctuation += Math.sqrt(log + Math.log((8 * s * s) / delta)) * 2 ** (s / 2)
    // Thm 4 prints phi(4 s^2 r) where Thm 2 has 4 s^2 phi(r) (E4).
    const inner = theorem === 2 ? log : Math.log(peelingCount(lambda, 4 * s * s * r) / delta)
    higherOrder += (2 * inner) / r
  }
  const rewardSums = {
    oracle: { name: 'oracle', value: sqrtK * oracle },
    fluctuation: { name: 'fluctuation', value: sqrtK * fluctuation },
    higherOrder: { name: 'higher-order', value: sqrtK * higherOrder },
  }
  return { horizon, last, sqrtK, rewardSums }
}

function correctedRegret(
  theorem: 2 | 4,
  input: HorizonOptions & { readonly actions: number },
  at: (epoch: number) => EpochBound,
  gapOf: (bound: EpochBound) => number,
  floorPerRound: number,
): RegretBound {
  const { horizon } = input
  // Also for T <= 2, so that bad input is refused.
  at(2)
  const sqrtK = Math.sqrt(input.actions)
  const sums = new Map<string, number>([['first-epoch', roundsWithin(1, horizon)]])
  const add = (name: string, value: number): void => void sums.set(name, (sums.get(name) ?? 0) + value)
  for (let s = 2; s <= doublingEpoch(horizon); s++) {
    const rounds = roundsWithin(s, horizon)
    const bound = at(s)
    for (const { name, value } of bound.terms) add(name, sqrtK * value * rounds)
    add('imputation-gap', gapOf(bound) * rounds)
    if (bound.route === 'bias') add('floor', floorPerRound * rounds)
  }
  return regret(
    theorem,
    'corrected',
    horizon,
    [...sums].map(([name, value]) => ({ name, value })),
  )
}

function regret(theorem: 2 | 4, formulas: Formulas, horizon: number, terms: readonly Term[]): RegretBound {
  const total = sumOf(terms)
  const vacuous = theoryWarning('bound-vacuous', 'the bound is not below T, which bounds the regret of any policy', {
    total,
    horizon,
  })
  return Object.freeze({
    theorem,
    formulas,
    horizon,
    terms: freezeTerms(terms),
    largest: largestTerm(terms),
    total,
    assumptions: assumptionsOf(theorem, formulas),
    warnings: Object.freeze(total >= horizon ? [constantOne(), vacuous] : [constantOne()]),
  })
}
