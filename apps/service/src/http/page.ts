// The page: its static files at /, its settings, and the comparison of a demo. Files need no key; data does.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { type Comparisons, PageSettings } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import type { StoredKey } from '../ledger/stored-key.js'
import type { Role } from './keys.js'
import { heldBy } from './routes/bearer.js'
import type { ServerParts } from './server.js'

export function pageRoutes({ keys, page, comparison }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    server.get(
      '/page/settings',
      { schema: { hide: true, response: { 200: PageSettings } } },
      async (request): Promise<PageSettings> => ({
        keys: keys.keyed(),
        comparison: comparison !== undefined,
        holder: holderOf(heldBy(keys, request)),
      }),
    )
    if (comparison !== undefined) {
      server.get(
        '/demo/comparison',
        { config: { role: 'read' }, schema: { hide: true } },
        async (): Promise<Comparisons> => comparison(),
      )
    }
    if (page !== undefined && existsSync(join(page, 'index.html'))) {
      await server.register(fastifyStatic, {
        root: page,
        // Names of built files carry a hash of what is in them; the pages themselves do not.
        cacheControl: false,
        // The build writes files compressed beside them.
        preCompressed: true,
        setHeaders: (reply, path) => {
          const forever = /[\\/]assets[\\/]/.test(path)
          reply.setHeader('vary', 'accept-encoding')
          reply.setHeader('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache')
        },
      })
      return
    }
    server.get('/', { schema: { hide: true } }, async (_, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .send('Primo decides here. The page is not built: run "npm run build". The API is described at /docs.\n'),
    )
  }
}

/** One secret may be that of several keys. */
function holderOf(held: readonly StoredKey[]): PageSettings['holder'] {
  const [first] = held
  if (first === undefined) return null
  const all = held.some(({ problems }) => problems === null)
  return {
    name: first.name,
    roles: [...new Set(held.flatMap(({ role }) => role.split('+') as Role[]))],
    problems: all ? null : [...new Set(held.flatMap(({ problems }) => problems ?? []))],
  }
}
