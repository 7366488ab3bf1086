// A prediction that came with the request in place of what the problem's model says is the caller's: it is logged under no model.
// Where the problem says that predictions come with the request (`column`), they are its model's.

import type { MemberPredictions, Prediction } from '../problem/imputer.js'
import type { ServedProblem } from './served-problem.js'
import type { ServedUse } from './served-request.js'

type Given = Prediction | MemberPredictions | null

/** Names of the covariates whose predictions are the caller's; null: none. */
export function callersPredictions(
  { covariates }: Pick<ServedProblem, 'covariates'>,
  predictions: Readonly<Record<string, Given>> | undefined,
): ReadonlySet<string> | null {
  if (predictions === undefined) return null
  const names = Object.keys(predictions).filter((name) => isCallers(covariates[name]?.imputer, predictions[name]!))
  return names.length === 0 ? null : new Set(names)
}

function isCallers(imputer: ServedProblem['covariates'][string]['imputer'] | undefined, given: Given): boolean {
  if (imputer === undefined || imputer.kind === 'column') return false
  const { members } = imputer
  if (members === undefined || given === null || typeof given !== 'object' || !('members' in given)) return true
  return Object.keys((given as MemberPredictions).members).some((member) => members[member]?.kind !== 'column')
}

/** A value of a covariate whose prediction is the caller's. */
export function asCallers(use: ServedUse): ServedUse {
  const { fingerprint: _, ...rest } = use
  return { ...rest, version: 'caller', ...(use.source === 'pretrained' ? { source: 'caller' } : {}) }
}
