// Replicas tell each other which problems changed, by LISTEN and NOTIFY. A notification may be lost, so replicas also poll.

import pg from 'pg'
import { keptAlive } from './connections.js'

const CHANNEL = 'primo'
/** Milliseconds between questions whether the connection still hears, and to answer one. */
const ASK_EVERY = 5000
const ANSWERED_IN = 3000
const AGAIN_AFTER = 1000

/** Tells, once the transaction commits, that this problem changed. */
export async function notify(client: pg.PoolClient, name: string): Promise<void> {
  await client.query('select pg_notify($1, $2)', [CHANNEL, name])
}

/** A connection of its own that hears of changes; it comes back after a failure. */
export async function listenFor(url: string, heard: (name: string) => void): Promise<{ close: () => Promise<void> }> {
  let leave: () => Promise<void> = async () => undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  async function connect(): Promise<void> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWERED_IN, ...keptAlive })
    const question = { text: 'select 1', query_timeout: ANSWERED_IN } as pg.QueryConfig
    const ask = setInterval(() => void client.query(question).catch(end), ASK_EVERY)
    let left = false
    const end = async () => {
      if (left) return
      left = true
      clearInterval(ask)
      if (!closed) timer = setTimeout(() => void connect(), AGAIN_AFTER)
      await client.end().catch(() => undefined)
    }
    client.on('notification', ({ payload }) => heard(payload ?? ''))
    client.on('error', () => undefined)
    client.on('end', end)
    leave = end
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
    } catch {
      void end()
    }
  }
  await connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await leave()
    },
  }
}
