// Rows of the tables as the ledger sees them.

import type { Book, ProblemRow } from '../../ledger/book.js'
import type { LogEntry, RoundRow, RoundState, SnapshotRow } from '../../ledger/facts.js'

export interface RawProblem {
  id: number
  name: string
  definition: string
  version: number
  revision: number
  seed: number
  created: number
  retired: number | null
  book: string
}

export function problemOf(raw: RawProblem): ProblemRow {
  return {
    id: raw.id,
    name: raw.name,
    definition: JSON.parse(raw.definition) as ProblemRow['definition'],
    version: raw.version,
    revision: raw.revision,
    seed: raw.seed,
    created: raw.created,
    retired: raw.retired,
    book: JSON.parse(raw.book) as Book,
  }
}

export interface RawRound {
  id: string
  event_id: string | null
  round: number
  version: number
  seq: number
  action: string
  holdout: number
  state: string
  arrivals: number
  value: number
  deadline: number | null
}

export function roundOf(raw: RawRound): RoundRow {
  return {
    id: raw.id,
    eventId: raw.event_id,
    round: raw.round,
    version: raw.version,
    seq: raw.seq,
    action: raw.action,
    holdout: raw.holdout === 1,
    state: raw.state as RoundState,
    arrivals: raw.arrivals,
    value: raw.value,
    deadline: raw.deadline,
  }
}

export interface RawEntry {
  problem: number
  seq: number
  time: number
  kind: string
  round: number | null
  body: string
}

/** Rows of this driver carry the time of the query too; only the columns are ours. */
export function entryOf({ problem, seq, time, kind, round, body }: RawEntry): LogEntry {
  return { problem, seq, time, kind: kind as LogEntry['kind'], round, body }
}

export interface RawSnapshot {
  problem: number
  problem_version: number
  version: number
  epoch: number
  cut: number
  time: number
  state?: string
  report: string
}

export function snapshotOf(raw: RawSnapshot): SnapshotRow {
  const { problem, problem_version: problemVersion, version, epoch, cut, time, state = '', report } = raw
  return { problem, problemVersion, version, epoch, cut, time, state, report }
}
