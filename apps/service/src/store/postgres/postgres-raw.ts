// The tables of PostgreSQL as they lie there, in one snapshot of the database.

import pg from 'pg'
import type { RawRows, RawStore, Scanned } from '../../ledger/raw-store.js'
import {
  storedEntry,
  storedProblem,
  storedReveal,
  storedReward,
  storedRound,
  storedSnapshot,
} from '../../ledger/raw-store.js'
import { StoreUnavailable } from '../../ledger/store.js'
import { keyOf, type RawKey } from '../../ledger/stored-key.js'
import type { Summed } from '../../ledger/sums.js'
import { available, tolerateBreaks } from './availability.js'
import { placeOf } from './place.js'
import { postgresMigrations } from './postgres-migrations.js'
import { postgresReads } from './postgres-reads.js'
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

const STORED = {
  log: (raw: RawEntry) => storedEntry(asEntry(raw), raw.checksum),
  rounds: (raw: RawRound) => storedRound(raw.problem, asRound(raw)),
  rewards: (raw: RawReward) => storedReward({ ...raw, rewardId: raw.reward_id }),
  reveals: (raw: RawReveal) => storedReveal(raw),
  snapshots: (raw: RawSnapshot) => storedSnapshot(asSnapshot(raw)),
}

const ORDER: Readonly<Record<Summed, string>> = {
  log: 'problem, seq',
  rounds: 'problem, id',
  rewards: 'problem, decision, reward_id',
  reveals: 'problem, decision, covariate',
  snapshots: 'problem, problem_version, version',
}

const PAGE = 500

export async function openPostgresRaw(url: string): Promise<RawStore> {
  // One connection, so that all is read in one transaction.
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 5000 })
  tolerateBreaks(pool)
  const query = <Row extends pg.QueryResultRow>(text: string, given: unknown[] = []) =>
    available(async () => (await pool.query<Row>(text, given)).rows)
  const known = await query<{ sums: boolean }>(
    `select count(*) > 0 as sums from information_schema.columns where table_name = 'problems' and column_name = 'sums'`,
  )
  if (known[0]?.sums !== true) {
    await pool.end()
    throw new StoreUnavailable(
      'the store has no checksums yet: start the service on it once with this version of Primo',
    )
  }
  await query('begin isolation level repeatable read read only')
  return {
    ...postgresReads({ query, atOnce: (work) => work(query) }),
    place: placeOf(url),
    // Its own checks are its administrator's: data checksums, pg_amcheck.
    structure: async () => [],
    acknowledged: () => new Map(),
    keys: async () => (await query<RawKey>('select * from keys order by name')).map(keyOf),
    time: async () => {
      const [clock] = await query<{ time: string | null }>('select time from clock where id = 1')
      return clock?.time == null ? null : Number(clock.time)
    },
    surroundings: async () => {
      const done = await query<{ name: string }>('select name from kysely_migration order by name')
      const before = Date.now()
      const [now] = await query<{ time: number; bytes: string }>(
        `select extract(epoch from clock_timestamp())::float8 * 1000 as time, pg_database_size(current_database()) as bytes`,
      )
      // The answer was under way for half of the time, more or less.
      const ahead = Math.round(now!.time - (before + Date.now()) / 2)
      const migrations = done.map(({ name }) => name)
      return { migrations, known: postgresMigrations, bytes: Number(now!.bytes), file: null, ahead }
    },
    problems: async function* () {
      for (const raw of await query<RawProblem>('select * from problems order by name'))
        yield storedProblem(asProblem(raw))
    },
    rows: async function* <Table extends Summed>(table: Table) {
      const stored = STORED[table] as (raw: object) => Scanned<RawRows[Table]>
      await query(`declare ${table}_rows no scroll cursor for select * from ${table} order by ${ORDER[table]}`)
      for (;;) {
        const rows = await query(`fetch ${PAGE} from ${table}_rows`)
        for (const raw of rows) yield stored(raw)
        if (rows.length < PAGE) break
      }
      await query(`close ${table}_rows`)
    },
    close: () => pool.end(),
  }
}
