// What a call may cost in memory, known before anything is decided: the records of its decisions, of which the answer is a
// part. With many actions of long names a small body asks for very much.

import type { GivenRequest } from '../codec/codec.js'
import { ServiceError } from '../ledger/service-error.js'
import type { ProblemHost } from './problem-host.js'

/** Bytes of the records of one call, and of all that are being decided. */
const MAX_CALL = 32e6
const MAX_AT_ONCE = 128e6

/** Bytes beside names and values: numbers, punctuation, the policy; per action, covariate and decision. */
const PER_ACTION = 80
const PER_COVARIATE = 400
const PER_DECISION = 600

/** Counts a call until the returned function is called; throws too-large or overloaded. */
export type AdmitCall = (host: ProblemHost, given: readonly GivenRequest[]) => () => void

export function createBatchLimit(): AdmitCall {
  let atOnce = 0
  const known = new WeakMap<ProblemHost, number>()
  return (host, given) => {
    const each = known.get(host) ?? recordBytes(host)
    known.set(host, each)
    const bytes = given.reduce((sum, { json }) => sum + each + json.length, 0)
    // One decision is never too large: its problem could not be used at all.
    if (bytes > MAX_CALL && given.length > 1)
      throw new ServiceError(
        'too-large',
        `${given.length} decisions make up to ${megabytes(bytes)} of records, more than the limit of ${megabytes(MAX_CALL)}; send at most ${mostOf(given.length, bytes)} at a time`,
      )
    if (atOnce + bytes > MAX_AT_ONCE && atOnce > 0)
      throw new ServiceError('overloaded', `more than ${megabytes(MAX_AT_ONCE)} of records are being decided`)
    atOnce += bytes
    return () => {
      atOnce -= bytes
    }
  }
}

/** Of a decision with all actions, without its request. */
function recordBytes({ row: { definition } }: ProblemHost): number {
  const { actions, covariates } = definition
  let bytes = PER_DECISION
  for (const action of actions) bytes += Buffer.byteLength(action) + PER_ACTION
  for (const [name, covariate] of Object.entries(covariates)) {
    const levels = 'levels' in covariate ? covariate.levels : []
    const values = levels.reduce((sum, level) => sum + Buffer.byteLength(level) + PER_ACTION / 2, 0)
    // What was predicted and what was used.
    bytes += Buffer.byteLength(name) + PER_COVARIATE + 2 * values
  }
  return bytes
}

function mostOf(count: number, bytes: number): number {
  return Math.max(1, Math.floor((MAX_CALL * count) / bytes))
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}
