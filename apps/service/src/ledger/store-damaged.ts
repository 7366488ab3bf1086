// What is stored is not what was written.

import type { ProblemRow } from './book.js'
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
import { ServiceError } from './service-error.js'
import type { Sums } from './sums.js'

/** Something of a store that is not what was written. */
export interface Damage {
  /** The problem that it belongs to; null: any. */
  readonly problem: string | null
  readonly detail: string
}

export class StoreDamaged extends ServiceError {
  override readonly name = 'StoreDamaged'
  /** Number of the problem; null: not known. */
  readonly problem: number | null

  constructor(detail: string, problem: number | null) {
    super('store-damaged', detail)
    this.problem = problem
  }
}

function check(whole: boolean, what: string, problem: number): void {
  if (!whole) throw new StoreDamaged(`${what} is damaged: it does not have its checksum`, problem)
}

export function wholeEntry(entry: LogEntry, checksum: number): LogEntry {
  check(entryChecksum(entry) === checksum, `record ${entry.seq}`, entry.problem)
  return entry
}

export function wholeRound(problem: number, round: RoundRow): RoundRow {
  check(roundChecksum(problem, round) === round.checksum, `the row of decision "${round.id}"`, problem)
  return round
}

export function wholeReward(row: RewardRow & { checksum: number }): number {
  check(rewardChecksum(row) === row.checksum, `reward "${row.rewardId}" of decision "${row.decision}"`, row.problem)
  return row.value
}

/** A truth that was revealed, as JSON. */
export function wholeReveal(row: RevealRow & { checksum: number }): string {
  check(revealChecksum(row) === row.checksum, `"${row.covariate}" of decision "${row.decision}"`, row.problem)
  return row.value
}

/** `hasState`: its state was read with it. */
export function wholeSnapshot(row: SnapshotRow, hasState: boolean): SnapshotRow {
  const whole = snapshotChecksum(row) === row.checksum && (!hasState || stateChecksum(row.state) === row.stateChecksum)
  check(whole, `policy ${row.version} of version ${row.problemVersion}`, row.problem)
  return row
}

export function wholeProblem(row: ProblemTexts & { checksum: number }): ProblemRow {
  check(problemChecksum(row) === row.checksum, `the row of problem "${row.name}"`, row.id)
  const { definition, book, sums, ...kept } = row
  return {
    ...kept,
    definition: JSON.parse(definition) as ProblemRow['definition'],
    book: JSON.parse(book) as ProblemRow['book'],
    sums: JSON.parse(sums) as Sums,
  }
}

/** What the log says is there. */
export function present<T>(row: T | undefined, what: string, problem: number): T {
  if (row === undefined) throw new StoreDamaged(`${what} is gone`, problem)
  return row
}
