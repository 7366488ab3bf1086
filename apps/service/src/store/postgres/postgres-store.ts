// PostgreSQL: any number of replicas write one log. A batch locks the rows of its problems, so numbers follow commits;
// one replica at a time learns (lease.ts); others hear of new policies by LISTEN, with polling behind it.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { areOfCallers, type Command, confirmsClock, type Outcome } from '../../ledger/commands.js'
import { damageAtStart, type StartReads } from '../../ledger/damage-at-start.js'
import { createDamageBook } from '../../ledger/damage-book.js'
import type { NewEntry } from '../../ledger/facts.js'
import { createGroupCommit, type Written } from '../../ledger/group-commit.js'
import { settle } from '../../ledger/settle.js'
import { type Head, headOf, type LogReader, markOf, type Store } from '../../ledger/store.js'
import { watched } from '../../ledger/watched-reads.js'
import { allDecisions } from './all-decisions.js'
import { available, isAway, mayPass, tolerateBreaks } from './availability.js'
import { commitFate, type Transaction } from './commit-fate.js'
import { openConnections } from './connections.js'
import { keepLease } from './lease.js'
import { listenFor, notify } from './notifications.js'
import { addMonths } from './partitions.js'
import { placeOf } from './place.js'
import { openClock } from './postgres-clock.js'
import { begin, fetchFacts, onDisk } from './postgres-facts.js'
import { postgresKeys } from './postgres-keys.js'
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
  /** Milliseconds since 1970, taken at its word, for tests; default: the database's clock held to the monotonic one. */
  readonly clock?: () => number
  /** Other clocks than those of the machine and of the database, for tests. */
  readonly wall?: () => number
  readonly monotonic?: () => number
  readonly databaseClock?: () => number
  /** Seconds that the learner's lease lasts; default 5. */
  readonly leaseLasts?: number
  /** Decide for damaged problems too. */
  readonly decideDamaged?: boolean
}

/** Milliseconds after which a call is refused: before its caller's 5 s are over. */
const PATIENCE = 4000
/** Connections of a thread that reads, and milliseconds that a page may wait for one: no caller waits for a single page. */
const READERS = 2
const READERS_WAIT = 15_000
const UNIQUE_VIOLATION = '23505'
/** How often a transaction that was broken off is tried again: the one after a broken connection may meet a repeated row. */
const AGAIN = 2
/** Commands that only the replica that learns may give. */
const LEADERS_ONLY: readonly Command['kind'][] = ['publish', 'fit-failed', 'tick', 'look']

/** How far a transaction has come. What fails while it commits may have been written: the server knows. */
interface Attempt {
  stage: 'connecting' | 'working' | 'committing'
  transaction?: Transaction
  /** The last record it writes. */
  last?: NewEntry | undefined
  /** Tells what was committed, and returns the outcomes. */
  committed?: () => readonly Outcome[]
}

export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, connections: max = 6, pollEvery = 1000, leaseLasts } = options
  await available(() => migrateAt(url))
  const connections = openConnections(url, max)
  const time = await available(() => openClock(connections, options))
  const headListeners: ((heads: readonly Head[]) => void)[] = []
  const leaderListeners: ((leads: boolean) => void)[] = []
  const commitListeners: ((seconds: { commit: number; commands: number }) => void)[] = []
  const lease = await available(() =>
    keepLease({
      connections,
      holder: randomUUID(),
      ...(leaseLasts === undefined ? {} : { lasts: leaseLasts }),
      onChange: (leads) => {
        for (const listen of leaderListeners) listen(leads)
      },
    }),
  )
  const seen = new Map<string, string>()

  async function write(commands: readonly Command[]): Promise<Written> {
    let committed: () => void = () => undefined
    const early = new Promise<void>((resolve) => {
      committed = resolve
    })
    const attempt = async (left: number): Promise<readonly Outcome[]> => {
      const how: Attempt = { stage: 'connecting' }
      try {
        return await transact(commands, how, committed)
      } catch (error) {
        if (left === 0 || how.stage === 'connecting' || !(mayPass(error) || isRepeated(error))) throw error
        if (how.stage === 'committing') {
          const fate = await commitFate(url, how.transaction!, how.last)
          if (fate === 'committed') return how.committed!()
          if (fate === 'unknown') throw error
        }
        // Nothing was written, and another attempt may succeed: two replicas defined the same problem at once and the second
        // now finds it defined, or the transaction was broken off (a pause in it, a deadlock, a server that restarted).
        return attempt(left - 1)
      }
    }
    const durable = available(() => attempt(AGAIN))
    // The next commit begins while they are on their way to the disk.
    if (!areOfCallers(commands)) return durable
    await Promise.race([early, durable])
    return { durable }
  }

  async function transact(commands: readonly Command[], how: Attempt, committed: () => void) {
    return connections.use(async (client) => {
      how.stage = 'working'
      try {
        const { locked, transaction } = await begin(client, commands)
        how.transaction = transaction
        const reading = time.read(locked.time)
        const fenced = await stillLeads(client, commands)
        const facts = await fetchFacts(client, fenced.allowed, locked, reading.now)
        const { outcomes, changes } = settle(facts, fenced.allowed, reading)
        await writeChanges(client, changes, reading.now)
        how.last = changes.log.at(-1)
        const confirmed = commands.some(confirmsClock) ? await time.confirm(client, reading) : null
        if (confirmed === null && lease.held()) await time.stamp(client, reading)
        const heads = [...changes.problems.values()].map(headOf)
        const told = heads.filter((head) => markOf(head) !== seen.get(head.name))
        for (const { name } of told) await notify(client, name)
        const started = performance.now()
        how.committed = () => {
          confirmed?.()
          for (const listen of commitListeners)
            listen({ commit: (performance.now() - started) / 1000, commands: commands.length })
          for (const head of told) seen.set(head.name, markOf(head))
          if (heads.length > 0) for (const listen of headListeners) listen(heads)
          return fenced.merge(outcomes)
        }
        how.stage = 'committing'
        await client.query('commit')
        committed()
        await onDisk(client)
        return how.committed()
      } catch (error) {
        if (!isAway(error)) await client.query('rollback').catch(() => undefined)
        throw error
      }
    })
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

  const group = createGroupCommit(write, { patience: PATIENCE })
  const { problemsNamed, ...raw } = postgresReads(connections)
  const book = createDamageBook({
    nameOf: raw.nameOf,
    ...(options.decideDamaged === undefined ? {} : { decideDamaged: options.decideDamaged }),
  })
  const atOnce = <T>(look: (reads: StartReads) => Promise<T>) =>
    available(() => connections.atOnce((query) => look(postgresReads({ query, atOnce: (work) => work(query) }))))
  for (const damage of await damageAtStart(atOnce, new Map())) book.note(damage)
  const reads = watched(
    { ...raw, allDecisions: (problem, version, from) => allDecisions(connections.pool, problem, version, from) },
    book,
  )

  /** What others have written since. */
  async function look(names?: readonly string[]): Promise<void> {
    if (names === undefined) await time.look()
    const rows = names === undefined ? await reads.problems() : await problemsNamed(names)
    const heads = rows.map(headOf).filter((head) => markOf(head) !== seen.get(head.name))
    for (const head of heads) seen.set(head.name, markOf(head))
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
    const rows = await reads.problems()
    await connections.use(async (client) => {
      for (const { id } of rows) await addMonths(client, id, Date.now())
    })
  }

  return {
    kind: 'postgres',
    place: placeOf(url),
    commit: book.guard(group.commit),
    damage: book.damage,
    onDamage: book.onDamage,
    clock: time.clock,
    onHeads: (listener) => void headListeners.push(listener),
    leads: lease.held,
    onLeader: (listener) => void leaderListeners.push(listener),
    ...reads,
    ...postgresKeys(connections),
    erase: async (whole) => {
      // Dead rows go from the tables; the files, the database's own log and backups are the database's.
      const tables = 'log, rounds, rewards, reveals, snapshots, problems'
      await available(() => connections.use((client) => client.query(`vacuum${whole ? ' full' : ''} ${tables}`)))
      return true
    },
    check: async () => {
      // Locks a row, which is a write, and holds up nobody.
      await available(() => connections.query('select 1 from learner_lease where id = 1 for key share'))
    },
    readerSpec: () => ({ kind: 'postgres', url }),
    metrics: { queued: group.queued, onCommit: (observe) => void commitListeners.push(observe) },
    close: async () => {
      clearInterval(poll)
      await group.close()
      await lease.close()
      await ears.close()
      await connections.end()
    },
  }
}

/** A reader of the log for another thread. */
export function openPostgresReader(url: string): LogReader {
  const connections = openConnections(url, READERS, READERS_WAIT)
  return {
    read: async (problem, after, upTo, limit) => {
      const rows = await connections.query<RawEntry>(
        'select * from log where problem = $1 and seq > $2 and seq <= $3 order by seq limit $4',
        [problem, after, upTo, limit],
      )
      return rows.map(entryOf)
    },
    readDecisions: postgresReads(connections).readDecisions,
    close: connections.end,
  }
}

/** On connections of its own: replicas that start together wait for the first, however long it takes. */
async function migrateAt(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 5000 })
  tolerateBreaks(pool)
  try {
    await migrate(pool)
  } finally {
    await pool.end()
  }
}

/** Another transaction has written the same row first. */
function isRepeated(error: unknown): boolean {
  return (error as { code?: string }).code === UNIQUE_VIOLATION
}
