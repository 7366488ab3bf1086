// The schema, forward only. A migration that has been released never changes: the next one mends it.

import { type Kysely, Kysely as KyselyDb, type Migration, SqliteDialect, sql } from 'kysely'
import { migrateTo } from '../schema/known-schema.js'
import type { Sqlite } from './database.js'
import { checkSchemaTexts } from './readable-schema.js'
import { sealOlder } from './seal-older.js'

const migrations: Readonly<Record<string, Migration>> = {
  '001-ledger': {
    up: async (db: Kysely<unknown>) => {
      await sql`create table problems (
        id integer primary key, name text not null unique, definition text not null, version integer not null,
        revision integer not null, seed integer not null, created integer not null, retired integer, book text not null
      )`.execute(db)
      // Append-only: the source of truth.
      await sql`create table log (
        problem integer not null, seq integer not null, time integer not null, kind text not null, round integer,
        body text not null
      )`.execute(db)
      await sql`create unique index log_seq on log (problem, seq)`.execute(db)
      await sql`create index log_round on log (problem, round) where round is not null and kind <> 'decision'`.execute(
        db,
      )
      await sql`create table rounds (
        problem integer not null, id text not null, event_id text, round integer not null, version integer not null,
        seq integer not null, action text not null, holdout integer not null, state text not null,
        arrivals integer not null, value real not null, deadline integer, primary key (problem, id)
      ) without rowid`.execute(db)
      await sql`create unique index rounds_event on rounds (problem, event_id) where event_id is not null`.execute(db)
      await sql`create index rounds_due on rounds (problem, deadline) where deadline is not null`.execute(db)
      await sql`create unique index rounds_order on rounds (problem, version, round) where round >= 0`.execute(db)
      await sql`create table rewards (
        problem integer not null, decision text not null, reward_id text not null, value real not null,
        primary key (problem, decision, reward_id)
      ) without rowid`.execute(db)
      await sql`create table reveals (
        problem integer not null, decision text not null, covariate text not null, value text not null,
        primary key (problem, decision, covariate)
      ) without rowid`.execute(db)
      await sql`create table snapshots (
        problem integer not null, problem_version integer not null, version integer not null, epoch integer not null,
        cut integer not null, time integer not null, state text not null, report text not null,
        primary key (problem, problem_version, version)
      )`.execute(db)
    },
  },
  '002-unseen': {
    up: async (db: Kysely<unknown>) => {
      // Decisions voided before they arrived, for retention.
      await sql`create index rounds_unseen on rounds (problem, seq) where round < 0`.execute(db)
    },
  },
  '003-checksums': {
    up: async (db: Kysely<unknown>) => {
      for (const table of ['log', 'rounds', 'rewards', 'reveals', 'snapshots', 'problems'])
        await sql`alter table ${sql.table(table)} add column checksum integer not null default 0`.execute(db)
      await sql`alter table snapshots add column state_checksum integer not null default 0`.execute(db)
      await sql`alter table snapshots add column software text`.execute(db)
      // Empty until the rows that were there before have their checksums.
      await sql`alter table problems add column sums text not null default ''`.execute(db)
    },
  },
  '004-clock': {
    up: async (db: Kysely<unknown>) => {
      // The last known time: a start compares the clock with it.
      await sql`create table clock (id integer primary key check (id = 1), time integer)`.execute(db)
      await sql`insert into clock values (1, null)`.execute(db)
    },
  },
  '005-keys': {
    up: async (db: Kysely<unknown>) => {
      await sql`create table keys (
        name text primary key, role text not null, problems text, expires integer, hash text not null, previous text,
        created integer not null, revoked integer
      )`.execute(db)
    },
  },
}

/** Names of those that this version knows. */
export const sqliteMigrations: readonly string[] = Object.keys(migrations)

/** Brings the schema up to date, or up to a named migration. */
export async function migrate(db: Sqlite, to?: string): Promise<void> {
  checkSchemaTexts(db)
  const kysely = new KyselyDb<unknown>({ dialect: new SqliteDialect({ database: db as never }) })
  // The database stays open: Kysely only borrowed it.
  await migrateTo(kysely, migrations, to)
  if (to === undefined) sealOlder(db)
}
