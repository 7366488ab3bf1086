// Connections that do not hang. A connection from which nothing comes while an answer is due is asked about on another one:
// if the server is at work, we wait; if it has answered, or cannot be asked, the connection is cut, and with it every
// connection as old, of which nothing better is known. What was running fails and may be tried on a fresh one.

import type { Socket } from 'node:net'
import pg from 'pg'
import { isAway, mayPass, tolerateBreaks } from './availability.js'

/** Milliseconds without a byte after which a connection is asked about. */
const SILENCE = 1000
/** Milliseconds to connect, or to wait for a connection. */
const CONNECTING = 1500
/** Milliseconds to learn from the server what a connection does. */
const ASKING = 1000
/** Milliseconds to wait for a lock of another transaction. */
const LOCKED = 3000
/** Milliseconds after which the system asks whether the other side is there. */
const KEEP_ALIVE = 5000

export type Query = <R extends pg.QueryResultRow>(text: string, given?: unknown[]) => Promise<R[]>

export interface Connections {
  /** Gives a connection to `work` and takes it back; one that broke is closed. */
  readonly use: <T>(work: (client: pg.PoolClient) => Promise<T>) => Promise<T>
  /** Rows of a statement that may run twice: where the connection broke, it is tried once more on another. */
  readonly query: Query
  /** Queries that see the database at one moment; `work` may run twice, too. */
  readonly atOnce: <T>(work: (query: Query) => Promise<T>) => Promise<T>
  /** For those who borrow it whole; nothing is watched there. */
  readonly pool: pg.Pool
  readonly end: () => Promise<void>
}

export function openConnections(url: string, max: number, waiting = CONNECTING): Connections {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: waiting,
    // A replica that stops in the middle of a transaction must not keep the others waiting for its locks.
    idle_in_transaction_session_timeout: 2000,
    lock_timeout: LOCKED,
    ...keptAlive,
  })
  tolerateBreaks(pool)
  const born = new WeakMap<pg.PoolClient, number>()
  pool.on('connect', (client) => void born.set(client, performance.now()))
  /** Connections older than this are not trusted. */
  let silentAt = Number.NEGATIVE_INFINITY

  async function trusted(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect()
      if (born.get(client)! > silentAt) return client
      client.release(true)
      socketOf(client).destroy()
    }
  }

  const use: Connections['use'] = async (work) => {
    const client = await trusted()
    const stop = watch(client, url, () => {
      silentAt = performance.now()
      socketOf(client).destroy()
    })
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      broken = error as Error
      throw error
    } finally {
      stop()
      client.release(broken !== undefined && isAway(broken) ? broken : undefined)
    }
  }

  const again: Connections['use'] = (work) =>
    use(work).catch((error: unknown) => {
      if (mayPass(error)) return use(work)
      throw error
    })
  const queryOf =
    (client: pg.PoolClient): Query =>
    async <R extends pg.QueryResultRow>(text: string, given: unknown[] = []) =>
      (await client.query<R>(text, given)).rows

  return {
    use,
    query: (text, given) => again((client) => queryOf(client)(text, given)),
    atOnce: (work) =>
      again(async (client) => {
        await client.query('begin isolation level repeatable read read only')
        try {
          return await work(queryOf(client))
        } finally {
          await client.query('commit').catch(() => undefined)
        }
      }),
    pool,
    end: () => pool.end(),
  }
}

export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE } as const

/** Calls `cut` when nothing comes and the server is not at work for this connection. */
function watch(client: pg.PoolClient, url: string, cut: () => void): () => void {
  const socket = socketOf(client)
  let heard = socket.bytesRead
  let stopped = false
  const silent = () => !stopped && socket.bytesRead === heard
  async function look(): Promise<void> {
    // Asked twice: bytes may have come while this process was busy.
    if (silent() && !(await isWorking(client, url)) && silent()) return cut()
    heard = socket.bytesRead
    if (!stopped) timer = setTimeout(look, SILENCE)
  }
  let timer = setTimeout(look, SILENCE)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** Whether the server runs a statement of this connection, or waits for a lock to do so, and does not wait for us. */
async function isWorking(client: pg.PoolClient, url: string): Promise<boolean> {
  const rows = await askAside<{ working: boolean }>(
    url,
    `select state = 'active' and wait_event_type is distinct from 'Client' as working from pg_stat_activity where pid = $1`,
    [processOf(client)],
  ).catch(() => [])
  return rows[0]?.working === true
}

/** One statement on a connection of its own, soon. */
export async function askAside<R extends pg.QueryResultRow>(url: string, text: string, given: unknown[]): Promise<R[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ASKING, query_timeout: ASKING })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<R>(text, given)).rows
  } finally {
    await Promise.race([client.end(), new Promise((resolve) => setTimeout(resolve, 100))])
    socketOf(client).destroy()
  }
}

// The driver has both, but does not declare them.
function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/** The process of the server that serves this connection. */
export function processOf(client: pg.ClientBase): number {
  return (client as unknown as { processID: number }).processID
}
