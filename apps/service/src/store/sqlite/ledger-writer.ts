// Settles batches of commands in transactions of one SQLite connection. The rows of problems are kept in memory between
// transactions and dropped when a transaction fails or another connection has written.

import type { ProblemRow } from '../../ledger/book.js'
import type { Reading } from '../../ledger/clock.js'
import { type Command, confirmsClock, type Outcome, type Value } from '../../ledger/commands.js'
import type { Facts } from '../../ledger/facts.js'
import { settle } from '../../ledger/settle.js'
import { type Head, headOf } from '../../ledger/store.js'
import { present } from '../../ledger/store-damaged.js'
import { applyChanges } from './apply-changes.js'
import { type Sqlite, storeCall } from './database.js'
import type { HeadFile } from './head-file.js'
import { COLUMNS, entryOf, problemOf, type Raw, revealOf, rewardOf, roundOf } from './sqlite-rows.js'

export interface Written {
  readonly outcomes: readonly Outcome[]
  readonly heads: readonly Head[]
  /** Seconds of the commit itself, the fsync included. */
  readonly commit: number
  /** Bytes of the records, about. */
  readonly bytes: number
}

export interface LedgerWriter {
  readonly write: (commands: readonly Command[], reading: Reading) => Written
}

/** `heads` are told of the rows of a commit before anybody else is. */
export function createLedgerWriter(db: Sqlite, heads: Pick<HeadFile, 'write' | 'remove'>): LedgerWriter {
  const known = new Map<string, ProblemRow>()
  let dataVersion = -1
  let stamped = 0
  const statements = prepare(db)
  const apply = applyChanges(db)

  const facts: Facts = {
    problem: (name) => {
      const cached = known.get(name)
      if (cached !== undefined) return cached
      const raw = statements.problem.get(name) as Raw | undefined
      if (raw === undefined) return undefined
      const row = problemOf(raw)
      known.set(name, row)
      return row
    },
    round: (problem, ref) => {
      const raw = statements.round.get(problem, ref, problem, ref) as Raw | undefined
      return raw === undefined ? undefined : roundOf(raw)
    },
    roundOfEvent: (problem, eventId) => {
      const raw = statements.roundOfEvent.get(problem, eventId) as Raw | undefined
      return raw === undefined ? undefined : roundOf(raw)
    },
    reward: (problem, decision, rewardId) => {
      const raw = statements.reward.get(problem, decision, rewardId) as Raw | undefined
      return raw === undefined ? undefined : rewardOf(raw)
    },
    reveals: (problem, decision) =>
      Object.fromEntries((statements.reveals.all(problem, decision) as Raw[]).map(revealOf<Value>)),
    body: (problem, seq) =>
      entryOf(present(statements.entry.get(problem, seq) as Raw | undefined, `record ${seq}`, problem)).body,
    due: (problem, now, limit) => (statements.due.all(problem, now, limit) as Raw[]).map(roundOf),
    recordsOf: (problem, seqs) =>
      seqs.map((seq) => {
        const stored = statements.entry.get(problem, seq) as Raw | undefined
        const decision = entryOf(present(stored, `record ${seq}`, problem))
        const { id } = JSON.parse(decision.body) as { id: string }
        const reveals = (statements.revealsOf.all(problem, decision.round, seq) as Raw[]).map(entryOf)
        return { decision, reveals: reveals.filter(({ body }) => (JSON.parse(body) as { id: string }).id === id) }
      }),
    waiting: (problem) => (statements.waiting.all(problem) as Raw[]).map(roundOf),
    hasSnapshot: (problem, problemVersion, version) =>
      statements.hasSnapshot.get(problem, problemVersion, version) !== undefined,
    old: (row, time) => {
      // The book may be ahead of what is stored, by the commands settled before in this batch.
      const { seq } = (statements.firstSince.get(row.id, time) ?? statements.nextSeq.get(row.id)) as { seq: number }
      if (statements.anyOld.get(row.id, row.book.kept, seq) === undefined) return undefined
      const next = statements.roundFrom.get(row.id, row.version, seq) ?? statements.nextRound.get(row.id, row.version)
      const { round: below } = next as { round: number }
      const unfinished = (statements.unfinished.all(row.id, row.version, below) as Raw[]).map(roundOf)
      return { seq, below, unfinished }
    },
  }

  /** One transaction. Commands that create a problem come alone: later ones need its number. */
  function transact(commands: readonly Command[], reading: Reading): Written {
    return storeCall(() => {
      db.exec('begin immediate')
      try {
        const version = (db.pragma('data_version') as { data_version: number }[])[0]!.data_version
        if (version !== dataVersion) known.clear()
        dataVersion = version
        const { outcomes, changes } = settle(facts, commands, reading)
        apply(changes)
        const time = commands.some(confirmsClock) ? reading.now + reading.offset : reading.now
        const stamps = Math.abs(time - stamped) >= STAMP_EVERY
        if (stamps) statements.stamp.run(time)
        for (const row of changes.created) known.set(row.name, row)
        for (const row of changes.purged) known.delete(row.name)
        // Before the commit: a head without its problem would count as damage.
        heads.remove(changes.purged)
        const started = performance.now()
        db.exec('commit')
        const commit = (performance.now() - started) / 1000
        if (stamps) stamped = time
        heads.write(changes.problems.values())
        const bytes = changes.log.reduce((sum, { body }) => sum + body.length, 0)
        return { outcomes, heads: [...changes.problems.values()].map(headOf), commit, bytes }
      } catch (error) {
        known.clear()
        try {
          db.exec('rollback')
        } catch {
          // The database has rolled back by itself.
        }
        throw error
      }
    })
  }

  return { write: transact }
}

/** Milliseconds after which the time is written again. */
const STAMP_EVERY = 60_000

function prepare(db: Sqlite) {
  const p = (text: string) => db.prepare(text)
  return {
    problem: p(`select ${COLUMNS.problems} from problems where name = ?`),
    // In one call: most refs that are looked up are new, and found by neither.
    round: p(
      `select ${COLUMNS.rounds} from rounds where problem = ? and id = ?
       union all select ${COLUMNS.rounds} from rounds where problem = ? and event_id = ? limit 1`,
    ),
    roundOfEvent: p(`select ${COLUMNS.rounds} from rounds where problem = ? and event_id = ?`),
    reward: p(`select ${COLUMNS.rewards} from rewards where problem = ? and decision = ? and reward_id = ?`),
    reveals: p(`select ${COLUMNS.reveals} from reveals where problem = ? and decision = ?`),
    entry: p(`select ${COLUMNS.log} from log where problem = ? and seq = ?`),
    due: p(
      `select ${COLUMNS.rounds} from rounds where problem = ? and deadline <= ? order by rounds.deadline, rounds.round limit ?`,
    ),
    hasSnapshot: p('select 1 from snapshots where problem = ? and problem_version = ? and version = ?'),
    firstSince: p('select seq from log where problem = ? and time >= ? order by problem, seq limit 1'),
    anyOld: p(
      "select 1 from log where problem = ? and seq >= ? and seq < ? and kind in ('decision', 'void') order by seq limit 1",
    ),
    roundFrom: p(
      'select round from rounds where problem = ? and version = ? and seq >= ? and round >= 0 order by round limit 1',
    ),
    nextSeq: p('select coalesce(max(seq), 0) + 1 as seq from log where problem = ?'),
    nextRound: p(
      'select coalesce(max(round), -1) + 1 as round from rounds where problem = ? and version = ? and round >= 0',
    ),
    unfinished: p(
      `select ${COLUMNS.rounds} from rounds where problem = ? and version = ? and round >= 0 and round < ? and state in ('open', 'pending')`,
    ),
    waiting: p(`select ${COLUMNS.rounds} from rounds where problem = ? and deadline is not null`),
    revealsOf: p(`select ${COLUMNS.log} from log where problem = ? and round = ? and kind = 'reveal' and seq > ?`),
    stamp: p('update clock set time = ? where id = 1'),
  }
}
