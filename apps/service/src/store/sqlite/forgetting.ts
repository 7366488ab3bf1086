// What is forgotten or purged goes from the tables, and then from the files: deleted cells and pages are overwritten with
// zeros (secure_delete), and the write-ahead log, which has older copies of pages, is emptied.

import type { Changes } from '../../ledger/facts.js'
import { SUMMED } from '../../ledger/sums.js'
import type { Sqlite } from './database.js'

/** Changes records and removes problems; truths are removed by `applyChanges`, which keeps the sums. */
export function applyForgetting(db: Sqlite): (changes: Changes) => void {
  const replace = db.prepare('update log set body = ?, checksum = ? where problem = ? and seq = ?')
  const purges = [
    ...SUMMED.map((table) => db.prepare(`delete from ${table} where problem = ?`)),
    db.prepare('delete from problems where id = ?'),
  ]
  return ({ replaced, purged }) => {
    for (const { entry } of replaced) replace.run(entry.body as string, entry.checksum, entry.problem, entry.seq)
    for (const { id } of purged) for (const purge of purges) purge.run(id)
  }
}

/** Whether the files hold nothing of what was removed: a reader may still need the log. */
export function erase(db: Sqlite, whole: boolean): boolean {
  if (whole) db.exec('vacuum')
  const [done] = db.pragma('wal_checkpoint(truncate)') as { busy: number }[]
  return done?.busy === 0
}
