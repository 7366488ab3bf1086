// Rows of the tables as the ledger sees them: `...Of` if they have their checksum, `as...` as they are. Whole numbers of 64 bits
// come as text.

import type { ProblemRow } from '../../ledger/book.js'
import type { ProblemTexts } from '../../ledger/checksums.js'
import type { LogEntry, RoundRow, RoundState, SnapshotRow } from '../../ledger/facts.js'
import { wholeEntry, wholeProblem, wholeRound, wholeSnapshot } from '../../ledger/store-damaged.js'

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
  sums: string
  checksum: number
}

export function asProblem(raw: RawProblem): ProblemTexts & { checksum: number } {
  return {
    id: raw.id,
    name: raw.name,
    definition: raw.definition,
    version: raw.version,
    revision: raw.revision,
    seed: Number(raw.seed),
    created: Number(raw.created),
    retired: raw.retired === null ? null : Number(raw.retired),
    book: raw.book,
    sums: raw.sums,
    checksum: raw.checksum,
  }
}

export function problemOf(raw: RawProblem): ProblemRow {
  return wholeProblem(asProblem(raw))
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
  checksum: number
}

export function asRound(raw: RawRound): RoundRow {
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
    checksum: raw.checksum,
  }
}

export function roundOf(raw: RawRound): RoundRow {
  return wholeRound(raw.problem, asRound(raw))
}

export interface RawEntry {
  problem: number
  seq: string
  time: string
  kind: string
  round: string | null
  body: string
  checksum: number
}

export function asEntry(raw: RawEntry): LogEntry {
  return {
    problem: raw.problem,
    seq: Number(raw.seq),
    time: Number(raw.time),
    kind: raw.kind as LogEntry['kind'],
    round: raw.round === null ? null : Number(raw.round),
    body: raw.body,
  }
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
  cut: string
  time: string
  state?: string
  report: string
  software: string | null
  state_checksum: number
  checksum: number
}

export function asSnapshot(raw: RawSnapshot): SnapshotRow {
  return {
    problem: raw.problem,
    version: raw.version,
    problemVersion: raw.problem_version,
    epoch: raw.epoch,
    cut: Number(raw.cut),
    time: Number(raw.time),
    state: raw.state ?? '',
    report: raw.report,
    software: raw.software,
    stateChecksum: raw.state_checksum,
    checksum: raw.checksum,
  }
}

export function snapshotOf(raw: RawSnapshot): SnapshotRow {
  return wholeSnapshot(asSnapshot(raw), raw.state !== undefined)
}
