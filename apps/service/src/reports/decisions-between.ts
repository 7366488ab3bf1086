// The decisions of a stretch of time: their times rise with their rounds, so that the ends are found by halving.

import type { ProblemRow } from '../ledger/book.js'
import { pagedDecisions } from '../ledger/paged-decisions.js'
import type { LogReader, StoredDecision } from '../ledger/store.js'

type Reads = Pick<LogReader, 'readDecisions'>

/** Rounds from `first` up to and without `end` that were decided in [from, to), milliseconds since 1970. */
export async function roundsBetween(
  reader: Reads,
  row: ProblemRow,
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
): Promise<{ readonly first: number; readonly end: number }> {
  return {
    first: from === undefined ? 0 : await firstRoundAt(reader, row, from),
    end: to === undefined ? row.book.rounds : await firstRoundAt(reader, row, to),
  }
}

/** In order, page by page. */
export async function* decisionsBetween(
  reader: Reads,
  { id, version }: ProblemRow,
  first: number,
  end: number,
): AsyncGenerator<StoredDecision> {
  for await (const stored of pagedDecisions(reader, id, version, first)) {
    if (stored.round.round >= end) return
    yield stored
  }
}

/** The first round that was decided at this time or later; the number of rounds: none was. */
async function firstRoundAt(reader: Reads, { id, version, book }: ProblemRow, time: number): Promise<number> {
  let [low, high] = [0, book.rounds]
  while (low < high) {
    const middle = (low + high) >>> 1
    const [found] = await reader.readDecisions(id, version, middle, 1)
    if (found === undefined) high = middle
    else if (found.entry.time >= time) high = Math.min(middle, found.round.round)
    else low = found.round.round + 1
  }
  return low
}
