// The audit: for a random share of the missing values of a covariate the caller is asked to find out the truth. Whether a
// decision is asked is a function of (seed, covariate, decision id), so it says nothing about the value, the action or the
// reward, and a replay asks the same questions.

import { compileDraws, deriveKey, drawOfRound, type RandomKey } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import type { CovariateSpec } from '../problem/problem.js'

/** Which missing values the audit asks for: a function of seed, covariate and decision id. */
export interface AuditDraws {
  /** Probability of being asked, by covariate; 0: no audit. */
  readonly shares: readonly number[]
  readonly asks: (which: number, id: string) => boolean
  /** The same for the id of a round that has no id of its own: its number, counted from 1. */
  readonly asksRound: (which: number, number: number) => boolean
}

/** null: no covariate is audited. */
export function auditDraws(engine: Engine, root: RandomKey): AuditDraws | null {
  const { covariates } = engine.encoding
  const shares = covariates.map(({ feature }) => (feature as CovariateSpec).audit?.share ?? 0)
  if (shares.every((share) => share === 0)) return null
  const keys = covariates.map(({ name }) => deriveKey(root, 'audit', name))
  const draws = keys.map(compileDraws)
  return {
    shares,
    asks: (which, id) => draws[which]!(id) < shares[which]!,
    asksRound: (which, number) => drawOfRound(keys[which]!, number) < shares[which]!,
  }
}
