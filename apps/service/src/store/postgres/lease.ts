// Who learns among the replicas: a lease in the database, by the database's clock. It is renewed while its holder lives;
// whoever finds it expired takes it and raises the fence. A holder that was paused finds another fence in the transaction
// that would have written, and writes nothing.

import type { Connections } from './connections.js'

interface Lease {
  readonly held: () => boolean
  /** The fence under which it was taken. */
  readonly fence: () => number
  readonly close: () => Promise<void>
}

interface LeaseOptions {
  readonly connections: Connections
  readonly holder: string
  /** Seconds without renewal after which another may take it; default 5. */
  readonly lasts?: number
  readonly onChange: (held: boolean) => void
}

export async function keepLease({ connections, holder, lasts = 5, onChange }: LeaseOptions): Promise<Lease> {
  let fence = -1
  let until = 0
  let reported = false
  let closed = false

  const held = () => fence >= 0 && performance.now() < until

  async function renew(): Promise<void> {
    const asked = performance.now()
    const rows = await connections.query<{ fence: string }>(
      `update learner_lease set expires = clock_timestamp() + make_interval(secs => $2),
         fence = fence + case when holder = $1 and fence = $3 then 0 else 1 end, holder = $1
       where id = 1 and ((holder = $1 and fence = $3) or expires < clock_timestamp()) returning fence`,
      [holder, lasts, fence],
    )
    fence = rows[0] === undefined ? -1 : Number(rows[0].fence)
    // Counted from before the question: the own clock must not outlast the database's.
    until = asked + lasts * 1000
  }

  async function turn(): Promise<void> {
    try {
      await renew()
    } catch {
      // The database is away; the lease runs out by itself.
    }
    if (closed || held() === reported) return
    reported = held()
    onChange(reported)
  }

  await turn()
  const timer = setInterval(() => void turn(), (lasts * 1000) / 4)
  return {
    held,
    fence: () => fence,
    close: async () => {
      closed = true
      clearInterval(timer)
      const mine = fence
      fence = -1
      if (mine < 0) return
      await connections
        .query(`update learner_lease set expires = 'epoch' where id = 1 and holder = $1 and fence = $2`, [holder, mine])
        .catch(() => undefined)
    },
  }
}
