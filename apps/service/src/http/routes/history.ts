// How a problem went over time. A book of running sums is kept per problem from the first time someone asks; it follows the
// log in pages, and others are served between them.

import { type History, HistoryRange } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { HistoryBook } from '../../reports/history-book.js'
import type { ServerParts } from '../server.js'
import { ProblemParams } from './problems.js'

const PAGE = 500
/** Milliseconds that a request waits for the book to catch up with the log. */
const PATIENCE = 1500

const Query = Type.Object({ range: Type.Optional(HistoryRange) }, { additionalProperties: false })

export function historyRoutes({ host, stopping }: ServerParts) {
  const books = new Map<number, { readonly book: HistoryBook; following: Promise<void> | null }>()

  async function follow(problem: number, book: HistoryBook): Promise<void> {
    while (!stopping()) {
      const page = await host.store.readLog(problem, book.seq, PAGE)
      for (const entry of page) book.take(entry)
      if (page.length < PAGE) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** The book, and whether it has caught up with the log. */
  async function bookOf(problem: number): Promise<{ readonly book: HistoryBook; readonly complete: boolean }> {
    const kept = books.get(problem) ?? { book: new HistoryBook(), following: null }
    books.set(problem, kept)
    kept.following ??= follow(problem, kept.book).finally(() => {
      kept.following = null
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), PATIENCE)
    })
    const complete = await Promise.race([kept.following.then(() => true), late])
    clearTimeout(timer)
    return { book: kept.book, complete }
  }

  return async (server: FastifyInstance): Promise<void> => {
    server.get<{ Params: ProblemParams; Querystring: { range?: HistoryRange } }>(
      '/:problem/history',
      {
        config: { role: 'read' },
        schema: {
          summary: 'How it went over time',
          description: 'Buckets of the last 15 minutes (recent), the last day (day) or everything (all, the default).',
          params: ProblemParams,
          querystring: Query,
          tags: ['what was learnt'],
        },
      },
      async (request): Promise<History> => {
        const { row } = await host.upToDate(request.params.problem)
        const { book, complete } = await bookOf(row.id)
        const tier = book.tier(request.query.range ?? 'all')
        return {
          problem: row.name,
          version: book.version,
          upTo: book.seq,
          complete,
          baseline: book.baseline,
          width: tier.width(),
          buckets: [...tier.buckets()],
          latest: book.latest.map((decision) => ({ ...decision })),
        }
      },
    )
  }
}
