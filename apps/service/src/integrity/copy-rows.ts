// All rows of a store, keys and time too, taken into a new one, of another kind perhaps. A row that is not whole ends it.

import type { ProblemRow } from '../ledger/book.js'
import { type Changes, noChanges } from '../ledger/facts.js'
import type { RawRows, RawStore, Scanned, StoredRow } from '../ledger/raw-store.js'
import { StoreDamaged, wholeProblem } from '../ledger/store-damaged.js'
import { noSums, SUMMED, type Summed } from '../ledger/sums.js'
import type { Restore } from '../store/open-restore.js'

const PAGE = 1000

export async function copyRows(source: RawStore, target: Restore): Promise<void> {
  const problems = new Map<number, ProblemRow>()
  for await (const scanned of source.problems()) {
    const { problem, row } = whole(scanned)
    const taken: ProblemRow = { ...wholeProblem(row), id: 0, sums: noSums(), checksum: 0 }
    const changes = noChanges()
    changes.created.push(taken)
    changes.problems.set(taken.name, taken)
    await target.write(changes)
    problems.set(problem, taken)
  }
  for (const table of SUMMED) {
    let changes = noChanges()
    let count = 0
    for await (const scanned of source.rows(table)) {
      const { problem, row } = whole<RawRows[Summed]>(scanned)
      const of = problems.get(problem)
      if (of === undefined) throw new StoreDamaged(`${table} has rows of no problem`, problem)
      changes.problems.set(of.name, of)
      TAKE[table](changes, of.id, row as never)
      if (++count % PAGE !== 0) continue
      await target.write(changes)
      changes = noChanges()
    }
    await target.write(changes)
  }
  await target.finish(await source.keys(), await source.time())
}

const TAKE: { readonly [Table in Summed]: (changes: Changes, problem: number, row: RawRows[Table]) => void } = {
  log: ({ log }, problem, row) => log.push({ ...row, problem, checksum: 0 }),
  rounds: ({ newRounds, roundProblem }, problem, row) => {
    const round = { ...row, checksum: 0 }
    newRounds.push(round)
    roundProblem.set(round, problem)
  },
  rewards: ({ rewards }, problem, row) => rewards.push({ ...row, problem, checksum: 0 }),
  reveals: ({ reveals }, problem, row) =>
    reveals.push({ ...row, problem, value: JSON.parse(row.value) as string | number | boolean, checksum: 0 }),
  snapshots: ({ snapshots }, problem, row) => snapshots.push({ ...row, problem, checksum: 0 }),
}

function whole<Row>(scanned: Scanned<Row>): StoredRow<Row> {
  if ('unreadable' in scanned) throw new StoreDamaged(scanned.unreadable, null)
  if (!scanned.whole)
    throw new StoreDamaged(`${scanned.name} is damaged: see primo verify and primo repair`, scanned.problem)
  return scanned
}
