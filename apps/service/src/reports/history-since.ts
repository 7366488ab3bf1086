// What changed in a history since a cursor. A cursor names the version, the width of the buckets and the newest record that its holder
// knows; with another version or width everything is new.

import type { HistoryRange } from '@primo/contract'
import type { HistoryFound } from './histories.js'
import type { HistoryBook } from './history-book.js'

export function historySince(
  book: HistoryBook,
  range: HistoryRange,
  complete: boolean,
  since: string | undefined,
): HistoryFound {
  const tier = book.tier(range)
  const { version, baseline } = book
  const width = tier.width()
  const mark = `${range}.${version}.${width}`
  const known = since?.startsWith(`${mark}.`) ? Number(since.slice(mark.length + 1)) : null
  // A book that is read anew has less than the caller knows: he waits for the rest with what he has.
  const behind = !complete && since !== undefined && known !== null && known > book.seq
  const after = known === null || known > book.seq ? -1 : known
  return {
    version,
    upTo: book.seq,
    cursor: behind ? since : `${mark}.${book.seq}`,
    partial: behind || after >= 0,
    complete,
    baseline,
    width,
    from: tier.from(),
    buckets: behind ? [] : [...tier.buckets(after)],
    latest: behind ? [] : book.latest.filter(({ seq }) => seq > after).map(({ seq: _, ...decision }) => decision),
  }
}
