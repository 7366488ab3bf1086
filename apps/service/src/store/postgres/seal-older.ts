// Gives the rows of a store that was written before there were checksums theirs, once, problem by problem.

import type { Pool, PoolClient } from 'pg'
import {
  entryChecksum,
  problemChecksum,
  revealChecksum,
  rewardChecksum,
  roundChecksum,
  snapshotChecksum,
  stateChecksum,
} from '../../ledger/checksums.js'
import { addTo, noSums, type Summed } from '../../ledger/sums.js'
import {
  asEntry,
  asProblem,
  asRound,
  asSnapshot,
  type RawEntry,
  type RawProblem,
  type RawReveal,
  type RawReward,
  type RawRound,
  type RawSnapshot,
} from './postgres-rows.js'

const PAGE = 2000

export async function sealOlder(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: number }>("select id from problems where sums = ''")
  for (const { id } of rows) {
    const client = await pool.connect()
    try {
      await client.query('begin')
      // Replicas that start together wait for the first.
      const locked = await client.query<RawProblem>("select * from problems where id = $1 and sums = '' for update", [
        id,
      ])
      if (locked.rows[0] !== undefined) await sealProblem(client, locked.rows[0])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      throw error
    } finally {
      client.release()
    }
  }
}

async function sealProblem(client: PoolClient, raw: RawProblem): Promise<void> {
  const sums = noSums()
  /** `key`: columns that name a row of the problem, and their types. */
  async function each<Raw extends object>(
    table: Summed,
    key: Readonly<Record<string, string>>,
    checksumOf: (raw: Raw) => number,
  ): Promise<void> {
    const columns = Object.keys(key)
    const listed = columns.join(', ')
    let last: unknown[] = []
    for (;;) {
      const after = last.length === 0 ? '' : `and (${listed}) > (${last.map((_, k) => `$${k + 2}`).join(', ')})`
      const { rows } = await client.query(
        `select * from ${table} where problem = $1 ${after} order by ${listed} limit ${PAGE}`,
        [raw.id, ...last],
      )
      if (rows.length === 0) return
      const checksums = (rows as Raw[]).map(checksumOf)
      for (const checksum of checksums) addTo(sums, table, checksum)
      const arrays = Object.values(key).map((type, k) => `$${k + 3}::${type}[]`)
      await client.query(
        `update ${table} t set checksum = n.checksum from unnest($2::int[], ${arrays.join(', ')}) as n(checksum, ${listed})
         where t.problem = $1 and ${columns.map((name) => `t.${name} = n.${name}`).join(' and ')}`,
        [raw.id, checksums, ...columns.map((name) => rows.map((row) => row[name] as unknown))],
      )
      last = columns.map((name) => rows.at(-1)![name] as unknown)
    }
  }
  await each<RawEntry>('log', { seq: 'bigint' }, (row) => entryChecksum(asEntry(row)))
  await each<RawRound>('rounds', { id: 'text' }, (row) => roundChecksum(row.problem, asRound(row)))
  await each<RawReward>('rewards', { decision: 'text', reward_id: 'text' }, (row) =>
    rewardChecksum({ ...row, rewardId: row.reward_id }),
  )
  await each<RawReveal>('reveals', { decision: 'text', covariate: 'text' }, revealChecksum)
  const states = await client.query<RawSnapshot>('select * from snapshots where problem = $1', [raw.id])
  for (const { state, problem_version: problemVersion, version } of states.rows)
    await client.query(
      'update snapshots set state_checksum = $1 where problem = $2 and problem_version = $3 and version = $4',
      [stateChecksum(state!), raw.id, problemVersion, version],
    )
  await each<RawSnapshot>('snapshots', { problem_version: 'int', version: 'int' }, (row) =>
    snapshotChecksum(asSnapshot(row)),
  )
  const text = JSON.stringify(sums)
  await client.query('update problems set sums = $1, checksum = $2 where id = $3', [
    text,
    problemChecksum({ ...asProblem(raw), sums: text }),
    raw.id,
  ])
}
