// Health, without a key and without a limit of requests, and metrics, which name problems.

import { Liveness, Readiness } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { ServiceError } from '../../ledger/service-error.js'
import type { ServerParts } from '../server.js'

const ReadyQuery = Type.Object(
  {
    problem: Type.Optional(
      Type.String({ maxLength: 200, description: 'Asks for this problem too: 503 while the service refuses it.' }),
    ),
  },
  { additionalProperties: false },
)

export function healthRoutes({ host, metrics, stopping }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    const tags = ['health']
    const config = { rateLimit: false as const }
    server.get(
      '/livez',
      {
        config,
        schema: { operationId: 'getLiveness', summary: 'The process runs', response: { 200: Liveness }, tags },
      },
      async () => ({ status: 'ok' }),
    )
    const unready = ['shutting-down', 'store-damaged', 'store-unavailable'] as const
    const readiness = {
      config: { ...config, errors: unready },
      schema: {
        operationId: 'getReadiness',
        summary: 'It can decide and write',
        querystring: ReadyQuery,
        response: { 200: Readiness },
        tags,
      },
    }
    server.get<{ Querystring: Static<typeof ReadyQuery> }>('/readyz', readiness, async ({ query }) => {
      if (stopping()) throw new ServiceError('shutting-down', 'the service is stopping')
      await host.store.check()
      const { store } = host
      const damage = store.damage()
      const refused = (name?: string) => damage.some(({ problem }) => problem === null || problem === name)
      if (refused(query.problem) || (damage.length > 0 && host.names().every(refused)))
        throw new ServiceError('store-damaged', 'what is stored is damaged, so calls are refused: run primo verify')
      const damaged = damage.length > 0 ? { damaged: damage.length } : {}
      return { status: 'ok', problems: host.names().length, learns: store.leads(), ...damaged }
    })
    server.get(
      '/metrics',
      {
        config: { role: 'read' },
        schema: {
          operationId: 'getMetrics',
          summary: 'Prometheus metrics',
          response: { 200: { description: 'Metrics.', content: { 'text/plain': { schema: { type: 'string' } } } } },
          tags,
        },
      },
      async (_, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
    )
    server.get('/openapi.json', { schema: { hide: true } }, async (_, reply) =>
      reply.type('application/json').send(JSON.stringify(server.swagger())),
    )
  }
}
