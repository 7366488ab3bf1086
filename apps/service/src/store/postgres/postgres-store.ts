// PostgreSQL: any number of replicas write one log. A batch locks the rows of its problems, so numbers follow commits;
// one replica at a time learns (lease.ts); others hear of new policies by LISTEN, with polling behind it.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Command, Outcome } from '../../ledger/commands.js'
import { damageAtStart } from '../../ledger/damage-at-start.js'
import { createDamageBook } from '../../ledger/damage-book.js'
import { createGroupCommit } from '../../ledger/group-commit.js'
import { settle } from '../../ledger/settle.js'
import { type Head, headOf, type LogReader, type Store } from '../../ledger/store.js'
import { watched } from '../../ledger/watched-reads.js'
import { allDecisions } from './all-decisions.js'
import { available, isAway, tolerateBreaks } from './availability.js'
import { keepLease } from './lease.js'
import { listenFor, notify } from './notifications.js'
import { addMonths } from './partitions.js'
import { fetchFacts } from './postgres-facts.js'
import { migrate } from './postgres-migrations.js'
import { postgresReads } from './postgres-reads.js'
import { entryOf, type RawEntry } from './postgres-rows.js'
import { writeChanges } from './write-changes.js'

export interface PostgresStoreOptions {
  readonly url: string
  /** Connections for reading and writing; default 6. */
  readonly connections?: number
  /** Milliseconds between looks for what other replicas did; default 1000. */
  readonly pollEvery?: number
  /** Milliseconds since 1970, for tests; default: the database's clock. */
  readonly clock?: () => number
  /** Seconds that the learner's lease lasts; default 5. */
  readonly leaseLasts?: number
  /** Decide for damaged problems too. */
  readonly decideDamaged?: boolean
}

const UNIQUE_VIOLATION = '23505'
/** Commands that only the replica that learns may give. */
const LEADERS_ONLY: readonly Command['kind'][] = ['publish', 'fit-failed', 'tick']

/** How far a transaction has come: what fails while it commits may have been written. */
interface Attempt {
  stage: 'connecting' | 'working' | 'committing'
}

export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, connections = 6, pollEvery = 1000, leaseLasts } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5000,
    // A replica that stops in the middle of a transaction must not keep the others waiting for its locks.
    idle_in_transaction_session_timeout: 2000,
    keepAlive: true,
  })
  tolerateBreaks(pool)
  await available(() => migrate(pool))
  const headListeners: ((heads: readonly Head[]) => void)[] = []
  const leaderListeners: ((leads: boolean) => void)[] = []
  const commitListeners: ((seconds: { commit: number; commands: number }) => void)[] = []
  const lease = await available(() =>
    keepLease({
      pool,
      holder: randomUUID(),
      ...(leaseLasts === undefined ? {} : { lasts: leaseLasts }),
      onChange: (leads) => {
        for (const listen of leaderListeners) listen(leads)
      },
    }),
  )
  const seen = new Map<string, string>()

  async function write(commands: readonly Command[]): Promise<readonly Outcome[]> {
    return available(async () => {
      const how: Attempt = { stage: 'connecting' }
      try {
        return await transact(commands, how)
      } catch (error) {
        // Nothing was written, and another attempt may succeed: two replicas defined the same problem at once and the second
        // now finds it defined, or the transaction was broken off (a pause in it, a deadlock, a server that restarted).
        const again = (error as { code?: string }).code === UNIQUE_VIOLATION || isAway(error)
        if (how.stage === 'working' && again) return transact(commands, { stage: 'connecting' })
        throw error
      }
    })
  }

  async function transact(commands: readonly Command[], how: Attempt): Promise<readonly Outcome[]> {
    const client = await pool.connect()
    how.stage = 'working'
    let broken: Error | undefined
    try {
      await client.query('begin')
      const fenced = await stillLeads(client, commands)
      const { facts, now } = await fetchFacts(client, fenced.allowed, options.clock)
      const { outcomes, changes } = settle(facts, fenced.allowed, now)
      await writeChanges(client, changes, now)
      const heads = [...changes.problems.values()].map(headOf)
      const told = heads.filter((head) => mark(head) !== seen.get(head.name))
      for (const { name } of told) await notify(client, name)
      const started = performance.now()
      how.stage = 'committing'
      await client.query('commit')
      for (const listen of commitListeners)
        listen({ commit: (performance.now() - started) / 1000, commands: commands.length })
      for (const head of told) seen.set(head.name, mark(head))
      if (heads.length > 0) for (const listen of headListeners) listen(heads)
      return fenced.merge(outcomes)
    } catch (error) {
      broken = error as Error
      await client.query('rollback').catch(() => undefined)
      throw error
    } finally {
      client.release(broken !== undefined && isAway(broken) ? broken : undefined)
    }
  }

  /** Takes out the commands of a learner whose lease has passed to another. */
  async function stillLeads(client: pg.PoolClient, commands: readonly Command[]) {
    const guarded = commands.some(({ kind }) => LEADERS_ONLY.includes(kind))
    let leads = true
    if (guarded) {
      const { rows } = await client.query<{ fence: string }>('select fence from learner_lease where id = 1 for share')
      leads = Number(rows[0]!.fence) === lease.fence()
    }
    if (leads) return { allowed: commands, merge: (outcomes: readonly Outcome[]) => outcomes }
    const allowed = commands.filter(({ kind }) => !LEADERS_ONLY.includes(kind))
    return {
      allowed,
      merge: (outcomes: readonly Outcome[]): readonly Outcome[] => {
        let at = 0
        return commands.map(({ kind }) => (LEADERS_ONLY.includes(kind) ? { stale: true as const } : outcomes[at++]!))
      },
    }
  }

  const group = createGroupCommit(write)
  const { problemsNamed, ...raw } = postgresReads(pool)
  const book = createDamageBook({
    nameOf: raw.nameOf,
    ...(options.decideDamaged === undefined ? {} : { decideDamaged: options.decideDamaged }),
  })
  for (const damage of await damageAtStart(raw, new Map())) book.note(damage)
  const reads = watched(
    { ...raw, allDecisions: (problem, version, from) => allDecisions(pool, problem, version, from) },
    book,
  )

  /** What others have written since. */
  async function look(names?: readonly string[]): Promise<void> {
    const rows = names === undefined ? await reads.problems() : await problemsNamed(names)
    const heads = rows.map(headOf).filter((head) => mark(head) !== seen.get(head.name))
    for (const head of heads) seen.set(head.name, mark(head))
    if (heads.length > 0) for (const listen of headListeners) listen(heads)
  }

  const ears = await listenFor(url, (name) => void look([name]).catch(() => undefined))
  let months = 0
  const poll = setInterval(() => {
    void look().catch(() => undefined)
    // Once an hour, partitions for the coming months.
    if (!lease.held() || Date.now() - months < 3_600_000) return
    months = Date.now()
    void prepareMonths().catch(() => {
      months = 0
    })
  }, pollEvery)

  async function prepareMonths(): Promise<void> {
    const client = await pool.connect()
    try {
      for (const { id } of await reads.problems()) await addMonths(client, id, Date.now())
    } finally {
      client.release()
    }
  }

  return {
    kind: 'postgres',
    place: placeOf(url),
    commit: book.guard(group.commit),
    damage: book.damage,
    onDamage: book.onDamage,
    onHeads: (listener) => void headListeners.push(listener),
    leads: lease.held,
    onLeader: (listener) => void leaderListeners.push(listener),
    ...reads,
    check: async () => {
      // Locks a row, which is a write, and holds up nobody.
      await available(() => pool.query('select 1 from learner_lease where id = 1 for key share'))
    },
    readerSpec: () => ({ kind: 'postgres', url }),
    metrics: { queued: group.queued, onCommit: (observe) => void commitListeners.push(observe) },
    close: async () => {
      clearInterval(poll)
      await group.close()
      await lease.close()
      await ears.close()
      await pool.end()
    },
  }
}

/** A reader of the log for another thread. */
export function openPostgresReader(url: string): LogReader {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  tolerateBreaks(pool)
  return {
    read: async (problem, after, upTo, limit) => {
      const { rows } = await pool.query<RawEntry>(
        'select * from log where problem = $1 and seq > $2 and seq <= $3 order by seq limit $4',
        [problem, after, upTo, limit],
      )
      return rows.map(entryOf)
    },
    readDecisions: postgresReads(pool).readDecisions,
    close: () => pool.end(),
  }
}

/** What a host reacts to: another mark means that it must look again. */
function mark({ version, revision, policy, learnt, ending, retired }: Head): string {
  return `${version}/${revision}/${policy}/${learnt}/${ending}/${retired}`
}

function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}
