// Gives the rows of a store that was written before there were checksums theirs, once, problem by problem.

import {
  entryChecksum,
  problemChecksum,
  revealChecksum,
  rewardChecksum,
  roundChecksum,
  snapshotChecksum,
  stateChecksum,
} from '../../ledger/checksums.js'
import type { StoredProblem } from '../../ledger/raw-store.js'
import { addTo, noSums, type Summed } from '../../ledger/sums.js'
import { type Sqlite, storeCall } from './database.js'
import { asEntry, asProblem, asReveal, asReward, asRound, asSnapshot, bound, COLUMNS, type Raw } from './sqlite-rows.js'

const PAGE = 1000

export function sealOlder(db: Sqlite): void {
  const older = db.prepare(`select ${COLUMNS.problems} from problems where sums = ''`).all() as Raw[]
  for (const raw of older) {
    storeCall(() => {
      db.exec('begin immediate')
      try {
        sealProblem(db, asProblem(raw))
        db.exec('commit')
      } catch (error) {
        if (db.inTransaction) db.exec('rollback')
        throw error
      }
    })
  }
}

function sealProblem(db: Sqlite, problem: StoredProblem): void {
  const sums = noSums()
  /** `key`: columns that name a row of the problem, in the order of an index. */
  const each = (table: Summed, key: readonly string[], checksumOf: (raw: Raw) => number) => {
    const columns = key.map((name) => `${table}.${name}`).join(', ')
    const marks = key.map((name) => (name.endsWith('version') || name === 'seq' ? '?' : 'cast(? as text)')).join(', ')
    const select = `select ${COLUMNS[table]} from ${table} where problem = ?`
    const ordered = `order by ${columns} limit ${PAGE}`
    const first = db.prepare(`${select} ${ordered}`)
    const next = db.prepare(`${select} and (${columns}) > (${marks}) ${ordered}`)
    const update = db.prepare(`update ${table} set checksum = ? where problem = ? and (${key.join(', ')}) = (${marks})`)
    let page = first.all(problem.id) as Raw[]
    while (page.length > 0) {
      for (const raw of page) {
        const checksum = checksumOf(raw)
        addTo(sums, table, checksum)
        update.run(checksum, problem.id, ...key.map((name) => bound(raw[name])))
      }
      page = next.all(problem.id, ...key.map((name) => bound(page.at(-1)![name]))) as Raw[]
    }
  }
  each('log', ['seq'], (raw) => entryChecksum(asEntry(raw)))
  each('rounds', ['id'], (raw) => roundChecksum(problem.id, asRound(raw)))
  each('rewards', ['decision', 'reward_id'], (raw) => rewardChecksum(asReward(raw)))
  each('reveals', ['decision', 'covariate'], (raw) => revealChecksum(asReveal(raw)))
  const ofState = db.prepare(
    'update snapshots set state_checksum = ? where problem = ? and problem_version = ? and version = ?',
  )
  each('snapshots', ['problem_version', 'version'], (raw) => {
    const row = asSnapshot(raw)
    const own = stateChecksum(row.state)
    ofState.run(own, row.problem, row.problemVersion, row.version)
    return snapshotChecksum({ ...row, stateChecksum: own })
  })
  const text = JSON.stringify(sums)
  const checksum = problemChecksum({ ...problem, sums: text })
  db.prepare('update problems set sums = ?, checksum = ? where id = ?').run(text, checksum, problem.id)
}
