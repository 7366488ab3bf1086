// Retention removes decisions that are older than the problem keeps them, with all their records. Learning goes on from the
// rest.

import type { ProblemRow } from './book.js'
import type { RetentionRecord } from './records.js'
import type { Settling } from './settle.js'
import { close } from './settle-reward.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Decisions made before this time go, in steps of an hour; null: nothing goes now. */
export function retentionLimit({ definition, book, retired }: ProblemRow, now: number): number | null {
  const days = definition.retention?.days
  // Not while a fit reads the log; those of a retired problem come to nothing.
  if (days === undefined) return null
  if ((book.ending !== null || (book.candidate?.due ?? null) !== null) && retired === null) return null
  return Math.floor((now - days * DAY) / HOUR) * HOUR
}

export function retain(settling: Settling, row: ProblemRow): void {
  const { book } = row
  const limit = settling.held ? null : retentionLimit(row, settling.now)
  const old = limit === null ? undefined : settling.facts.old(row, limit)
  if (limit === null || old === undefined) return
  for (const stored of old.unfinished) {
    const round = settling.current(row, stored)
    // Rounds without a reward in all that time are dropped.
    if (round.state === 'open' || round.state === 'pending')
      close(row, round, round.state === 'open' ? 'dropped' : 'expired', 0)
  }
  const body: RetentionRecord = { below: old.below, before: old.seq }
  settling.append(row, 'retention', null, JSON.stringify(body))
  book.kept = old.seq
  settling.changes.removals.push({
    problem: row.id,
    version: row.version,
    start: book.start,
    below: old.below,
    seq: old.seq,
    time: limit,
  })
}
