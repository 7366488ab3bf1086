// All problems at a glance, in one answer.

import { Overview } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import { reaches } from '../../ledger/stored-key.js'
import { summarize } from '../../reports/summary.js'
import type { ServerParts } from '../server.js'

export function overviewRoutes({ host, reader }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    server.get(
      '/overview',
      {
        config: { role: 'read', forSome: true },
        schema: {
          operationId: 'getOverview',
          summary: 'How all problems go that the key is for',
          response: { 200: Overview },
          tags: ['what was learnt'],
        },
      },
      async (request): Promise<Overview> => {
        const names = new Set(host.names().filter((name) => request.actor === null || reaches(request.held!, name)))
        const rows = (await host.store.problems()).filter(({ name }) => names.has(name))
        const trends = await reader.trends(rows.map(({ id }) => id))
        const hold = host.store.clock.hold()
        const problems = rows.map(async (row, k) => ({
          problem: row.name,
          created: row.created,
          retired: row.retired,
          summary: summarize(row, await host.problem(row.name), hold),
          trend: trends[k]!,
        }))
        return { problems: await Promise.all(problems) }
      },
    )
  }
}
