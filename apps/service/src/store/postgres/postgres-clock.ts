// The clock of a replica: the database's, held to the monotonic clock of this machine and compared with its wall clock. The
// last known time and the number of confirmations are in the database; a confirmation anywhere counts for every replica.

import type { PoolClient } from 'pg'
import { type Clock, createClock, plainClock, type Reading } from '../../ledger/clock.js'
import type { Connections } from './connections.js'
import type { PostgresStoreOptions } from './postgres-store.js'

interface PostgresClock {
  readonly clock: Clock
  readonly read: (databaseTime: number) => Reading
  /** Writes the time now and then. */
  readonly stamp: (client: PoolClient, reading: Reading) => Promise<void>
  /** Writes the confirmed time and counts the confirmation; what it returns takes effect after the commit. */
  readonly confirm: (client: PoolClient, reading: Reading) => Promise<() => void>
  /** Takes over what another replica confirmed. */
  readonly look: () => Promise<void>
}

/** Milliseconds after which the time is written again. */
const STAMP_EVERY = 60_000

type ClockOptions = Pick<PostgresStoreOptions, 'clock' | 'wall' | 'monotonic' | 'databaseClock'>

interface ClockRow {
  readonly time: string | null
  readonly confirmed: number
  readonly records: string | null
  readonly now: string
}

export async function openClock(connections: Connections, options: ClockOptions): Promise<PostgresClock> {
  const [known] = await connections.query<ClockRow>(
    `select time, confirmed, (select max((book::json ->> 'time')::bigint) from problems) as records,
       floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now from clock where id = 1`,
  )
  const last = known!.time ?? known!.records
  const clock =
    options.clock === undefined
      ? createClock(last === null ? null : Number(last), options.monotonic)
      : plainClock(options.clock)
  const { wall = Date.now, databaseClock } = options
  let latest: Reading
  let confirmed = known!.confirmed
  let stamped = 0
  const read = (databaseTime: number): Reading => {
    latest = clock.read(databaseClock?.() ?? databaseTime, wall())
    return latest
  }
  read(Number(known!.now))
  return {
    clock,
    read,
    stamp: async (client, { now }) => {
      if (Math.abs(now - stamped) < STAMP_EVERY) return
      await client.query('update clock set time = $1 where id = 1', [now])
      stamped = now
    },
    confirm: async (client, { now, offset }) => {
      const raised = await client.query<{ confirmed: number }>(
        'update clock set time = $1, confirmed = confirmed + 1 where id = 1 returning confirmed',
        [now + offset],
      )
      return () => {
        confirmed = raised.rows[0]!.confirmed
        clock.accept(offset)
      }
    },
    look: async () => {
      const [seen] = await connections.query<{ confirmed: number }>('select confirmed from clock where id = 1')
      if (seen!.confirmed === confirmed) return
      confirmed = seen!.confirmed
      clock.accept(latest.offset)
    },
  }
}
