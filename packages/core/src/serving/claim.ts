// What a caller that decided in its own process says of a decision, and how that is compared with the same decision made again.

import type { GuardedChoice } from './guarded-decider.js'

/** A decision as its caller states it. */
export interface Claim {
  readonly action: string
  /** Of the whole procedure. */
  readonly propensity: number
  /** Of the action; null: nothing was learnt yet. */
  readonly score: number | null
  /** The covariates as they were used, inside units. */
  readonly used: readonly number[]
}

/** The statement about a decision that was just made. */
export function claimOf(
  { choice, action, propensities }: GuardedChoice,
  actions: readonly string[],
  learnt: boolean,
): Claim {
  return {
    action: actions[action]!,
    propensity: propensities[action]!,
    score: learnt ? choice.scores[action]! : null,
    used: Array.from(choice.covariates),
  }
}

/** Relative; other machines may round the last digits of exp and log otherwise. */
const TOLERANCE = 1e-9

/** The first field in which two statements differ; null: they agree. */
export function differingField(stated: Claim, own: Claim): keyof Claim | null {
  if (stated.used.length !== own.used.length || stated.used.some((value, k) => !near(value, own.used[k]!)))
    return 'used'
  if ((stated.score === null) !== (own.score === null)) return 'score'
  if (own.score !== null && stated.action === own.action && !near(stated.score!, own.score)) return 'score'
  if (stated.action !== own.action) return 'action'
  return near(stated.propensity, own.propensity) ? null : 'propensity'
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * Math.max(1e-3, Math.abs(b))
}
