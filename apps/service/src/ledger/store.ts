// What the service asks of a store. `commit` settles commands in group commits: it resolves when the records are durable and
// rejects with StoreUnavailable when that is not known. Nothing is half-written, and commands can be given again. Every store
// passes store/store.suite.ts.

import type { ProblemRow } from './book.js'
import type { Clock } from './clock.js'
import type { Command, Outcome, Value } from './commands.js'
import type { LogEntry, RoundRow, SnapshotRow } from './facts.js'
import { ServiceError } from './service-error.js'
import type { Damage } from './store-damaged.js'
import type { StoredKey } from './stored-key.js'

/** A problem after a commit, without its tallies: what the host reacts to. */
export interface Head {
  /** A problem that was purged and defined again has another number. */
  readonly id: number
  readonly name: string
  readonly version: number
  readonly revision: number
  readonly retired: boolean
  readonly seq: number
  readonly rounds: number
  readonly closed: number
  readonly policy: number
  readonly learnt: number
  readonly ending: number | null
  /** The record up to which a candidate is to be looked at. */
  readonly look: number | null
}

export function headOf(row: ProblemRow): Head {
  const { book } = row
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    revision: row.revision,
    retired: row.retired !== null,
    seq: book.seq,
    rounds: book.rounds,
    closed: book.closed,
    policy: book.policy,
    learnt: book.learnt,
    ending: book.ending?.cut ?? null,
    look: book.candidate?.due ?? null,
  }
}

/** A replica looks at a problem again when this changes. */
export function markOf({ id, version, revision, policy, learnt, ending, look, retired }: Head): string {
  return `${id}/${version}/${revision}/${policy}/${learnt}/${ending}/${look}/${retired}`
}

/** One decision with everything that was recorded of it. */
export interface StoredDecision {
  readonly round: RoundRow
  readonly entry: LogEntry
  readonly later: readonly LogEntry[]
  readonly revealed: Readonly<Record<string, Value>>
}

export type SnapshotInfo = Omit<SnapshotRow, 'state'>

/** What the service asks of a store; a commit resolves when its records are durable. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  /** Where it is, without secrets. */
  readonly place: string
  readonly commit: (commands: readonly Command[]) => Promise<readonly Outcome[]>
  /** The time by which commits are settled. */
  readonly clock: Pick<Clock, 'hold' | 'onChange'>
  /** What is known to be damaged. Commands for these problems are refused. */
  readonly damage: () => readonly Damage[]
  onDamage: (listener: (damage: Damage) => void) => void
  /** Called after each commit with the problems that changed. */
  onHeads: (listener: (heads: readonly Head[]) => void) => void
  /** Whether this process learns; a single process always does. */
  readonly leads: () => boolean
  onLeader: (listener: (leads: boolean) => void) => void
  /** Those whose rows are whole. */
  readonly problems: () => Promise<readonly ProblemRow[]>
  readonly problem: (name: string) => Promise<ProblemRow | undefined>
  /** Keys, revoked ones too. */
  readonly keys: () => Promise<readonly StoredKey[]>
  /** Writes a key if its name is free (`before` is null) or the stored key is still `before`; returns whether it did. */
  readonly writeKey: (key: StoredKey, before: StoredKey | null) => Promise<boolean>
  readonly snapshot: (problem: number, problemVersion: number, version: number) => Promise<SnapshotRow | undefined>
  /** Of all versions of the problem, oldest first. */
  readonly snapshots: (problem: number) => Promise<readonly SnapshotInfo[]>
  readonly decision: (problem: number, ref: string) => Promise<StoredDecision | undefined>
  /** Numbers of the decisions of a subject among the records after one and up to another. */
  readonly decisionsOf: (problem: number, subject: string, after: number, upTo: number) => Promise<readonly number[]>
  /** Leaves nothing of what was removed in the files; `whole`: writes them anew, which holds up writers. Whether it could. */
  readonly erase: (whole: boolean) => Promise<boolean>
  readonly readLog: (problem: number, after: number, limit: number) => Promise<readonly LogEntry[]>
  /** Rounds of a version in order, with all records of each, from a round on. */
  readonly readDecisions: (
    problem: number,
    problemVersion: number,
    from: number,
    limit: number,
  ) => Promise<readonly StoredDecision[]>
  /** All of them from a round on, in one reading that holds the store's resources until its end: for programs, not for requests. */
  readonly allDecisions: (problem: number, problemVersion: number, from: number) => AsyncIterable<StoredDecision>
  /** Whether the store can be written now; throws StoreUnavailable. */
  readonly check: () => Promise<void>
  /** What a thread needs to open a reader of this store. */
  readonly readerSpec: () => ReaderSpec
  readonly metrics: StoreMetrics
  readonly close: () => Promise<void>
}

export type ReaderSpec =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }

/** Reading the log from another thread or process. */
export interface LogReader extends Pick<Store, 'readDecisions'> {
  readonly read: (problem: number, after: number, upTo: number, limit: number) => Promise<readonly LogEntry[]>
  readonly close: () => Promise<void>
}

interface StoreMetrics {
  /** Commands that wait for a commit. */
  readonly queued: () => number
  onCommit: (observe: (seconds: { readonly commit: number; readonly commands: number }) => void) => void
}

/** The store cannot be written now. Nothing of the batch was written, or all of it if the connection broke during a commit. */
export class StoreUnavailable extends ServiceError {
  override readonly name = 'StoreUnavailable'

  constructor(detail: string) {
    super('store-unavailable', detail)
  }
}
