// A store as it lies there: every row with its checksum, whether the two fit or not. For checking and for repair.

import {
  entryChecksum,
  type ProblemTexts,
  problemChecksum,
  type RevealRow,
  type RewardRow,
  revealChecksum,
  rewardChecksum,
  roundChecksum,
  snapshotChecksum,
  stateChecksum,
} from './checksums.js'
import type { LogEntry, RoundRow, SnapshotRow } from './facts.js'
import type { Store } from './store.js'
import type { Acknowledged, Summed } from './sums.js'

export interface RawRows {
  readonly log: LogEntry
  readonly rounds: RoundRow
  readonly rewards: RewardRow
  readonly reveals: RevealRow
  readonly snapshots: SnapshotRow
}

export interface StoredRow<Row> {
  readonly problem: number
  /** For a person. */
  readonly name: string
  readonly checksum: number
  readonly whole: boolean
  readonly row: Row
}

export type Scanned<Row> = StoredRow<Row> | { readonly unreadable: string }

export type StoredProblem = ProblemTexts & { readonly checksum: number }

/** What surrounds the rows. */
export interface Surroundings {
  /** Names of the migrations that the store has had, and of those that this version knows. */
  readonly migrations: readonly string[]
  readonly known: readonly string[]
  /** Bytes that it takes. */
  readonly bytes: number
  /** The file, on whose disk it grows; null: the disk is the database's affair. */
  readonly file: string | null
  /** Milliseconds that its database's clock is ahead of this machine's; null: it has none. */
  readonly ahead: number | null
}

/** A store that is only read, also while a service has it open. */
export interface RawStore
  extends Pick<Store, 'place' | 'problem' | 'snapshot' | 'readLog' | 'readDecisions' | 'keys' | 'close'> {
  /** The last known time; null: none. */
  readonly time: () => Promise<number | null>
  readonly surroundings: () => Promise<Surroundings>
  /** What the database itself finds wrong. */
  readonly structure: () => Promise<readonly string[]>
  readonly acknowledged: () => ReadonlyMap<number, Acknowledged>
  readonly problems: () => AsyncIterable<Scanned<StoredProblem>>
  /** All rows of a table; records of a problem in order. */
  readonly rows: <Table extends Summed>(table: Table) => AsyncIterable<Scanned<RawRows[Table]>>
}

export function storedProblem(row: StoredProblem): StoredRow<StoredProblem> {
  const whole = problemChecksum(row) === row.checksum
  return { problem: row.id, name: `the row of problem "${row.name}"`, checksum: row.checksum, whole, row }
}

export function storedEntry(row: LogEntry, checksum: number): StoredRow<LogEntry> {
  const whole = entryChecksum(row) === checksum
  return { problem: row.problem, name: `record ${row.seq}`, checksum, whole, row }
}

export function storedRound(problem: number, row: RoundRow): StoredRow<RoundRow> {
  const { id, checksum } = row
  return {
    problem,
    name: `the row of decision "${id}"`,
    checksum,
    whole: roundChecksum(problem, row) === checksum,
    row,
  }
}

export function storedReward(row: RewardRow & { readonly checksum: number }): StoredRow<RewardRow> {
  const { checksum } = row
  const name = `reward "${row.rewardId}" of decision "${row.decision}"`
  return { problem: row.problem, name, checksum, whole: rewardChecksum(row) === checksum, row }
}

export function storedReveal(row: RevealRow & { readonly checksum: number }): StoredRow<RevealRow> {
  const { checksum } = row
  const name = `"${row.covariate}" of decision "${row.decision}"`
  return { problem: row.problem, name, checksum, whole: revealChecksum(row) === checksum, row }
}

export function storedSnapshot(row: SnapshotRow): StoredRow<SnapshotRow> {
  const { problem, problemVersion, version, checksum } = row
  const whole = snapshotChecksum(row) === checksum && stateChecksum(row.state) === row.stateChecksum
  return { problem, name: `policy ${version} of version ${problemVersion}`, checksum, whole, row }
}
