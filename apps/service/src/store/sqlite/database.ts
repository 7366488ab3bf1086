// Opening the file: WAL with an fsync for every commit. What cannot be opened or written is StoreUnavailable.

import Database from 'libsql'
import { StoreUnavailable } from '../../ledger/store.js'
import { StoreDamaged } from '../../ledger/store-damaged.js'

export type Sqlite = Database.Database

interface OpenOptions {
  readonly readonly?: boolean
  /** Largest size of the file in pages, for tests of a full disk. */
  readonly maxPages?: number
}

export function openDatabase(path: string, options: OpenOptions = {}): Sqlite {
  const db = storeCall(() => new Database(path))
  storeCall(() => {
    // Of a new file: records are longer than what fills pages of the usual 4096 bytes well.
    db.pragma('page_size = 8192')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('busy_timeout = 5000')
    db.pragma('foreign_keys = OFF')
    // What is deleted is overwritten: those who forget mean it.
    db.pragma('secure_delete = ON')
    // In KiB: those who only read go through the log once.
    db.pragma(`cache_size = -${options.readonly ? 2000 : 4000}`)
    if (options.maxPages !== undefined) db.pragma(`max_page_count = ${options.maxPages}`)
    if (options.readonly) db.pragma('query_only = ON')
  })
  return db
}

/** One process at a time: what a replica of the same file wrote would go unnoticed. The system frees the lock when the process dies. */
export function lockStore(path: string): { readonly close: () => void } {
  const lock = storeCall(() => new Database(`${path}-lock`))
  try {
    // A process that is about to stop may finish.
    lock.pragma('busy_timeout = 2000')
    lock.pragma('journal_mode = memory')
    lock.exec('begin exclusive')
  } catch {
    lock.close()
    throw new StoreUnavailable(`${path} is in use: a SQLite store takes one process at a time`)
  }
  return lock
}

/** Throws StoreUnavailable unless some pages can be written; they are freed again. */
export function probe(db: Sqlite): void {
  storeCall(() => {
    db.exec('begin immediate')
    try {
      db.exec('create table probe (body blob); insert into probe values (randomblob(32768)); drop table probe')
      db.exec('commit')
    } catch (error) {
      if (db.inTransaction) db.exec('rollback')
      throw error
    }
  })
}

const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/

/** Runs a call of the database. Its errors become StoreUnavailable or StoreDamaged, except a broken constraint, which is a fault of ours. */
export function storeCall<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (isSqliteError(error)) {
      if (DAMAGED.test(error.code)) throw new StoreDamaged(`the file is damaged: ${error.message}`, null)
      throw new StoreUnavailable(`the store cannot be used: ${error.message}`)
    }
    throw error
  }
}

function isSqliteError(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  const known = typeof code === 'string' && code.startsWith('SQLITE')
  return known ? !code.startsWith('SQLITE_CONSTRAINT') : error.name === 'SqliteError'
}
