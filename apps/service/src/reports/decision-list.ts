// The decisions of a problem, newest first, a part at a time: a part ends when it is full, or when looking has taken long enough.

import type { DecisionFilter, DecisionList, DecisionRow } from '@primo/contract'
import type { ProblemRow } from '../ledger/book.js'
import type { DecisionRecord } from '../ledger/records.js'
import type { LogReader, StoredDecision } from '../ledger/store.js'
import { decisionTest } from './decision-filter.js'
import { decisionsBetween, roundsBetween } from './decisions-between.js'
import { decidedAt, missingOf } from './imported.js'
import { rewardOutcome } from './reward-outcome.js'

type Reads = Pick<LogReader, 'readDecisions'>

export interface ListPart {
  readonly filter: DecisionFilter
  /** Only rounds below this one, counted from 0. */
  readonly before: number
  readonly limit: number
}

const PAGE = 200
/** Milliseconds of looking for one part. */
const PATIENCE = 250

export async function listDecisions(reader: Reads, row: ProblemRow, part: ListPart): Promise<DecisionList> {
  const { aggregate } = row.definition.reward
  const test = decisionTest(part.filter, aggregate)
  const { first, end } = await roundsBetween(reader, row, timesOf(part.filter))
  const until = performance.now() + PATIENCE
  const decisions: DecisionRow[] = []
  let looked = 0
  let back: number | null = null
  let next = Math.min(part.before, end)
  while (next > first && decisions.length < part.limit && (looked === 0 || performance.now() < until)) {
    const from = Math.max(first, next - PAGE)
    const page = (await reader.readDecisions(row.id, row.version, from, next - from)).filter(
      ({ round }) => round.round < next,
    )
    next = from
    for (const stored of page.reverse()) {
      looked++
      const record = JSON.parse(stored.entry.body) as DecisionRecord
      back = decidedAt(record, stored.entry.time)
      if (record.forgotten === true || !test(stored, record)) continue
      decisions.push(rowOf(stored, record, aggregate))
      if (decisions.length < part.limit) continue
      next = stored.round.round
      break
    }
  }
  return { decisions, next: next > first ? next : null, looked, back }
}

function rowOf(stored: StoredDecision, record: DecisionRecord, aggregate: string | undefined): DecisionRow {
  const { round, entry } = stored
  const { request, reply, learning, imported } = record
  const { served = imported as { propensity?: number | null } | undefined } = request
  const missing = missingOf(record)
  const { reward, rewardStatus } = rewardOutcome(stored, aggregate)
  return {
    decisionId: round.id,
    eventId: round.eventId,
    round: round.round + 1,
    time: decidedAt(record, entry.time),
    action: learning.action,
    propensity: served === undefined ? learning.propensity : (served.propensity ?? null),
    holdout: round.holdout,
    policyVersion: reply.policy.version,
    sources: Object.fromEntries(
      imported === undefined
        ? Object.entries(reply.covariates).map(([name, { source }]) => [name, source])
        : missing.map((name) => [name, 'imported']),
    ),
    missing,
    status: rewardStatus,
    reward,
  }
}

/** Those that an export takes, in order; the test of the filter is still to be made. */
export async function* filteredDecisions(
  reader: Reads,
  row: ProblemRow,
  filter: DecisionFilter,
): AsyncGenerator<StoredDecision> {
  const { first, end } = await roundsBetween(reader, row, timesOf(filter))
  yield* decisionsBetween(reader, row, first, filter.to === undefined ? Number.POSITIVE_INFINITY : end)
}

function timesOf({ from, to }: DecisionFilter): { from?: number; to?: number } {
  return { ...(from === undefined ? {} : { from: Number(from) }), ...(to === undefined ? {} : { to: Number(to) }) }
}
