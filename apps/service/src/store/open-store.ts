// Stores by address: sqlite:PATH or postgres://...

import { resolve } from 'node:path'
import type { RawStore } from '../ledger/raw-store.js'
import { type LogReader, type ReaderSpec, type Store, StoreUnavailable } from '../ledger/store.js'
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

export async function openReader(spec: ReaderSpec): Promise<LogReader> {
  return spec.kind === 'sqlite' ? openSqliteReader(spec.path) : openPostgresReader(spec.url)
}
