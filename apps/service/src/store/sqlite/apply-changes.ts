// The changes of a batch, written with their checksums; the row of the problem comes last, with the sums of all the others.

import type { ProblemRow } from '../../ledger/book.js'
import { problemChecksum } from '../../ledger/checksums.js'
import type { Changes } from '../../ledger/facts.js'
import { addTo, type Summed, seal } from '../../ledger/sums.js'
import type { Sqlite } from './database.js'
import { applyForgetting } from './forgetting.js'
import { insertRows } from './insert-rows.js'

export function applyChanges(db: Sqlite): (changes: Changes) => void {
  const statements = prepare(db)
  const forget = applyForgetting(db)
  const insertLog = insertRows(db, 'log', LOG.split(', '), 'body')
  const insertRounds = insertRows(db, 'rounds', ROUND.split(', '))

  return (changes) => {
    for (const row of changes.created) {
      const { name, version, revision, seed, created, retired } = row
      const definition = JSON.stringify(row.definition)
      const given = [name, definition, version, revision, seed, created, retired]
      ;(row as { id: number }).id = Number(statements.insertProblem.run(...given).lastInsertRowid)
    }
    seal(changes)
    insertLog(changes.log, (entry) => [
      entry.problem,
      entry.seq,
      entry.time,
      entry.kind,
      entry.round,
      entry.body,
      entry.checksum,
    ])
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
      round.checksum,
    ])
    for (const round of changes.changedRounds) {
      const { id, state, arrivals, value, deadline, checksum } = round
      statements.updateRound.run(state, arrivals, value, deadline, checksum, changes.roundProblem.get(round)!, id)
    }
    for (const { problem, decision, rewardId, value, checksum } of changes.rewards)
      statements.insertReward.run(problem, decision, rewardId, value, checksum)
    for (const { problem, decision, covariate, value, checksum } of changes.reveals)
      statements.insertReveal.run(problem, decision, covariate, JSON.stringify(value), checksum)
    for (const s of changes.snapshots) {
      const numbers = [s.problem, s.problemVersion, s.version, s.epoch, s.cut, s.time]
      statements.insertSnapshot.run(...numbers, s.state, s.report, s.software, s.stateChecksum, s.checksum)
    }
    for (const { problem, version, start, below, seq } of changes.removals) {
      const row = [...changes.problems.values()].find(({ id }) => id === problem)!
      const gone = [problem, version, below, problem, version, seq]
      statements.removeRewards(row, ...gone)
      statements.removeReveals(row, ...gone)
      statements.removeRounds(row, ...gone)
      statements.removeUnseen(row, seq)
      statements.removeOld(row, seq)
      statements.removeLater(row, below, start)
    }
    for (const { problem, decision } of changes.forgottenReveals) {
      const row = [...changes.problems.values()].find(({ id }) => id === problem)!
      statements.removeTruths(row, decision)
    }
    forget(changes)
    for (const row of changes.problems.values()) {
      const definition = JSON.stringify(row.definition)
      const book = JSON.stringify(row.book)
      const sums = JSON.stringify(row.sums)
      const { id, version, revision, seed, retired } = row
      row.checksum = problemChecksum({ ...row, definition, book, sums })
      statements.updateProblem.run(definition, version, revision, seed, retired, book, sums, row.checksum, id)
    }
  }
}

const LOG = 'problem, seq, time, kind, round, body, checksum'
const ROUND = 'problem, id, event_id, round, version, seq, action, holdout, state, arrivals, value, deadline, checksum'
/** Rounds of the running version below a number, and those of earlier versions before a record. */
const REMOVED = `select id from rounds where problem = ? and version = ? and round >= 0 and round < ? union all
  select id from rounds where problem = ? and version < ? and round >= 0 and seq < ?`

function prepare(db: Sqlite) {
  const p = (text: string) => db.prepare(text)
  return {
    insertProblem: p(
      "insert into problems (name, definition, version, revision, seed, created, retired, book) values (?,?,?,?,?,?,?,'')",
    ),
    updateProblem: p(
      `update problems set definition = ?, version = ?, revision = ?, seed = ?, retired = ?, book = ?, sums = ?,
         checksum = ? where id = ?`,
    ),
    updateRound: p(
      'update rounds set state = ?, arrivals = ?, value = ?, deadline = ?, checksum = ? where problem = ? and id = ?',
    ),
    insertReward: p('insert into rewards (problem, decision, reward_id, value, checksum) values (?,?,?,?,?)'),
    insertReveal: p('insert into reveals (problem, decision, covariate, value, checksum) values (?,?,?,?,?)'),
    insertSnapshot: p(
      `insert into snapshots (problem, problem_version, version, epoch, cut, time, state, report, software, state_checksum,
         checksum) values (?,?,?,?,?,?,?,?,?,?,?)`,
    ),
    removeRewards: remover(db, 'rewards', `decision in (${REMOVED})`),
    removeReveals: remover(db, 'reveals', `decision in (${REMOVED})`),
    removeTruths: remover(db, 'reveals', 'decision = ?'),
    removeRounds: remover(db, 'rounds', `id in (${REMOVED})`),
    removeUnseen: remover(db, 'rounds', 'round < 0 and seq < ?'),
    removeOld: remover(db, 'log', "seq < ? and (round is not null or kind = 'void')"),
    removeLater: remover(db, 'log', "round < ? and kind <> 'decision' and seq > ?"),
  }
}

/** Deletes rows of a problem and takes them out of its sums. */
function remover(db: Sqlite, table: Summed, which: string) {
  const sum = db.prepare(
    `select coalesce(sum(checksum), 0) % 4294967296 as gone from ${table} where problem = ? and ${which}`,
  )
  const remove = db.prepare(`delete from ${table} where problem = ? and ${which}`)
  return (row: ProblemRow, ...given: readonly (number | string)[]) => {
    const { gone } = sum.get(row.id, ...given) as { gone: number }
    addTo(row.sums, table, -gone)
    remove.run(row.id, ...given)
  }
}
