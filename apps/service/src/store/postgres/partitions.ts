// Partitions of the log: one per problem, within it one per month and a default for all other times.

import type { ClientBase } from 'pg'

/** Records that go with their rounds; kinds are never null, so this is never unknown. */
export const OF_ROUNDS = "(round is not null or kind = 'void')"

const logOf = (problem: number) => `log_p${problem}`

function monthOf(time: number): { readonly name: string; readonly from: number; readonly to: number } {
  const date = new Date(time)
  const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
  const to = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  return { name: `${date.getUTCFullYear()}_${String(date.getUTCMonth() + 1).padStart(2, '0')}`, from, to }
}

/** Makes the partitions of a new problem, for this month and the next. */
export async function createPartitions(client: ClientBase, problem: number, now: number): Promise<void> {
  const parent = logOf(problem)
  await client.query(
    `create table if not exists ${parent} partition of log for values in (${problem}) partition by range (time)`,
  )
  await client.query(`create table if not exists ${parent}_rest partition of ${parent} default`)
  await addMonths(client, problem, now)
}

/** The partitions of this month and the next, where they are not there yet. */
export async function addMonths(client: ClientBase, problem: number, now: number): Promise<void> {
  const parent = logOf(problem)
  const month = monthOf(now)
  for (const { name, from, to } of [month, monthOf(month.to)]) {
    const known = await client.query('select to_regclass($1) as found', [`${parent}_${name}`])
    if (known.rows[0].found !== null) continue
    await client.query(`create table ${parent}_${name} partition of ${parent} for values from (${from}) to (${to})`)
  }
}

/** Drops the months of a problem that ended before this time; returns the sum of the checksums of the rows that went. */
export async function dropMonths(client: ClientBase, problem: number, before: number): Promise<number> {
  const parent = logOf(problem)
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     join pg_class p on p.oid = i.inhparent where p.relname = $1`,
    [parent],
  )
  let gone = 0
  for (const { name } of rows) {
    const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? []
    if (year === undefined || Date.UTC(Number(year), Number(month), 1) > before) continue
    await client.query(`alter table ${parent} detach partition ${name}`)
    const sum = await client.query<{ gone: string }>(
      `select coalesce(sum(checksum), 0) % 4294967296 as gone from ${name} where ${OF_ROUNDS}`,
    )
    gone += Number(sum.rows[0]!.gone)
    // Definitions, ends of epochs and policies are kept for ever: they move to the default partition.
    await client.query(`insert into ${parent}_rest select * from ${name} where not (${OF_ROUNDS})`)
    await client.query(`drop table ${name}`)
  }
  return gone
}

/** Drops the whole log of a problem. */
export async function dropLog(client: ClientBase, problem: number): Promise<void> {
  await client.query(`drop table if exists ${logOf(problem)}`)
}
