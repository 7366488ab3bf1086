// Rows of the tables as the ledger sees them: `...Of` if they have their checksum, `as...` as they are.

import type { ProblemRow } from '../../ledger/book.js'
import type { LogEntry, RoundRow, RoundState, SnapshotRow } from '../../ledger/facts.js'
import { wholeEntry, wholeProblem, wholeRound, wholeSnapshot } from '../../ledger/store-damaged.js'

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
  sums: string
  checksum: number
}

/** Rows of this driver carry the time of the query too; only the columns are ours. */
export function asProblem(raw: RawProblem): RawProblem {
  const { id, name, definition, version, revision, seed, created, retired, book, sums, checksum } = raw
  return { id, name, definition, version, revision, seed, created, retired, book, sums, checksum }
}

export function problemOf(raw: RawProblem): ProblemRow {
  return wholeProblem(asProblem(raw))
}

export interface RawRound {
  problem: number
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
  checksum: number
}

export function asRound(raw: RawRound): RoundRow {
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
    checksum: raw.checksum,
  }
}

export function roundOf(raw: RawRound): RoundRow {
  return wholeRound(raw.problem, asRound(raw))
}

export interface RawEntry {
  problem: number
  seq: number
  time: number
  kind: string
  round: number | null
  body: string
  checksum: number
}

export function asEntry({ problem, seq, time, kind, round, body }: RawEntry): LogEntry {
  return { problem, seq, time, kind: kind as LogEntry['kind'], round, body }
}

export function entryOf(raw: RawEntry): LogEntry {
  return wholeEntry(asEntry(raw), raw.checksum)
}

export interface RawReward {
  problem: number
  decision: string
  reward_id: string
  value: number
  checksum: number
}

export interface RawReveal {
  problem: number
  decision: string
  covariate: string
  value: string
  checksum: number
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
  software: string | null
  state_checksum: number
  checksum: number
}

export function asSnapshot(raw: RawSnapshot): SnapshotRow {
  const { problem, problem_version: problemVersion, version, epoch, cut, time, state = '', report, software } = raw
  const { state_checksum: stateChecksum, checksum } = raw
  return { problem, problemVersion, version, epoch, cut, time, state, report, software, stateChecksum, checksum }
}

export function snapshotOf(raw: RawSnapshot): SnapshotRow {
  return wholeSnapshot(asSnapshot(raw), raw.state !== undefined)
}
