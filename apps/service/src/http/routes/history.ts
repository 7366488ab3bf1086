// How a problem went over time.

import { History, HistoryRange } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { ServerParts } from '../server.js'
import { ProblemParams } from './problems.js'

const Query = Type.Object({ range: Type.Optional(HistoryRange) }, { additionalProperties: false })

export function historyRoutes({ host, reader }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    server.get<{ Params: ProblemParams; Querystring: { range?: HistoryRange } }>(
      '/:problem/history',
      {
        config: { role: 'read' },
        schema: {
          operationId: 'getHistory',
          summary: 'How it went over time',
          description: 'Buckets of the last 15 minutes (recent), the last day (day) or everything (all, the default).',
          params: ProblemParams,
          querystring: Query,
          response: { 200: History },
          tags: ['what was learnt'],
        },
      },
      async (request): Promise<History> => {
        const { row } = await host.upToDate(request.params.problem)
        return { problem: row.name, ...(await reader.history(row.id, request.query.range ?? 'all')) }
      },
    )
  }
}
