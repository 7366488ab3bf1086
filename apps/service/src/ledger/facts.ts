// What settling reads from the store and what it writes. A store answers from its transaction; changed rows are collected
// here, so that later commands of the same batch see them.

import type { ProblemRow } from './book.js'
import type { Value } from './commands.js'
import type { RecordKind } from './records.js'

export type RoundState = 'pending' | 'open' | 'closed' | 'dropped' | 'void' | 'expired'

/** A decision as the ledger sees it. */
export interface RoundRow {
  readonly id: string
  readonly eventId: string | null
  /** Counted from 0 in its version; -1: voided before it arrived. */
  readonly round: number
  readonly version: number
  /** Its record in the log. */
  readonly seq: number
  readonly action: string
  readonly holdout: boolean
  state: RoundState
  arrivals: number
  /** Aggregated so far, final once closed, in the user's units. */
  value: number
  /** When its window closes (open) or it expires (pending). */
  deadline: number | null
  /** As it is stored; 0: not stored yet. */
  checksum: number
}

export interface LogEntry {
  readonly problem: number
  readonly seq: number
  readonly time: number
  readonly kind: RecordKind
  readonly round: number | null
  /** JSON. */
  readonly body: string
}

/** A record to write: its JSON as text or in UTF-8. */
export interface NewEntry extends Omit<LogEntry, 'problem' | 'body'> {
  /** 0: of the problem that is created with it. */
  problem: number
  readonly body: string | Uint8Array
  checksum: number
}

export function bodyText(body: NewEntry['body']): string {
  return typeof body === 'string' ? body : UTF8.decode(body)
}

const UTF8 = new TextDecoder()

export interface SnapshotRow {
  readonly problem: number
  readonly version: number
  readonly problemVersion: number
  readonly epoch: number
  readonly cut: number
  readonly time: number
  readonly state: string
  readonly report: string
  /** The version of Primo that fitted it; null: one that did not say. */
  readonly software: string | null
  readonly stateChecksum: number
  checksum: number
}

/** Reads of one transaction. */
export interface Facts {
  readonly problem: (name: string) => ProblemRow | undefined
  /** By decision id, else by event id. */
  readonly round: (problem: number, ref: string) => RoundRow | undefined
  readonly roundOfEvent: (problem: number, eventId: string) => RoundRow | undefined
  readonly reward: (problem: number, decision: string, rewardId: string) => number | undefined
  readonly reveals: (problem: number, decision: string) => Readonly<Record<string, Value>>
  /** Body of a record. */
  readonly body: (problem: number, seq: number) => string
  /** Open and pending rounds whose deadline has passed, earliest first. */
  readonly due: (problem: number, now: number, limit: number) => readonly RoundRow[]
  /** All rounds that have a deadline; asked for where the clock is confirmed. */
  readonly waiting: (problem: number) => readonly RoundRow[]
  /** Of decisions by the numbers of their records; asked for where they are forgotten. */
  readonly recordsOf: (problem: number, seqs: readonly number[]) => readonly DecisionRecords[]
  readonly hasSnapshot: (problem: number, problemVersion: number, version: number) => boolean
  /** Rounds decided, or voided unseen, before this time; undefined: none. */
  readonly old: (row: ProblemRow, time: number) => OldRounds | undefined
}

/** A decision's record, and the truths that came later. */
export interface DecisionRecords {
  readonly decision: LogEntry
  readonly reveals: readonly LogEntry[]
}

export interface OldRounds {
  /** Number of the first record that is not old. */
  readonly seq: number
  /** The first round of the running version that is not old. */
  readonly below: number
  /** Old rounds of the running version that are still open or pending. */
  readonly unfinished: readonly RoundRow[]
}

/** Writes of one transaction. */
export interface Changes {
  readonly problems: Map<string, ProblemRow>
  readonly created: ProblemRow[]
  readonly log: NewEntry[]
  readonly newRounds: RoundRow[]
  readonly changedRounds: Set<RoundRow>
  /** Problem of each round that is written. */
  readonly roundProblem: Map<RoundRow, number>
  readonly rewards: { problem: number; decision: string; rewardId: string; value: number; checksum: number }[]
  readonly reveals: { problem: number; decision: string; covariate: string; value: Value; checksum: number }[]
  readonly snapshots: SnapshotRow[]
  /** Retention removes the rounds decided before the record `seq`, which was written at `time`. In the running version, whose log begins with `start`, those are the rounds below `below`. */
  readonly removals: { problem: number; version: number; start: number; below: number; seq: number; time: number }[]
  /** Records that get another body. */
  readonly replaced: { before: LogEntry; entry: NewEntry }[]
  /** Decisions whose truths go. */
  readonly forgottenReveals: { problem: number; decision: string }[]
  /** Problems that go, with all that belongs to them. */
  readonly purged: ProblemRow[]
}

export function noChanges(): Changes {
  return {
    problems: new Map(),
    created: [],
    log: [],
    newRounds: [],
    changedRounds: new Set(),
    roundProblem: new Map(),
    rewards: [],
    reveals: [],
    snapshots: [],
    removals: [],
    replaced: [],
    forgottenReveals: [],
    purged: [],
  }
}
