// Tells a database that cannot be reached from a statement that is wrong.

import type { Pool } from 'pg'
import { StoreUnavailable } from '../../ledger/store.js'

/** A connection that breaks, idle or in use, is replaced; the query that needed it tells. */
export function tolerateBreaks(pool: Pool): void {
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
}

// Connection, resources, operator, system; read-only, paused in a transaction; serialization, deadlock; a lock of another.
const AWAY = /^(08|53|57|58|25006|25P03|40001|40P01|55P03)/
const LOCKED = '55P03'

/** Whether the database, not the statement, is what failed. */
export function isAway(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  if (code === undefined) return /connect|terminat|timeout|closed/i.test(message ?? '')
  return AWAY.test(code) || code.startsWith('E')
}

/** Whether another attempt may succeed at once. */
export function mayPass(error: unknown): boolean {
  return isAway(error) && (error as { code?: string }).code !== LOCKED
}

/** What fails because the database is away becomes StoreUnavailable. */
export async function available<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (isAway(error)) throw new StoreUnavailable(`the store cannot be used: ${(error as Error).message}`)
    throw error
  }
}
