// The store of a replica on the simulated database: real settling, group commit, checks at the start and book of damage; each
// statement is a message there and one back, sees what is committed when it runs, and may break.

import { plainClock } from '../ledger/clock.js'
import { areLoaded, type Command, type Outcome } from '../ledger/commands.js'
import { damageAtStart } from '../ledger/damage-at-start.js'
import { createDamageBook } from '../ledger/damage-book.js'
import { createGroupCommit } from '../ledger/group-commit.js'
import { settle } from '../ledger/settle.js'
import { type Head, headOf, markOf, type Store, StoreUnavailable } from '../ledger/store.js'
import { seal } from '../ledger/sums.js'
import { watched } from '../ledger/watched-reads.js'
import type { Connections } from '../store/postgres/connections.js'
import { keepLease } from '../store/postgres/lease.js'
import {
  applyChanges,
  type Database,
  DatabaseError,
  factsOf,
  findRound,
  rowOf,
  type Session,
  type Tables,
} from './database.fixture.js'
import type { Process, World } from './world.fixture.js'

const LEADERS_ONLY: readonly Command['kind'][] = ['publish', 'fit-failed', 'tick', 'look']
const POLL_EVERY = 1000

export interface Network {
  readonly world: World
  readonly database: Database
  /** How likely a statement finds its connection broken. */
  breaks: number
  /** A store with the two faults that the simulator was written for: snapshots are none, and keys are written over whatever is there. */
  readonly careless: boolean
  /** Who hears of changed problems. */
  readonly listeners: Map<Process, (name: string) => void>
}

export async function openSimulatedStore(network: Network, process: Process): Promise<Store> {
  const { world, database, listeners } = network
  const { tables } = database
  const headListeners: ((heads: readonly Head[]) => void)[] = []
  const leaderListeners: ((leads: boolean) => void)[] = []
  const seen = new Map<string, string>()

  /** Runs at the server, also where the process has died meanwhile. */
  function statement<T>(what: string, run: () => T, session = database.session()): Promise<T> {
    return new Promise((resolve, reject) => {
      session.running = true
      const broken = () => world.message('loses a connection', process, () => reject(new DatabaseError('08006')))
      world.message(`${process.name} ${what}`, null, () => {
        session.running = false
        try {
          const gone = session.generation !== database.generation() || world.chance(network.breaks)
          const result = gone ? undefined : run()
          // The answer may be lost, too.
          if (gone || world.chance(network.breaks)) broken()
          else world.message('', process, () => resolve(result as T))
        } catch (error) {
          world.message('', process, () => reject(error as Error))
        }
        if (session.left) database.unlock(session)
      })
    })
  }

  /** A statement that reads; tried once more where the connection broke. */
  async function read<T>(what: string, run: (tables: Tables) => T): Promise<T> {
    const once = () => statement(what, () => run(tables()))
    return available(() => once().catch((error: unknown) => (isAway(error) ? once() : Promise.reject(error))))
  }

  const lease = await keepLease({
    connections: {
      query: (_: string, [holder, lasts, fence]: [string, number, number]) =>
        statement('renews its lease', () => {
          const { holder: current, ...held } = tables().lease
          const mine = holder === current && held.fence === fence
          if (!mine && held.expires > world.now()) return []
          const next = { holder, fence: mine ? fence : held.fence + 1, expires: world.now() + lasts * 1000 }
          database.commit((change) => void Object.assign(change.lease, next))
          return [{ fence: next.fence }]
        }),
    } as unknown as Connections,
    holder: process.name,
    onChange: (leads) => {
      for (const listen of leaderListeners) listen(leads)
    },
  })

  async function write(commands: readonly Command[]): Promise<readonly Outcome[]> {
    const attempt = async (left: number): Promise<readonly Outcome[]> => {
      const how: Attempt = { committing: false, committed: null, session: database.session() }
      try {
        return await transact(commands, how)
      } catch (error) {
        if (left === 0 || !(isAway(error) || (error as DatabaseError).code === '23505')) throw error
        if (how.committing && isAway(error) && world.chance(0.3)) throw error
        const { committed, session } = how
        const is = await statement('asks what became of it', () => {
          database.sync()
          return tables().done.has(session)
        })
        return committed !== null && is ? committed() : attempt(left - 1)
      }
    }
    return available(() => attempt(2))
  }

  async function transact(commands: readonly Command[], how: Attempt): Promise<readonly Outcome[]> {
    const { session } = how
    const leave = () => {
      session.left = true
      if (!session.running) database.unlock(session)
    }
    process.connections.add(leave)
    try {
      await locked([...new Set(commands.map(({ problem }) => problem))].sort(), session)
      const current = tables()
      const mayLead = current.lease.fence === lease.fence()
      const allowed = commands.filter(({ kind }) => mayLead || !LEADERS_ONLY.includes(kind))
      const reading = { now: world.now(), held: false, offset: 0 }
      const { outcomes, changes } = settle(factsOf(current, reading.now), allowed, reading)
      for (const row of changes.created) (row as { id: number }).id = database.number()
      const heads = [...changes.problems.values()].map(headOf)
      const told = heads.filter((head) => markOf(head) !== seen.get(head.name))
      const committed = () => {
        for (const head of told) seen.set(head.name, markOf(head))
        if (heads.length > 0) for (const listen of headListeners) listen(heads)
        let at = 0
        return commands.map((command) => (allowed.includes(command) ? outcomes[at++]! : { stale: true as const }))
      }
      how.committing = true
      await statement(
        `commits ${commands.map(({ kind, problem }) => `${kind} ${problem}`).join(', ')}`,
        () => {
          database.commit((next) => {
            if (changes.created.some(({ name }) => next.problems.has(name))) throw new DatabaseError('23505')
            seal(changes)
            applyChanges(changes, next)
            next.done.add(session)
          })
          how.committed = committed
          if (areLoaded(commands)) database.sync()
          database.unlock(session)
          for (const { name } of told)
            for (const [to, hear] of listeners)
              if (!world.chance(network.breaks)) world.message(`hears of ${name}`, to, () => hear(name))
        },
        session,
      )
      await statement('waits for the disk', database.sync, session)
      return committed()
    } finally {
      process.connections.delete(leave)
      leave()
    }
  }

  function locked(names: readonly string[], session: Session): Promise<void> {
    return new Promise((resolve, reject) => {
      const answer = (is: boolean) =>
        world.message('', process, () => (is ? resolve() : reject(new DatabaseError('08006'))))
      const next = (k: number) => {
        while (k < names.length && !tables().problems.has(names[k]!)) k++
        if (session.left) database.unlock(session)
        else if (k === names.length) answer(true)
        else database.lock(names[k]!, session, (is) => (is ? next(k + 1) : answer(false)))
      }
      world.message(`${process.name} locks ${names.join(', ')}`, null, () => {
        if (session.generation !== database.generation() || world.chance(network.breaks)) answer(false)
        else next(0)
      })
    })
  }

  const group = createGroupCommit(write)
  const nameOf = async (id: number) => [...tables().problems.values()].find((row) => row.id === id)?.name ?? null
  const book = createDamageBook({ nameOf })
  type Read = <T>(what: string, run: (tables: Tables) => T) => Promise<T>
  const readsOf = (read: Read) => ({
    allProblems: () => read('reads all problems', ({ problems }) => [...problems.values()]),
    problem: (name: string) => read(`reads ${name}`, ({ problems }) => rowOf(problems.get(name))),
    snapshot: (problem: number, problemVersion: number, version: number) =>
      read(`reads policy ${version}`, ({ snapshots }) => snapshots.get(`${problem}/${problemVersion}/${version}`)),
    readLog: (problem: number, after: number, limit: number) =>
      read(`reads the log of ${problem}`, ({ log }) =>
        (log.get(problem) ?? []).filter(({ seq }) => seq > after).slice(0, limit),
      ),
    decision: (problem: number, ref: string) =>
      read('reads a decision', (now) => {
        const round = findRound(now, problem, ref)
        if (round === undefined || round.round < 0) return undefined
        return { round, entry: now.log.get(problem)!.find(({ seq }) => seq === round.seq)!, later: [], revealed: {} }
      }),
  })
  const raw = readsOf(read)
  const atOnce = <T>(look: (reads: typeof raw) => Promise<T>): Promise<T> => {
    let held: Tables | null = null
    return look(
      readsOf((what, run) =>
        read(what, (now) => {
          held ??= network.careless ? null : now
          return run(held ?? now)
        }),
      ),
    )
  }
  const no = () => Promise.reject(new Error('not simulated'))
  const reads = watched({ ...raw, snapshots: no, decisionsOf: no, readDecisions: no, allDecisions: no as never }, book)
  for (const damage of await damageAtStart(atOnce, new Map())) book.note(damage)

  async function look(name?: string): Promise<void> {
    const rows = name === undefined ? await reads.problems() : [await raw.problem(name)]
    const heads = rows.flatMap((row) => (row === undefined ? [] : [headOf(row)]))
    const others = heads.filter((head) => markOf(head) !== seen.get(head.name))
    for (const head of others) seen.set(head.name, markOf(head))
    if (others.length > 0) for (const listen of headListeners) listen(others)
  }

  setInterval(() => void look().catch(() => undefined), POLL_EVERY)
  listeners.set(process, (name) => void look(name).catch(() => undefined))
  process.connections.add(() => listeners.delete(process))

  return {
    kind: 'postgres',
    place: 'simulated',
    commit: book.guard(group.commit),
    damage: book.damage,
    onDamage: book.onDamage,
    clock: plainClock(world.now),
    onHeads: (listener) => void headListeners.push(listener),
    leads: lease.held,
    onLeader: (listener) => void leaderListeners.push(listener),
    ...reads,
    keys: () => read('reads keys', ({ keys }) => [...keys.values()]),
    writeKey: (key, before) =>
      available(() =>
        statement(`writes key ${key.name}`, () => {
          const stored = tables().keys.get(key.name) ?? null
          const same = JSON.stringify(stored) === JSON.stringify(before)
          if (!same && !(network.careless && stored !== null && before !== null)) return false
          database.commit(({ keys }) => void keys.set(key.name, key))
          database.sync()
          return true
        }),
      ),
    erase: async () => true,
    check: async () => void (await read('checks', () => true)),
    readerSpec: () => ({ kind: 'postgres', url: 'simulated' }),
    metrics: { queued: group.queued, onCommit: () => undefined },
    close: group.close,
  }
}

interface Attempt {
  committing: boolean
  committed: (() => readonly Outcome[]) | null
  readonly session: Session
}

const isAway = (error: unknown) => error instanceof DatabaseError && error.code === '08006'

async function available<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw isAway(error) ? new StoreUnavailable('the store cannot be used') : error
  }
}
