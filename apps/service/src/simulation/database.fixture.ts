// A database in memory: tables that are replaced as a whole by each commit, so that whoever holds them holds a snapshot. What was
// committed is on the disk a moment later; a crash takes back what was not.

import type { ProblemRow } from '../ledger/book.js'
import { problemChecksum } from '../ledger/checksums.js'
import { bodyText, type Changes, type Facts, type LogEntry, type RoundRow, type SnapshotRow } from '../ledger/facts.js'
import type { StoredProblem } from '../ledger/raw-store.js'
import { present, wholeProblem } from '../ledger/store-damaged.js'
import type { StoredKey } from '../ledger/stored-key.js'

export interface Tables {
  readonly problems: Map<string, StoredProblem>
  /** By number of the problem. */
  readonly log: Map<number, readonly LogEntry[]>
  readonly rounds: Map<number, ReadonlyMap<string, RoundRow>>
  readonly rewards: Map<string, number>
  readonly snapshots: Map<string, SnapshotRow>
  readonly keys: Map<string, StoredKey>
  /** Logs of problems that were purged. */
  readonly buried: Set<readonly LogEntry[]>
  /** Transactions that were committed. */
  readonly done: Set<Session>
  readonly lease: { holder: string; fence: number; expires: number }
}

/** As PostgreSQL names it. */
export class DatabaseError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code === '23505' ? 'duplicate key' : 'connection terminated')
    this.code = code
  }
}

/** A connection in a transaction: it holds locks until it ends. */
export interface Session {
  readonly generation: number
  /** A statement is on its way to the server, which will run it whatever becomes of the caller. */
  running: boolean
  left: boolean
}

export type Database = ReturnType<typeof createDatabase>

export function createDatabase() {
  const empty = { problems: new Map(), log: new Map(), rounds: new Map(), rewards: new Map(), snapshots: new Map() }
  let committed: Tables = {
    ...empty,
    keys: new Map(),
    buried: new Set(),
    done: new Set(),
    lease: { holder: '', fence: 0, expires: 0 },
  }
  let onDisk = committed
  let numbers = 0
  let generation = 0
  const locks = new Map<string, { owner: Session; waiting: { owner: Session; granted: (is: boolean) => void }[] }>()

  function unlock(session: Session): void {
    for (const [name, lock] of [...locks]) {
      if (lock.owner !== session) continue
      const next = lock.waiting.shift()
      if (next === undefined) locks.delete(name)
      else {
        lock.owner = next.owner
        next.granted(true)
      }
    }
  }

  return {
    tables: () => committed,
    commit: (change: (next: Tables) => void): void => {
      const copies = Object.entries(committed).map(([name, table]) => [
        name,
        table instanceof Map ? new Map(table) : table instanceof Set ? new Set(table) : { ...table },
      ])
      const next = Object.fromEntries(copies) as Tables
      change(next)
      committed = next
    },
    sync: () => {
      onDisk = committed
    },
    generation: () => generation,
    session: (): Session => ({ generation, running: false, left: false }),
    /** Breaks every connection and takes back what is not on the disk. */
    crash: () => {
      committed = onDisk
      generation++
      const waiting = [...locks.values()].flatMap((lock) => lock.waiting)
      locks.clear()
      for (const { granted } of waiting) granted(false)
    },
    /** Calls once the row belongs to this session, or never will. */
    lock: (name: string, owner: Session, granted: (is: boolean) => void): void => {
      const lock = locks.get(name)
      if (lock === undefined) locks.set(name, { owner, waiting: [] })
      if (lock === undefined || lock.owner === owner) granted(true)
      else lock.waiting.push({ owner, granted })
    },
    unlock,
    number: () => ++numbers,
  }
}

/** Writes the changes of a batch into the tables, as write-changes does. */
export function applyChanges(changes: Changes, tables: Tables): void {
  for (const row of changes.created) if (tables.problems.has(row.name)) throw new DatabaseError('23505')
  for (const row of changes.problems.values()) {
    const { definition, book, sums, ...kept } = row
    const texts = { definition: JSON.stringify(definition), book: JSON.stringify(book), sums: JSON.stringify(sums) }
    tables.problems.set(row.name, { ...kept, ...texts, checksum: problemChecksum({ ...kept, ...texts }) })
  }
  for (const { problem, seq, time, kind, round, body } of changes.log) {
    const entry = { problem, seq, time, kind, round, body: bodyText(body) }
    tables.log.set(problem, [...(tables.log.get(problem) ?? []), entry])
  }
  for (const round of [...changes.newRounds, ...changes.changedRounds]) {
    const problem = changes.roundProblem.get(round)!
    const rounds = new Map(tables.rounds.get(problem))
    // An id is unique, as in the table.
    if (changes.newRounds.includes(round) && rounds.has(round.id)) throw new Error(`decision "${round.id}" twice`)
    tables.rounds.set(problem, rounds.set(round.id, { ...round }))
  }
  for (const { problem, decision, rewardId, value } of changes.rewards)
    tables.rewards.set(`${problem}/${decision}/${rewardId}`, value)
  for (const row of changes.snapshots) tables.snapshots.set(`${row.problem}/${row.problemVersion}/${row.version}`, row)
  for (const { id, name } of changes.purged) {
    tables.buried.add(tables.log.get(id) ?? [])
    tables.problems.delete(name)
    tables.log.delete(id)
    tables.rounds.delete(id)
  }
}

export const rowOf = (stored: StoredProblem | undefined): ProblemRow | undefined =>
  stored === undefined ? undefined : wholeProblem(stored)

export function findRound({ rounds }: Tables, problem: number, ref: string): RoundRow | undefined {
  const of = rounds.get(problem)
  const found = of?.get(ref) ?? [...(of?.values() ?? [])].find(({ eventId }) => eventId === ref)
  return found === undefined ? undefined : { ...found }
}

/** Reads of a transaction. */
export function factsOf(tables: Tables, now: number): Facts {
  const rows = new Map<string, ProblemRow | undefined>()
  const rounds = (problem: number) => [...(tables.rounds.get(problem)?.values() ?? [])]
  return {
    problem: (name) => {
      if (!rows.has(name)) rows.set(name, rowOf(tables.problems.get(name)))
      return rows.get(name)
    },
    round: (problem, ref) => findRound(tables, problem, ref),
    roundOfEvent: (problem, eventId) => {
      const found = rounds(problem).find((round) => round.eventId === eventId)
      return found === undefined ? undefined : { ...found }
    },
    reward: (problem, decision, rewardId) => tables.rewards.get(`${problem}/${decision}/${rewardId}`),
    reveals: () => ({}),
    body: (problem, seq) =>
      present(
        tables.log.get(problem)?.find((entry) => entry.seq === seq),
        `record ${seq}`,
        problem,
      ).body,
    due: (problem) =>
      rounds(problem)
        .filter(({ deadline }) => deadline !== null && deadline <= now)
        .map((round) => ({ ...round })),
    waiting: () => [],
    recordsOf: () => [],
    hasSnapshot: (problem, problemVersion, version) => tables.snapshots.has(`${problem}/${problemVersion}/${version}`),
    old: () => undefined,
  }
}
