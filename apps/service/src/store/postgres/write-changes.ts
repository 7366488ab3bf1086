// The changes of a batch as a few statements of many rows.

import type { ClientBase } from 'pg'
import type { ProblemRow } from '../../ledger/book.js'
import type { Changes } from '../../ledger/facts.js'
import { addTo, type Summed, seal } from '../../ledger/sums.js'
import { partsOf, problemsPart } from './changed-rows.js'
import { createPartitions, dropLog, dropMonths, OF_ROUNDS } from './partitions.js'
import { writeParts } from './parts.js'

export async function writeChanges(client: ClientBase, changes: Changes, now: number): Promise<void> {
  for (const row of changes.created) {
    const { rows } = await client.query<{ id: number }>(
      `insert into problems (name, definition, version, revision, seed, created, retired, book)
       values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
      [row.name, JSON.stringify(row.definition), row.version, row.revision, row.seed, row.created, row.retired, '{}'],
    )
    ;(row as { id: number }).id = rows[0]!.id
    await createPartitions(client, row.id, now)
  }
  seal(changes)
  const parts = partsOf(changes)
  if (!takesAway(changes)) return writeParts(client, [...parts, problemsPart(changes)])
  await writeParts(client, parts)
  for (const { problem, version, start, below, seq, time } of changes.removals) {
    const row = [...changes.problems.values()].find(({ id }) => id === problem)!
    const removed = 'round >= 0 and (version = $2 and round < $3 or version < $2 and seq < $4)'
    const given = [version, below, seq]
    const decided = `decision in (select id from rounds where problem = $1 and ${removed})`
    await remove(client, row, 'rewards', decided, given)
    await remove(client, row, 'reveals', decided, given)
    await remove(client, row, 'rounds', removed, given)
    await remove(client, row, 'rounds', 'round < 0 and seq < $2', [seq])
    // Whole months first: what is left to delete row by row is a part of one.
    addTo(row.sums, 'log', -(await dropMonths(client, problem, time)))
    await remove(client, row, 'log', `seq < $2 and ${OF_ROUNDS}`, [seq])
    await remove(client, row, 'log', "round < $2 and kind <> 'decision' and seq > $3", [below, start])
  }
  await forget(client, changes)
  await writeParts(client, [problemsPart(changes)])
}

/** Tables, beside the log, of a problem that go with it. */
const OF_A_PROBLEM = ['rounds', 'rewards', 'reveals', 'snapshots'] as const

async function forget(client: ClientBase, { problems, replaced, forgottenReveals, purged }: Changes): Promise<void> {
  for (const { entry } of replaced) {
    const { problem, seq, time, body, checksum } = entry
    await client.query('update log set body = $4, checksum = $5 where problem = $1 and seq = $2 and time = $3', [
      problem,
      seq,
      time,
      body,
      checksum,
    ])
  }
  for (const { problem, decision } of forgottenReveals) {
    const row = [...problems.values()].find(({ id }) => id === problem)!
    await remove(client, row, 'reveals', 'decision = $2', [decision])
  }
  for (const { id } of purged) {
    await dropLog(client, id)
    for (const table of OF_A_PROBLEM) await client.query(`delete from ${table} where problem = $1`, [id])
    await client.query('delete from problems where id = $1', [id])
  }
}

/** Deletes rows of a problem and takes them out of its sums. */
async function remove(
  client: ClientBase,
  row: ProblemRow,
  table: Summed,
  which: string,
  given: readonly (number | string)[],
): Promise<void> {
  const { rows } = await client.query<{ gone: string }>(
    `with removed as (delete from ${table} where problem = $1 and ${which} returning checksum)
     select coalesce(sum(checksum), 0) % 4294967296 as gone from removed`,
    [row.id, ...given],
  )
  addTo(row.sums, table, -Number(rows[0]!.gone))
}

/** Whether rows go or change beyond what the parts write: the row of the problem, with the sums of all others, follows them. */
function takesAway({ removals, replaced, forgottenReveals, purged }: Changes): boolean {
  return removals.length + replaced.length + forgottenReveals.length + purged.length > 0
}
