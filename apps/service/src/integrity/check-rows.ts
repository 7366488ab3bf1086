// Every row against its checksum, all rows of a problem against its sums, its records against their numbers.

import type { ProblemRow } from '../ledger/book.js'
import type { RawStore, Scanned } from '../ledger/raw-store.js'
import { type Damage, wholeProblem } from '../ledger/store-damaged.js'
import { SUMMED, type Summed } from '../ledger/sums.js'

interface Seen {
  readonly row: ProblemRow
  readonly sums: Record<Summed, number>
  /** The newest record. */
  seq: number
  rows: number
}

export interface CheckedRows {
  /** Problems whose own row is whole. */
  readonly problems: readonly ProblemRow[]
  readonly rows: number
}

export async function checkRows(store: RawStore, found: (damage: Damage) => void): Promise<CheckedRows> {
  const seen = new Map<number, Seen>()
  const nameOf = (problem: number) => seen.get(problem)?.row.name ?? `number ${problem}`
  for await (const stored of store.problems()) {
    if ('unreadable' in stored) found({ problem: null, detail: stored.unreadable })
    else if (!stored.whole) found({ problem: stored.row.name, detail: `${stored.name} is damaged` })
    else {
      const sums = { log: 0, rounds: 0, rewards: 0, reveals: 0, snapshots: 0 }
      seen.set(stored.problem, { row: wholeProblem(stored.row), sums, seq: 0, rows: 0 })
    }
  }
  let rows = 0
  for (const table of SUMMED) {
    for await (const stored of store.rows(table) as AsyncIterable<Scanned<{ readonly seq?: number }>>) {
      rows++
      if ('unreadable' in stored) {
        found({ problem: null, detail: stored.unreadable })
        continue
      }
      const { problem, name, whole, checksum, row } = stored
      if (!whole) found({ problem: nameOf(problem), detail: `${name} is damaged` })
      const of = seen.get(problem)
      if (of === undefined) continue
      of.sums[table] = (of.sums[table] + checksum) | 0
      if (table !== 'log') continue
      // Retention and repair take records out of the middle: the sums say whether others are missing too.
      const { seq } = row as { seq: number }
      const { kept, repaired = 0 } = of.row.book
      if (seq !== of.seq + 1 && kept === 0 && seq > repaired)
        found({ problem: nameOf(problem), detail: `records ${of.seq + 1} to ${seq - 1} are gone` })
      of.seq = seq
    }
  }
  for (const { row, sums, seq } of seen.values()) {
    if (seq !== row.book.seq)
      found({ problem: row.name, detail: `the log ends with record ${seq}, it had ${row.book.seq}` })
    for (const table of SUMMED)
      if (sums[table] !== row.sums[table])
        found({ problem: row.name, detail: `${table}: rows are gone, changed or too many (their sum is another)` })
  }
  return { problems: [...seen.values()].map(({ row }) => row), rows }
}
