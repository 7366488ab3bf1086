// Stores by address: sqlite:PATH or postgres://...

import { type LogReader, type ReaderSpec, type Store, StoreUnavailable } from '../ledger/store.js'
import { openPostgresReader, openPostgresStore, type PostgresStoreOptions } from './postgres/postgres-store.js'
import { openSqliteReader, openSqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store.js'

export type StoreOptions = Omit<SqliteStoreOptions, 'path'> & Omit<PostgresStoreOptions, 'url'>

/** Opens a store by its address, `sqlite:PATH` or `postgres://...`. */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  if (address.startsWith('sqlite:')) return openSqliteStore({ path: address.slice('sqlite:'.length), ...options })
  if (/^postgres(ql)?:\/\//.test(address)) return openPostgresStore({ url: address, ...options })
  throw new StoreUnavailable(`store must be sqlite:PATH or postgres://..., got "${address.split(':')[0]}:..."`)
}

export async function openReader(spec: ReaderSpec): Promise<LogReader> {
  return spec.kind === 'sqlite' ? openSqliteReader(spec.path) : openPostgresReader(spec.url)
}
