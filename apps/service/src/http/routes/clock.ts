// The clock: whether it is in doubt, and an operator's word that it is right.

import { ClockInfo, Empty } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import type { ServerParts } from '../server.js'

export function clockRoutes({ host }: ServerParts) {
  const info = (): ClockInfo => ({ held: host.store.clock.hold() })

  return async (server: FastifyInstance): Promise<void> => {
    const tags = ['operation']
    server.get(
      '/clock',
      {
        config: { role: 'read', forSome: true },
        schema: {
          operationId: 'getClock',
          summary: 'Whether the clock is in doubt',
          tags,
          response: { 200: ClockInfo },
        },
      },
      async () => info(),
    )
    server.post(
      '/clock/confirm',
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'confirmClock',
          summary: 'The wall clock is right',
          description: 'Time moves to it, open windows keep what is left of them, and windows and retention go on.',
          body: Empty,
          response: { 200: ClockInfo },
          tags,
        },
      },
      async (request) => {
        const hold = host.store.clock.hold()
        await host.confirmClock(request.actor)
        request.log.info({ ...hold, by: request.actor }, 'clock confirmed')
        return info()
      },
    )
  }
}
