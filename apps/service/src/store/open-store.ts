// Stores by address: sqlite:PATH or postgres://...

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import pg from 'pg'
import type { RawStore } from '../ledger/raw-store.js'
import { type LogReader, type ReaderSpec, type Store, StoreUnavailable } from '../ledger/store.js'
import type { Gate } from '../threads/thread-gate.js'
import { available } from './postgres/availability.js'
import { placeOf } from './postgres/place.js'
import { openPostgresRaw } from './postgres/postgres-raw.js'
import { openPostgresReader, openPostgresStore, type PostgresStoreOptions } from './postgres/postgres-store.js'
import { openSqliteRaw } from './sqlite/sqlite-raw.js'
import { openSqliteReader, openSqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store.js'

export type StoreOptions = Omit<SqliteStoreOptions, 'path'> & Omit<PostgresStoreOptions, 'url'>

/** Opens a store by its address, `sqlite:PATH` or `postgres://...`. */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  if (address.startsWith('sqlite:')) return openSqliteStore({ path: address.slice('sqlite:'.length), ...options })
  if (isPostgres(address)) return openPostgresStore({ url: address, ...options })
  throw unknown(address)
}

/** Opens one that must be there: a slip in an address makes no store. */
export async function openExistingStore(address: string): Promise<Store> {
  if (address.startsWith('sqlite:')) {
    const path = resolve(address.slice('sqlite:'.length))
    if (!existsSync(path)) throw new StoreUnavailable(`the file ${path} must be there, got none`)
  } else if (isPostgres(address) && !(await hasTables(address)))
    throw new StoreUnavailable(`${placeOf(address)} must be a store of Primo, and it has no tables of one`)
  return openStore(address)
}

async function hasTables(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  return available(async () => {
    try {
      await client.connect()
      const { rows } = await client.query<{ found: boolean }>("select to_regclass('problems') is not null as found")
      return rows[0]!.found
    } finally {
      await client.end()
    }
  })
}

/** The store as it lies there, for checking: nothing is written, and a service may run on it. */
export async function openRawStore(address: string): Promise<RawStore> {
  if (address.startsWith('sqlite:')) return openSqliteRaw(resolve(address.slice('sqlite:'.length)))
  if (isPostgres(address)) return openPostgresRaw(address)
  throw unknown(address)
}

function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address)
}

function unknown(address: string): StoreUnavailable {
  return new StoreUnavailable(`store must be sqlite:PATH or postgres://..., got "${address.split(':')[0]}:..."`)
}

/** A thread gives its gate. */
export async function openReader(spec: ReaderSpec, gate?: Gate): Promise<LogReader> {
  return spec.kind === 'sqlite' ? openSqliteReader(spec.path, gate) : openPostgresReader(spec.url)
}
