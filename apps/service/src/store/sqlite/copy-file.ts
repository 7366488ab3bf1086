// A copy of a SQLite store as of one moment, also beside a service that runs: one file, its owner's alone, on the disk when this
// returns.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreUnavailable } from '../../ledger/store.js'
import { openDatabase, storeCall } from './database.js'

/** The copy must not be there yet. */
export function copyFile(path: string, to: string): void {
  if (!existsSync(path)) throw new StoreUnavailable(`the file ${path} must be there, got none`)
  try {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    closeSync(openSync(to, 'wx', 0o600))
  } catch (error) {
    throw new StoreUnavailable(`a new file ${to} must be possible: ${(error as Error).message}`)
  }
  const db = openDatabase(path)
  try {
    storeCall(() => db.prepare('vacuum into ?').run(to))
  } finally {
    db.close()
  }
  const file = openSync(to, 'r+')
  fsyncSync(file)
  closeSync(file)
}
