// The changes of a batch as a few statements of many rows.

import type { ClientBase } from 'pg'
import type { Changes } from '../../ledger/facts.js'
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
  if (log.length > 0) {
    await client.query(
      `insert into log (problem, seq, time, kind, round, body)
       select * from unnest($1::int[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[])`,
      columns(log, [
        ({ problem }) => idOf(problem),
        ({ seq }) => seq,
        ({ time }) => time,
        ({ kind }) => kind,
        ({ round }) => round,
        ({ body }) => body,
      ]),
    )
  }
  if (newRounds.length > 0) {
    await client.query(
      `insert into rounds (problem, id, event_id, round, version, seq, action, holdout, state, arrivals, value, deadline)
       select * from unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::int[], $6::bigint[], $7::text[],
         $8::boolean[], $9::text[], $10::int[], $11::double precision[], $12::bigint[])`,
      columns(newRounds, [
        (round) => roundProblem.get(round)!,
        ({ id }) => id,
        ({ eventId }) => eventId,
        ({ round }) => round,
        ({ version }) => version,
        ({ seq }) => seq,
        ({ action }) => action,
        ({ holdout }) => holdout,
        ({ state }) => state,
        ({ arrivals }) => arrivals,
        ({ value }) => value,
        ({ deadline }) => deadline,
      ]),
    )
  }
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
  if (rewards.length > 0) {
    await client.query(
      'insert into rewards select * from unnest($1::int[], $2::text[], $3::text[], $4::double precision[])',
      columns(rewards, [
        ({ problem }) => problem,
        ({ decision }) => decision,
        ({ rewardId }) => rewardId,
        ({ value }) => value,
      ]),
    )
  }
  if (reveals.length > 0) {
    await client.query(
      'insert into reveals select * from unnest($1::int[], $2::text[], $3::text[], $4::text[])',
      columns(reveals, [
        ({ problem }) => problem,
        ({ decision }) => decision,
        ({ covariate }) => covariate,
        ({ value }) => JSON.stringify(value),
      ]),
    )
  }
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

/** Rows as columns, for unnest. */
function columns<Row>(rows: readonly Row[], cells: readonly ((row: Row) => unknown)[]): unknown[][] {
  return cells.map((cell) => rows.map(cell))
}
