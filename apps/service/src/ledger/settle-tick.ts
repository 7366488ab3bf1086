// The clock's work: close reward windows, expire decisions that were not activated, end epochs by what has closed and by
// age, apply retention.

import type { ProblemRow } from './book.js'
import type { Outcome } from './commands.js'
import { retain } from './retention.js'
import type { Settling } from './settle.js'
import { endEpochByAge, endEpochIfClosed } from './settle-epoch.js'
import { closeIfDue } from './settle-reward.js'

const AT_ONCE = 2000

export function settleTick(settling: Settling, row: ProblemRow): Outcome {
  const due = settling.held ? [] : settling.facts.due(row.id, settling.now, AT_ONCE)
  let closed = 0
  for (const stored of due) {
    const round = settling.current(row, stored)
    if (round.version !== row.version) {
      // Learning has restarted since: this round is never learnt from.
      round.deadline = null
      settling.change(row, round)
    } else if (closeIfDue(settling, row, round)) closed++
  }
  if (row.retired === null) {
    endEpochIfClosed(settling, row)
    endEpochByAge(settling, row)
  }
  retain(settling, row)
  return { closed, more: due.length === AT_ONCE }
}
