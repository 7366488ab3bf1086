// The decisions of a problem as a list, and what operators did to it.

import { DecisionList, DecisionListQuery, OperationList } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import type { ServerParts } from '../server.js'
import { limitLongReads } from './long-reads.js'
import { ProblemParams } from './problems.js'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 500

export function decisionListRoutes({ host, reader }: ServerParts) {
  const begin = limitLongReads({ what: 'searches', perCaller: 8, inAll: 32 })

  return async (server: FastifyInstance): Promise<void> => {
    server.get<{ Params: ProblemParams; Querystring: DecisionListQuery }>(
      '/:problem/decisions',
      {
        config: { role: 'read', errors: ['too-many-reads'] },
        schema: {
          operationId: 'listDecisions',
          summary: 'Decisions of the current version, newest first',
          description:
            'A part ends when it has `limit` decisions or when looking has taken a quarter of a second; `next`, given as `before`, goes on.',
          params: ProblemParams,
          querystring: DecisionListQuery,
          response: { 200: DecisionList },
          tags: ['decisions'],
        },
      },
      async (request): Promise<DecisionList> => {
        const { before, limit, ...filter } = request.query
        await host.problem(request.params.problem)
        const row = (await host.store.problem(request.params.problem))!
        const end = begin(request)
        try {
          return await reader.decisions(row, {
            filter,
            before: before === undefined ? row.book.rounds : Number(before),
            limit: Math.min(MAX_LIMIT, Math.max(1, limit === undefined ? DEFAULT_LIMIT : Number(limit))),
          })
        } finally {
          end()
        }
      },
    )
    server.get<{ Params: ProblemParams }>(
      '/:problem/operations',
      {
        config: { role: 'read' },
        schema: {
          operationId: 'listOperations',
          summary: 'What operators did, newest first',
          params: ProblemParams,
          response: { 200: OperationList },
          tags: ['operation'],
        },
      },
      async (request): Promise<OperationList> =>
        reader.operations((await host.upToDate(request.params.problem)).row.id),
    )
  }
}
