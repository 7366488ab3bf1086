// Settles batches of commands in transactions of one SQLite connection. The rows of problems are kept in memory between
// transactions and dropped when a transaction fails or another connection has written.

import type { ProblemRow } from '../../ledger/book.js'
import type { Reading } from '../../ledger/clock.js'
import { type Command, confirmsClock, type Outcome, type Value } from '../../ledger/commands.js'
import type { Changes, Facts } from '../../ledger/facts.js'
import { settle } from '../../ledger/settle.js'
import { type Head, headOf } from '../../ledger/store.js'
import { type Sqlite, storeCall } from './database.js'
import { insertRows } from './insert-rows.js'
import { problemOf, type RawProblem, type RawRound, roundOf } from './sqlite-rows.js'

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

export function createLedgerWriter(db: Sqlite): LedgerWriter {
  const known = new Map<string, ProblemRow>()
  let dataVersion = -1
  let stamped = 0
  const statements = prepare(db)
  const insertLog = insertRows(db, 'log', ['problem', 'seq', 'time', 'kind', 'round', 'body'], 'body')
  const insertRounds = insertRows(db, 'rounds', ['problem', ...ROUND.split(', ')])

  const facts: Facts = {
    problem: (name) => {
      const cached = known.get(name)
      if (cached !== undefined) return cached
      const raw = statements.problem.get(name) as RawProblem | undefined
      if (raw === undefined) return undefined
      const row = problemOf(raw)
      known.set(name, row)
      return row
    },
    round: (problem, ref) => {
      const raw = (statements.round.get(problem, ref) ?? statements.roundOfEvent.get(problem, ref)) as
        | RawRound
        | undefined
      return raw === undefined ? undefined : roundOf(raw)
    },
    roundOfEvent: (problem, eventId) => {
      const raw = statements.roundOfEvent.get(problem, eventId) as RawRound | undefined
      return raw === undefined ? undefined : roundOf(raw)
    },
    reward: (problem, decision, rewardId) =>
      (statements.reward.get(problem, decision, rewardId) as { value: number } | undefined)?.value,
    reveals: (problem, decision) =>
      Object.fromEntries(
        (statements.reveals.all(problem, decision) as { covariate: string; value: string }[]).map(
          ({ covariate, value }) => [covariate, JSON.parse(value) as Value],
        ),
      ),
    body: (problem, seq) => (statements.body.get(problem, seq) as { body: string }).body,
    due: (problem, now, limit) => (statements.due.all(problem, now, limit) as RawRound[]).map(roundOf),
    waiting: (problem) => (statements.waiting.all(problem) as RawRound[]).map(roundOf),
    hasSnapshot: (problem, problemVersion, version) =>
      statements.hasSnapshot.get(problem, problemVersion, version) !== undefined,
    old: (row, time) => {
      // The book may be ahead of what is stored, by the commands settled before in this batch.
      const { seq } = (statements.firstSince.get(row.id, time) ?? statements.nextSeq.get(row.id)) as { seq: number }
      if (statements.anyOld.get(row.id, row.book.kept, seq) === undefined) return undefined
      const next = statements.roundFrom.get(row.id, row.version, seq) ?? statements.nextRound.get(row.id, row.version)
      const { round: below } = next as { round: number }
      const unfinished = (statements.unfinished.all(row.id, row.version, below) as RawRound[]).map(roundOf)
      return { seq, below, unfinished }
    },
  }

  function apply(changes: Changes): void {
    for (const row of changes.created) {
      const id = statements.insertProblem.run(
        row.name,
        JSON.stringify(row.definition),
        row.version,
        row.revision,
        row.seed,
        row.created,
        row.retired,
        JSON.stringify(row.book),
      ).lastInsertRowid
      ;(row as { id: number }).id = Number(id)
    }
    for (const row of changes.problems.values()) {
      statements.updateProblem.run(
        JSON.stringify(row.definition),
        row.version,
        row.revision,
        row.seed,
        row.retired,
        JSON.stringify(row.book),
        row.id,
      )
    }
    const idOf = (problem: number) => (problem === 0 ? changes.created[0]!.id : problem)
    insertLog(changes.log, ({ problem, seq, time, kind, round, body }) => [idOf(problem), seq, time, kind, round, body])
    insertRounds(changes.newRounds, (round) => [
      changes.roundProblem.get(round)!,
      round.id,
      round.eventId,
      round.round,
      round.version,
      round.seq,
      round.action,
      round.holdout ? 1 : 0,
      round.state,
      round.arrivals,
      round.value,
      round.deadline,
    ])
    for (const round of changes.changedRounds) {
      const problem = changes.roundProblem.get(round)!
      statements.updateRound.run(round.state, round.arrivals, round.value, round.deadline, problem, round.id)
    }
    for (const { problem, decision, rewardId, value } of changes.rewards)
      statements.insertReward.run(problem, decision, rewardId, value)
    for (const { problem, decision, covariate, value } of changes.reveals)
      statements.insertReveal.run(problem, decision, covariate, JSON.stringify(value))
    for (const s of changes.snapshots) {
      statements.insertSnapshot.run(s.problem, s.problemVersion, s.version, s.epoch, s.cut, s.time, s.state, s.report)
    }
    for (const { problem, version, start, below, seq } of changes.removals) {
      const gone = [problem, version, below, problem, version, seq]
      statements.removeRewards.run(problem, ...gone)
      statements.removeReveals.run(problem, ...gone)
      statements.removeRounds.run(problem, ...gone)
      statements.removeUnseen.run(problem, seq)
      statements.removeOld.run(problem, seq)
      statements.removeLater.run(problem, below, start)
    }
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
        const started = performance.now()
        db.exec('commit')
        const commit = (performance.now() - started) / 1000
        if (stamps) stamped = time
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

const ROUND = 'id, event_id, round, version, seq, action, holdout, state, arrivals, value, deadline'
/** Rounds of the running version below a number, and those of earlier versions before a record. */
const REMOVED = `select id from rounds where problem = ? and version = ? and round >= 0 and round < ? union all
  select id from rounds where problem = ? and version < ? and round >= 0 and seq < ?`

function prepare(db: Sqlite) {
  const p = (text: string) => db.prepare(text)
  return {
    problem: p('select * from problems where name = ?'),
    round: p(`select ${ROUND} from rounds where problem = ? and id = ?`),
    roundOfEvent: p(`select ${ROUND} from rounds where problem = ? and event_id = ?`),
    reward: p('select value from rewards where problem = ? and decision = ? and reward_id = ?'),
    reveals: p('select covariate, value from reveals where problem = ? and decision = ?'),
    body: p('select body from log where problem = ? and seq = ?'),
    due: p(`select ${ROUND} from rounds where problem = ? and deadline <= ? order by deadline, round limit ?`),
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
      `select ${ROUND} from rounds where problem = ? and version = ? and round >= 0 and round < ? and state in ('open', 'pending')`,
    ),
    insertProblem: p(
      'insert into problems (name, definition, version, revision, seed, created, retired, book) values (?,?,?,?,?,?,?,?)',
    ),
    updateProblem: p(
      'update problems set definition = ?, version = ?, revision = ?, seed = ?, retired = ?, book = ? where id = ?',
    ),
    updateRound: p('update rounds set state = ?, arrivals = ?, value = ?, deadline = ? where problem = ? and id = ?'),
    insertReward: p('insert into rewards (problem, decision, reward_id, value) values (?,?,?,?)'),
    insertReveal: p('insert into reveals (problem, decision, covariate, value) values (?,?,?,?)'),
    insertSnapshot: p(
      'insert into snapshots (problem, problem_version, version, epoch, cut, time, state, report) values (?,?,?,?,?,?,?,?)',
    ),
    waiting: p(`select ${ROUND} from rounds where problem = ? and deadline is not null`),
    stamp: p('update clock set time = ? where id = 1'),
    removeRewards: p(`delete from rewards where problem = ? and decision in (${REMOVED})`),
    removeReveals: p(`delete from reveals where problem = ? and decision in (${REMOVED})`),
    removeRounds: p(`delete from rounds where problem = ? and id in (${REMOVED})`),
    removeUnseen: p('delete from rounds where problem = ? and round < 0 and seq < ?'),
    removeOld: p("delete from log where problem = ? and seq < ? and (round is not null or kind = 'void')"),
    removeLater: p("delete from log where problem = ? and round < ? and kind <> 'decision' and seq > ?"),
  }
}
