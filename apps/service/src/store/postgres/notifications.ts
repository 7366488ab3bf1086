// Replicas tell each other which problems changed, by LISTEN and NOTIFY. A notification may be lost, so replicas also poll.

import pg from 'pg'

const CHANNEL = 'primo'

/** Tells, once the transaction commits, that this problem changed. */
export async function notify(client: pg.PoolClient, name: string): Promise<void> {
  await client.query('select pg_notify($1, $2)', [CHANNEL, name])
}

/** A connection of its own that hears of changes; it comes back after a failure. */
export async function listenFor(url: string, heard: (name: string) => void): Promise<{ close: () => Promise<void> }> {
  let client: pg.Client | null = null
  let closed = false
  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    next.on('notification', ({ payload }) => heard(payload ?? ''))
    const again = () => {
      if (client === next) client = null
      if (!closed) setTimeout(() => void connect().catch(again), 1000).unref()
    }
    next.on('error', () => undefined)
    next.on('end', again)
    await next.connect()
    await next.query(`listen ${CHANNEL}`)
    client = next
  }
  await connect().catch(() => undefined)
  return {
    close: async () => {
      closed = true
      await client?.end().catch(() => undefined)
    },
  }
}
