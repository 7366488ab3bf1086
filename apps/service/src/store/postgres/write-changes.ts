// The changes of a batch as a few statements of many rows.

import type { ClientBase } from 'pg'
import { bodyText, type Changes } from '../../ledger/facts.js'
import { type Cell, copyIn } from './copy.js'
import { createPartitions, dropMonths } from './partitions.js'

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
  for (const row of changes.problems.values()) {
    await client.query(
      `update problems set definition = $1, version = $2, revision = $3, seed = $4, retired = $5, book = $6 where id = $7`,
      [
        JSON.stringify(row.definition),
        row.version,
        row.revision,
        row.seed,
        row.retired,
        JSON.stringify(row.book),
        row.id,
      ],
    )
  }
  const idOf = (problem: number) => (problem === 0 ? changes.created[0]!.id : problem)
  const { log, newRounds, changedRounds, roundProblem, rewards, reveals, snapshots } = changes
  await insert(client, 'log', log, [
    ['problem', 'int', ({ problem }) => idOf(problem)],
    ['seq', 'bigint', ({ seq }) => seq],
    ['time', 'bigint', ({ time }) => time],
    ['kind', 'text', ({ kind }) => kind],
    ['round', 'bigint', ({ round }) => round],
    ['body', 'text', ({ body }) => bodyText(body)],
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
  ])
  if (changedRounds.size > 0) {
    await client.query(
      `update rounds r set state = c.state, arrivals = c.arrivals, value = c.value, deadline = c.deadline
       from unnest($1::int[], $2::text[], $3::text[], $4::int[], $5::double precision[], $6::bigint[])
         as c(problem, id, state, arrivals, value, deadline)
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
        ],
      ),
    )
  }
  await insert(client, 'rewards', rewards, [
    ['problem', 'int', ({ problem }) => problem],
    ['decision', 'text', ({ decision }) => decision],
    ['reward_id', 'text', ({ rewardId }) => rewardId],
    ['value', 'double precision', ({ value }) => value],
  ])
  await insert(client, 'reveals', reveals, [
    ['problem', 'int', ({ problem }) => problem],
    ['decision', 'text', ({ decision }) => decision],
    ['covariate', 'text', ({ covariate }) => covariate],
    ['value', 'text', ({ value }) => JSON.stringify(value)],
  ])
  for (const s of snapshots) {
    await client.query('insert into snapshots values ($1, $2, $3, $4, $5, $6, $7, $8)', [
      s.problem,
      s.problemVersion,
      s.version,
      s.epoch,
      s.cut,
      s.time,
      s.state,
      s.report,
    ])
  }
  for (const { problem, version, start, below, seq, time } of changes.removals) {
    const removed = `problem = $1 and round >= 0 and (version = $2 and round < $3 or version < $2 and seq < $4)`
    const given = [problem, version, below, seq]
    for (const table of ['rewards', 'reveals'])
      await client.query(
        `delete from ${table} where problem = $1 and decision in (select id from rounds where ${removed})`,
        given,
      )
    await client.query(`delete from rounds where ${removed}`, given)
    await client.query('delete from rounds where problem = $1 and round < 0 and seq < $2', [problem, seq])
    await client.query("delete from log where problem = $1 and seq < $2 and (round is not null or kind = 'void')", [
      problem,
      seq,
    ])
    await client.query(`delete from log where problem = $1 and round < $2 and kind <> 'decision' and seq > $3`, [
      problem,
      below,
      start,
    ])
    await dropMonths(client, problem, time)
  }
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
