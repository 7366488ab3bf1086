// Which decisions someone asks for.

import type { DecisionFilter } from '@primo/contract'
import type { DecisionRecord } from '../ledger/records.js'
import type { StoredDecision } from '../ledger/store.js'
import { missingOf } from './imported.js'
import { rewardOutcome } from './reward-outcome.js'

export type DecisionTest = (stored: StoredDecision, record: DecisionRecord) => boolean

export function decisionTest(
  { action, missing, source, holdout, status, from, to }: DecisionFilter,
  aggregate: string | undefined,
): DecisionTest {
  const tests: DecisionTest[] = []
  if (action !== undefined) tests.push(({ round }) => round.action === action)
  if (holdout !== undefined) tests.push(({ round }) => round.holdout === (holdout === 'true'))
  if (from !== undefined) tests.push(({ entry }) => entry.time >= Number(from))
  if (to !== undefined) tests.push(({ entry }) => entry.time < Number(to))
  if (status !== undefined) tests.push((stored) => rewardOutcome(stored, aggregate).rewardStatus === status)
  if (source !== undefined)
    tests.push((_, record) => Object.values(record.reply.covariates).some((use) => use.source === source))
  if (missing !== undefined) tests.push((_, record) => lacks(missingOf(record), missing))
  return (stored, record) => tests.every((test) => test(stored, record))
}

function lacks(names: readonly string[], asked: string): boolean {
  if (asked === 'none' || asked === 'any') return names.length > 0 === (asked === 'any') || names.includes(asked)
  return names.includes(asked)
}
