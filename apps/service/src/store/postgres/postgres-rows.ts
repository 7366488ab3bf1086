// Rows of the tables as the ledger sees them; whole numbers of 64 bits come as text.

import type { Book, ProblemRow } from '../../ledger/book.js'
import type { LogEntry, RoundRow, RoundState, SnapshotRow } from '../../ledger/facts.js'

export interface RawProblem {
  id: number
  name: string
  definition: string
  version: number
  revision: number
  seed: string
  created: string
  retired: string | null
  book: string
}

export function problemOf(raw: RawProblem): ProblemRow {
  return {
    id: raw.id,
    name: raw.name,
    definition: JSON.parse(raw.definition) as ProblemRow['definition'],
    version: raw.version,
    revision: raw.revision,
    seed: Number(raw.seed),
    created: Number(raw.created),
    retired: raw.retired === null ? null : Number(raw.retired),
    book: JSON.parse(raw.book) as Book,
  }
}

export interface RawRound {
  problem: number
  id: string
  event_id: string | null
  round: string
  version: number
  seq: string
  action: string
  holdout: boolean
  state: string
  arrivals: number
  value: number
  deadline: string | null
}

export function roundOf(raw: RawRound): RoundRow {
  return {
    id: raw.id,
    eventId: raw.event_id,
    round: Number(raw.round),
    version: raw.version,
    seq: Number(raw.seq),
    action: raw.action,
    holdout: raw.holdout,
    state: raw.state as RoundState,
    arrivals: raw.arrivals,
    value: raw.value,
    deadline: raw.deadline === null ? null : Number(raw.deadline),
  }
}

export interface RawEntry {
  problem: number
  seq: string
  time: string
  kind: string
  round: string | null
  body: string
}

export function entryOf(raw: RawEntry): LogEntry {
  return {
    problem: raw.problem,
    seq: Number(raw.seq),
    time: Number(raw.time),
    kind: raw.kind as LogEntry['kind'],
    round: raw.round === null ? null : Number(raw.round),
    body: raw.body,
  }
}

export interface RawSnapshot {
  problem: number
  problem_version: number
  version: number
  epoch: number
  cut: string
  time: string
  state?: string
  report: string
}

export function snapshotOf(raw: RawSnapshot): SnapshotRow {
  return {
    problem: raw.problem,
    version: raw.version,
    problemVersion: raw.problem_version,
    epoch: raw.epoch,
    cut: Number(raw.cut),
    time: Number(raw.time),
    state: raw.state ?? '',
    report: raw.report,
  }
}
