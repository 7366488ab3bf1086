// How problems went over time. A book of running sums is kept per problem from the first time someone asks; it follows the
// log in pages, and others are served between them.

import type { History, HistoryRange } from '@primo/contract'
import type { LogEntry } from '../ledger/facts.js'
import { HistoryBook } from './history-book.js'

export type HistoryFound = Omit<History, 'problem'>

const PAGE = 500
/** Milliseconds that a request waits for the book to catch up with the log. */
const PATIENCE = 1500

export function createHistories(
  readLog: (problem: number, after: number, limit: number) => Promise<readonly LogEntry[]>,
): (problem: number, range: HistoryRange) => Promise<HistoryFound> {
  const books = new Map<number, { readonly book: HistoryBook; following: Promise<void> | null }>()

  async function follow(problem: number, book: HistoryBook): Promise<void> {
    for (;;) {
      const page = await readLog(problem, book.seq, PAGE)
      for (const entry of page) book.take(entry)
      if (page.length < PAGE) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  return async (problem, range) => {
    const kept = books.get(problem) ?? { book: new HistoryBook(), following: null }
    books.set(problem, kept)
    kept.following ??= follow(problem, kept.book).finally(() => {
      kept.following = null
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), PATIENCE)
    })
    const complete = await Promise.race([kept.following.then(() => true), late]).finally(() => clearTimeout(timer))
    const { book } = kept
    const tier = book.tier(range)
    return {
      version: book.version,
      upTo: book.seq,
      complete,
      baseline: book.baseline,
      width: tier.width(),
      buckets: [...tier.buckets()],
      latest: book.latest.map((decision) => ({ ...decision })),
    }
  }
}
