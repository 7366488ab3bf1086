// The schema on PostgreSQL, forward only; the same tables as on SQLite. The log is partitioned by problem and, within, by
// month, so that retention can drop whole partitions.

import { type Kysely, Kysely as KyselyDb, type Migration, PostgresDialect, sql } from 'kysely'
import type { Pool } from 'pg'
import { migrateTo } from '../schema/known-schema.js'
import { sealOlder } from './seal-older.js'

const migrations: Readonly<Record<string, Migration>> = {
  '001-ledger': {
    up: async (db: Kysely<unknown>) => {
      await sql`create table problems (
        id integer generated always as identity primary key, name text not null unique, definition text not null,
        version integer not null, revision integer not null, seed bigint not null, created bigint not null,
        retired bigint, book text not null
      )`.execute(db)
      await sql`create table log (
        problem integer not null, seq bigint not null, time bigint not null, kind text not null, round bigint,
        body text not null, primary key (problem, seq, time)
      ) partition by list (problem)`.execute(db)
      await sql`create index log_round on log (problem, round) where round is not null and kind <> 'decision'`.execute(
        db,
      )
      await sql`create table rounds (
        problem integer not null, id text not null, event_id text, round bigint not null, version integer not null,
        seq bigint not null, action text not null, holdout boolean not null, state text not null,
        arrivals integer not null, value double precision not null, deadline bigint, primary key (problem, id)
      )`.execute(db)
      await sql`create unique index rounds_event on rounds (problem, event_id) where event_id is not null`.execute(db)
      await sql`create index rounds_due on rounds (problem, deadline) where deadline is not null`.execute(db)
      await sql`create unique index rounds_order on rounds (problem, version, round) where round >= 0`.execute(db)
      await sql`create table rewards (
        problem integer not null, decision text not null, reward_id text not null, value double precision not null,
        primary key (problem, decision, reward_id)
      )`.execute(db)
      await sql`create table reveals (
        problem integer not null, decision text not null, covariate text not null, value text not null,
        primary key (problem, decision, covariate)
      )`.execute(db)
      await sql`create table snapshots (
        problem integer not null, problem_version integer not null, version integer not null, epoch integer not null,
        cut bigint not null, time bigint not null, state text not null, report text not null,
        primary key (problem, problem_version, version)
      )`.execute(db)
      // Who learns: one row. The fence rises whenever it changes hands.
      await sql`create table learner_lease (
        id integer primary key check (id = 1), holder text, fence bigint not null, expires timestamptz not null
      )`.execute(db)
      await sql`insert into learner_lease values (1, null, 0, 'epoch')`.execute(db)
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
      // The last known time, with which a start compares the clock, and how often a clock was confirmed.
      await sql`create table clock (
        id integer primary key check (id = 1), time bigint, confirmed integer not null
      )`.execute(db)
      await sql`insert into clock values (1, null, 0)`.execute(db)
    },
  },
  '005-keys': {
    up: async (db: Kysely<unknown>) => {
      await sql`create table keys (
        name text primary key, role text not null, problems text, expires bigint, hash text not null, previous text,
        created bigint not null, revoked bigint
      )`.execute(db)
    },
  },
}

/** Names of those that this version knows. */
export const postgresMigrations: readonly string[] = Object.keys(migrations)

export async function migrate(pool: Pool, to?: string): Promise<void> {
  const kysely = new KyselyDb<unknown>({ dialect: new PostgresDialect({ pool }) })
  // The pool stays open: Kysely only borrowed it.
  await migrateTo(kysely, migrations, to)
  if (to === undefined) await sealOlder(pool)
}
