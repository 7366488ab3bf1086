// Whether this version of Primo knows the schema of a store: an older one must not write what a newer one made.

import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { StoreUnavailable } from '../../ledger/store.js'

type Migrations = Readonly<Record<string, Migration>>

/** Brings the schema up to date, or up to a named migration. */
export async function migrateTo(db: Kysely<unknown>, migrations: Migrations, to?: string): Promise<void> {
  const done = await executed(db)
  const unknown = done.filter((name) => migrations[name] === undefined)
  if (unknown.length > 0)
    throw new StoreUnavailable(
      `the store was written by a newer version of Primo (its schema has ${unknown.join(', ')}, this version knows up to ${Object.keys(migrations).at(-1)}): use that version or a newer one`,
    )
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })
  const { error } = to === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(to)
  if (error !== undefined) throw error
}

/** Names of the migrations that a store has had; none: it is new. */
async function executed(db: Kysely<unknown>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}
