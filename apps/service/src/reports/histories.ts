// How problems went over time. A book of running sums is kept per problem from the first time someone asks; it follows the
// log in pages, and others are served between them.

import type { History, HistoryRange, OperationList, Trend } from '@primo/contract'
import type { LogEntry } from '../ledger/facts.js'
import { HistoryBook } from './history-book.js'
import { historySince } from './history-since.js'
import { trendOf } from './trend.js'

export type HistoryFound = Omit<History, 'problem'>

export interface Histories {
  /** `since`: the cursor of an earlier answer. */
  readonly history: (problem: number, range: HistoryRange, since?: string) => Promise<HistoryFound>
  readonly trends: (problems: readonly number[]) => Promise<readonly Trend[]>
  readonly operations: (problem: number) => Promise<OperationList>
}

interface Kept {
  readonly book: HistoryBook
  following: Promise<void> | null
}

const PAGE = 500
/** Milliseconds that a request waits for the book to catch up with the log. */
const PATIENCE = 1500

export function createHistories(
  readLog: (problem: number, after: number, limit: number) => Promise<readonly LogEntry[]>,
): Histories {
  const books = new Map<number, Kept>()

  async function follow(problem: number, book: HistoryBook): Promise<void> {
    for (;;) {
      const page = await readLog(problem, book.seq, PAGE)
      for (const entry of page) book.take(entry)
      if (page.length < PAGE) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** The books of these problems, each as far as it came while one waits. */
  async function caughtUp(problems: readonly number[]): Promise<readonly { book: HistoryBook; complete: boolean }[]> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), PATIENCE)
    const waited = new Promise<false>((resolve) => late.signal.addEventListener('abort', () => resolve(false)))
    const found = problems.map(async (problem) => {
      const kept = books.get(problem) ?? { book: new HistoryBook(), following: null }
      books.set(problem, kept)
      kept.following ??= follow(problem, kept.book).finally(() => {
        kept.following = null
      })
      return { book: kept.book, complete: await Promise.race([kept.following.then(() => true), waited]) }
    })
    return Promise.all(found).finally(() => clearTimeout(timer))
  }

  async function one(problem: number): Promise<{ book: HistoryBook; complete: boolean }> {
    return (await caughtUp([problem]))[0]!
  }

  return {
    history: async (problem, range, since) => {
      const { book, complete } = await one(problem)
      return historySince(book, range, complete, since)
    },
    trends: async (problems) => (await caughtUp(problems)).map(({ book, complete }) => trendOf(book, complete)),
    operations: async (problem) => {
      const { book, complete } = await one(problem)
      return { complete, operations: [...book.operations] }
    },
  }
}
