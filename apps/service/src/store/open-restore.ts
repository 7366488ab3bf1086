// A new store that is filled with rows instead of commands.

import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import pg from 'pg'
import type { Changes } from '../ledger/facts.js'
import { StoreUnavailable } from '../ledger/store.js'
import { keyCells, type StoredKey } from '../ledger/stored-key.js'
import { migrate as migratePostgres } from './postgres/postgres-migrations.js'
import { writeChanges } from './postgres/write-changes.js'
import { applyChanges } from './sqlite/apply-changes.js'
import { lockStore, openDatabase, storeCall } from './sqlite/database.js'
import { migrate as migrateSqlite } from './sqlite/sqlite-migrations.js'
import { writeKey } from './sqlite/write-key.js'

export interface Restore {
  /** One transaction. */
  readonly write: (changes: Changes) => Promise<void>
  /** What belongs to no problem: keys, and the last known time. */
  readonly finish: (keys: readonly StoredKey[], time: number | null) => Promise<void>
  readonly close: () => Promise<void>
}

/** The store must be new. */
export async function openRestore(address: string): Promise<Restore> {
  return address.startsWith('sqlite:')
    ? restoreSqlite(resolve(address.slice('sqlite:'.length)))
    : restorePostgres(address)
}

async function restoreSqlite(path: string): Promise<Restore> {
  if (existsSync(path)) throw new StoreUnavailable(`the new store must not be there yet, got ${path}`)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Its owner's alone.
  closeSync(openSync(path, 'a', 0o600))
  const lock = lockStore(path)
  const db = openDatabase(path)
  await migrateSqlite(db)
  const apply = applyChanges(db)
  return {
    write: async (changes) =>
      storeCall(() => {
        db.exec('begin immediate')
        try {
          apply(changes)
          db.exec('commit')
        } catch (error) {
          if (db.inTransaction) db.exec('rollback')
          throw error
        }
      }),
    finish: async (keys, time) => {
      for (const key of keys) writeKey(db, key, null)
      storeCall(() => db.prepare('update clock set time = ? where id = 1').run(time))
    },
    close: async () => {
      db.pragma('wal_checkpoint(truncate)')
      db.close()
      lock.close()
    },
  }
}

async function restorePostgres(url: string): Promise<Restore> {
  const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 5000 })
  await migratePostgres(pool)
  const { rowCount } = await pool.query('select 1 from problems limit 1')
  if (rowCount !== 0) {
    await pool.end()
    throw new StoreUnavailable('the new store must be empty, and it has problems')
  }
  return {
    write: async (changes) => {
      const client = await pool.connect()
      try {
        await client.query('begin')
        await writeChanges(client, changes, Date.now())
        await client.query('commit')
      } catch (error) {
        await client.query('rollback').catch(() => undefined)
        throw error
      } finally {
        client.release()
      }
    },
    finish: async (keys, time) => {
      for (const key of keys)
        await pool.query('insert into keys values ($1, $2, $3, $4, $5, $6, $7, $8)', keyCells(key))
      await pool.query('update clock set time = $1 where id = 1', [time])
    },
    close: () => pool.end(),
  }
}
