// The decisions of a problem's version in order, page by page: between two pages the store is free for others.

import type { LogReader, StoredDecision } from './store.js'

const PAGE = 500

/** All decisions of a version of a problem, in order. */
export async function* pagedDecisions(
  reader: Pick<LogReader, 'readDecisions'>,
  problem: number,
  problemVersion: number,
  first = 0,
): AsyncGenerator<StoredDecision> {
  for (let from = first; ; ) {
    const page = await reader.readDecisions(problem, problemVersion, from, PAGE)
    yield* page
    if (page.length < PAGE) return
    from = page.at(-1)!.round.round + 1
    await new Promise((resolve) => setImmediate(resolve))
  }
}
