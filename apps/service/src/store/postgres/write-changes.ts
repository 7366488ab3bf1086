// The changes of a batch as a few statements of many rows.

import type { ClientBase } from 'pg'
import type { ProblemRow } from '../../ledger/book.js'
import { problemChecksum } from '../../ledger/checksums.js'
import { bodyText, type Changes } from '../../ledger/facts.js'
import { addTo, type Summed, seal } from '../../ledger/sums.js'
import { type Cell, copyIn } from './copy.js'
import { createPartitions, dropLog, dropMonths } from './partitions.js'

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
  const { log, newRounds, changedRounds, roundProblem, rewards, reveals, snapshots } = changes
  await insert(client, 'log', log, [
    ['problem', 'int', ({ problem }) => problem],
    ['seq', 'bigint', ({ seq }) => seq],
    ['time', 'bigint', ({ time }) => time],
    ['kind', 'text', ({ kind }) => kind],
    ['round', 'bigint', ({ round }) => round],
    ['body', 'text', ({ body }) => bodyText(body)],
    ['checksum', 'int', ({ checksum }) => checksum],
  ])
  await insert(client, 'rounds', newRounds, [
    ['problem', 'int', (round) => roundProblem.get(round)!],
    ['id', 'text', ({ id }) => id],
    ['event_id', 'text', ({ eventId }) => eventId],
    ['round', 'bigint', ({ round }) => round],
    ['version', 'int', ({ version }) => version],
    ['seq', 'bigint', ({ seq }) => seq],
    ['action', 'text', ({ action }) => action],
    ['holdout', 'boolean', ({ holdout }) => holdout],
    ['state', 'text', ({ state }) => state],
    ['arrivals', 'int', ({ arrivals }) => arrivals],
    ['value', 'double precision', ({ value }) => value],
    ['deadline', 'bigint', ({ deadline }) => deadline],
    ['checksum', 'int', ({ checksum }) => checksum],
  ])
  if (changedRounds.size > 0) {
    await client.query(
      `update rounds r set state = c.state, arrivals = c.arrivals, value = c.value, deadline = c.deadline,
         checksum = c.checksum
       from unnest($1::int[], $2::text[], $3::text[], $4::int[], $5::double precision[], $6::bigint[], $7::int[])
         as c(problem, id, state, arrivals, value, deadline, checksum)
       where r.problem = c.problem and r.id = c.id`,
      columns(
        [...changedRounds],
        [
          (round) => roundProblem.get(round)!,
          ({ id }) => id,
          ({ state }) => state,
          ({ arrivals }) => arrivals,
          ({ value }) => value,
          ({ deadline }) => deadline,
          ({ checksum }) => checksum,
        ],
      ),
    )
  }
  await insert(client, 'rewards', rewards, [
    ['problem', 'int', ({ problem }) => problem],
    ['decision', 'text', ({ decision }) => decision],
    ['reward_id', 'text', ({ rewardId }) => rewardId],
    ['value', 'double precision', ({ value }) => value],
    ['checksum', 'int', ({ checksum }) => checksum],
  ])
  await insert(client, 'reveals', reveals, [
    ['problem', 'int', ({ problem }) => problem],
    ['decision', 'text', ({ decision }) => decision],
    ['covariate', 'text', ({ covariate }) => covariate],
    ['value', 'text', ({ value }) => JSON.stringify(value)],
    ['checksum', 'int', ({ checksum }) => checksum],
  ])
  for (const s of snapshots) {
    const numbers = [s.problem, s.problemVersion, s.version, s.epoch, s.cut, s.time]
    await client.query(
      `insert into snapshots (problem, problem_version, version, epoch, cut, time, state, report, software, state_checksum,
         checksum) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [...numbers, s.state, s.report, s.software, s.stateChecksum, s.checksum],
    )
  }
  for (const { problem, version, start, below, seq, time } of changes.removals) {
    const row = [...changes.problems.values()].find(({ id }) => id === problem)!
    const removed = 'round >= 0 and (version = $2 and round < $3 or version < $2 and seq < $4)'
    const given = [version, below, seq]
    const decided = `decision in (select id from rounds where problem = $1 and ${removed})`
    await remove(client, row, 'rewards', decided, given)
    await remove(client, row, 'reveals', decided, given)
    await remove(client, row, 'rounds', removed, given)
    await remove(client, row, 'rounds', 'round < 0 and seq < $2', [seq])
    await remove(client, row, 'log', "seq < $2 and (round is not null or kind = 'void')", [seq])
    await remove(client, row, 'log', "round < $2 and kind <> 'decision' and seq > $3", [below, start])
    await dropMonths(client, problem, time)
  }
  await forget(client, changes)
  for (const row of changes.problems.values()) await updateProblem(client, row)
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

/** The row of a problem comes last, with the sums of all its others. */
export async function updateProblem(client: ClientBase, row: ProblemRow): Promise<void> {
  const definition = JSON.stringify(row.definition)
  const book = JSON.stringify(row.book)
  const sums = JSON.stringify(row.sums)
  row.checksum = problemChecksum({ ...row, definition, book, sums })
  await client.query(
    `update problems set definition = $1, version = $2, revision = $3, seed = $4, retired = $5, book = $6, sums = $7,
       checksum = $8 where id = $9`,
    [definition, row.version, row.revision, row.seed, row.retired, book, sums, row.checksum, row.id],
  )
}

/** From so many rows on COPY is faster than a statement with arrays. */
const MANY = 500

type Column<Row> = readonly [name: string, type: string, cell: (row: Row) => Cell]

async function insert<Row>(
  client: ClientBase,
  table: string,
  rows: readonly Row[],
  given: readonly Column<Row>[],
): Promise<void> {
  if (rows.length === 0) return
  const names = given.map(([name]) => name)
  const cells = given.map(([, , cell]) => cell)
  if (rows.length >= MANY) return copyIn(client, table, names, rowsOf(rows, cells))
  const arrays = given.map(([, type], k) => `$${k + 1}::${type}[]`)
  await client.query(
    `insert into ${table} (${names.join(', ')}) select * from unnest(${arrays.join(', ')})`,
    columns(rows, cells),
  )
}

function* rowsOf<Row>(rows: readonly Row[], cells: readonly ((row: Row) => Cell)[]): Generator<readonly Cell[]> {
  for (const row of rows) yield cells.map((cell) => cell(row))
}

/** Rows as columns, for unnest. */
function columns<Row>(rows: readonly Row[], cells: readonly ((row: Row) => unknown)[]): unknown[][] {
  return cells.map((cell) => rows.map(cell))
}
