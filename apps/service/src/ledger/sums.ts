// Sums of the checksums of all rows of a problem, table by table, in the row of the problem. A row that is gone, changed or too
// many shows in them. Sums, and not a chain of hashes, because retention and forgetting take rows out of the middle: what goes
// is subtracted in the transaction that removes it, and nothing of it is left behind.

import type { ProblemRow } from './book.js'
import { entryChecksum, revealChecksum, rewardChecksum, roundChecksum, snapshotChecksum } from './checksums.js'
import type { Changes } from './facts.js'

export const SUMMED = ['log', 'rounds', 'rewards', 'reveals', 'snapshots'] as const

export type Summed = (typeof SUMMED)[number]

/** `writes`: how often the row of the problem was written. */
export type Sums = { writes: number } & Record<Summed, number>

export function noSums(): Sums {
  return { writes: 0, log: 0, rounds: 0, rewards: 0, reveals: 0, snapshots: 0 }
}

export function addTo(sums: Sums, table: Summed, checksum: number): void {
  sums[table] = (sums[table] + checksum) | 0
}

/** What was acknowledged last of a problem. */
export interface Acknowledged {
  readonly writes: number
  readonly seq: number
  /** Of the problem's row, which has the sums of all others. */
  readonly checksum: number
}

/** Gives every row of a batch its checksum and adds it to the sums of its problem. New problems have their number by now. */
export function seal({ problems, created, log, newRounds, changedRounds, roundProblem, ...more }: Changes): void {
  const rows = new Map<number, ProblemRow>()
  for (const row of problems.values()) {
    rows.set(row.id, row)
    row.sums.writes++
  }
  const add = (table: Summed, problem: number, checksum: number) => addTo(rows.get(problem)!.sums, table, checksum)
  for (const entry of log) {
    if (entry.problem === 0) entry.problem = created[0]!.id
    entry.checksum = entryChecksum(entry)
    add('log', entry.problem, entry.checksum)
  }
  for (const { before, entry } of more.replaced) {
    entry.checksum = entryChecksum(entry)
    add('log', entry.problem, entry.checksum - entryChecksum(before))
  }
  for (const rounds of [newRounds, changedRounds]) {
    for (const round of rounds) {
      const problem = roundProblem.get(round) || created[0]!.id
      roundProblem.set(round, problem)
      const before = round.checksum
      round.checksum = roundChecksum(problem, round)
      add('rounds', problem, round.checksum - before)
    }
  }
  for (const row of more.rewards) {
    row.checksum = rewardChecksum(row)
    add('rewards', row.problem, row.checksum)
  }
  for (const row of more.reveals) {
    row.checksum = revealChecksum({ ...row, value: JSON.stringify(row.value) })
    add('reveals', row.problem, row.checksum)
  }
  for (const row of more.snapshots) {
    row.checksum = snapshotChecksum(row)
    add('snapshots', row.problem, row.checksum)
  }
}
