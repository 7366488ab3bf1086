// Health, without a key and without a limit of requests, and metrics, which name problems.

import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../ledger/service-error.js'
import type { ServerParts } from '../server.js'

export function healthRoutes({ host, metrics, stopping }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    const tags = ['health']
    const config = { rateLimit: false as const }
    server.get('/livez', { config, schema: { summary: 'The process runs', tags } }, async () => ({ status: 'ok' }))
    server.get('/readyz', { config, schema: { summary: 'It can decide and write', tags } }, async () => {
      if (stopping()) throw new ServiceError('shutting-down', 'the service is stopping')
      await host.store.check()
      const { store } = host
      const damage = store.damage()
      if (damage.some(({ problem }) => problem === null))
        throw new ServiceError('store-damaged', 'the store is damaged: primo verify says what')
      const damaged = damage.length > 0 ? { damaged: damage.length } : {}
      return { status: 'ok', problems: host.names().length, learns: store.leads(), ...damaged }
    })
    server.get(
      '/metrics',
      { config: { role: 'read' }, schema: { summary: 'Prometheus metrics', tags } },
      async (_, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
    )
    server.get('/openapi.json', { schema: { hide: true } }, async (_, reply) =>
      reply.type('application/json').send(JSON.stringify(server.swagger())),
    )
  }
}
