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
import { addTo, noSums, type Summed } from '../../ledger/sums.js'
import { type Sqlite, storeCall } from './database.js'
import {
  asEntry,
  asProblem,
  asRound,
  asSnapshot,
  type RawEntry,
  type RawProblem,
  type RawReveal,
  type RawReward,
  type RawRound,
  type RawSnapshot,
} from './sqlite-rows.js'

const PAGE = 1000

export function sealOlder(db: Sqlite): void {
  const older = db.prepare("select * from problems where sums = ''").all() as RawProblem[]
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

function sealProblem(db: Sqlite, problem: RawProblem): void {
  const sums = noSums()
  /** `key`: columns that name a row of the problem, in the order of an index. */
  const each = <Raw extends object>(
    table: Summed,
    key: readonly (keyof Raw & string)[],
    checksumOf: (raw: Raw) => number,
  ) => {
    const columns = key.join(', ')
    const marks = key.map(() => '?').join(', ')
    const first = db.prepare(`select * from ${table} where problem = ? order by ${columns} limit ${PAGE}`)
    const next = db.prepare(
      `select * from ${table} where problem = ? and (${columns}) > (${marks}) order by ${columns} limit ${PAGE}`,
    )
    const update = db.prepare(`update ${table} set checksum = ? where problem = ? and (${columns}) = (${marks})`)
    let page = first.all(problem.id) as Raw[]
    while (page.length > 0) {
      for (const raw of page) {
        const checksum = checksumOf(raw)
        addTo(sums, table, checksum)
        update.run(checksum, problem.id, ...key.map((name) => raw[name]))
      }
      page = next.all(problem.id, ...key.map((name) => page.at(-1)![name])) as Raw[]
    }
  }
  each<RawEntry>('log', ['seq'], (raw) => entryChecksum(asEntry(raw)))
  each<RawRound>('rounds', ['id'], (raw) => roundChecksum(raw.problem, asRound(raw)))
  each<RawReward>('rewards', ['decision', 'reward_id'], (raw) => rewardChecksum({ ...raw, rewardId: raw.reward_id }))
  each<RawReveal>('reveals', ['decision', 'covariate'], revealChecksum)
  const ofState = db.prepare(
    'update snapshots set state_checksum = ? where problem = ? and problem_version = ? and version = ?',
  )
  each<RawSnapshot>('snapshots', ['problem_version', 'version'], (raw) => {
    const ownChecksum = stateChecksum(raw.state!)
    ofState.run(ownChecksum, raw.problem, raw.problem_version, raw.version)
    return snapshotChecksum({ ...asSnapshot(raw), stateChecksum: ownChecksum })
  })
  const text = JSON.stringify(sums)
  const checksum = problemChecksum({ ...problem, sums: text })
  db.prepare('update problems set sums = ?, checksum = ? where id = ?').run(text, checksum, problem.id)
}
