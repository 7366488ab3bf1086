// How a problem went over time.

import { History, HistoryRange } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { ServerParts } from '../server.js'
import { ProblemParams } from './problems.js'

const Query = Type.Object(
  {
    range: Type.Optional(HistoryRange),
    since: Type.Optional(
      Type.String({ maxLength: 100, description: 'The cursor of an earlier answer: only what changed from there on.' }),
    ),
  },
  { additionalProperties: false },
)
type Query = Static<typeof Query>

export function historyRoutes({ host, reader }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    server.get<{ Params: ProblemParams; Querystring: Query }>(
      '/:problem/history',
      {
        config: { role: 'read' },
        schema: {
          operationId: 'getHistory',
          summary: 'How it went over time',
          description:
            'Buckets of the last 15 minutes (recent), the last day (day) or everything (all, the default). Who follows it gives the cursor of the last answer as `since` and puts the buckets that changed in place of his own.',
          params: ProblemParams,
          querystring: Query,
          response: { 200: History },
          tags: ['what was learnt'],
        },
      },
      async (request): Promise<History> => {
        const { row } = await host.upToDate(request.params.problem)
        const { range = 'all', since } = request.query
        return { problem: row.name, ...(await reader.history(row.id, range, since)) }
      },
    )
  }
}
