// Stores by address: sqlite:PATH.

import { openSqliteReader, openSqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store.js'
import { type LogReader, type ReaderSpec, type Store, StoreUnavailable } from './store.js'

export type StoreOptions = Omit<SqliteStoreOptions, 'path'>

export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  if (address.startsWith('sqlite:')) return openSqliteStore({ path: address.slice('sqlite:'.length), ...options })
  throw new StoreUnavailable(`store must be sqlite:PATH, got "${address.split(':')[0]}:..."`)
}

export async function openReader(spec: ReaderSpec): Promise<LogReader> {
  if (spec.kind === 'sqlite') return openSqliteReader(spec.path)
  throw new StoreUnavailable('this store has no reader')
}
