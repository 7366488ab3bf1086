// A service behind a proxy under a path. The proxy may pass the path on or take it off; both reach the same routes.

import type { FastifyInstance } from 'fastify'

/** The address without the path. */
export function withoutBasePath(basePath: string): (request: { url?: string | undefined }) => string {
  const folder = `${basePath}/`
  return ({ url = '/' }) => (url.startsWith(folder) ? url.slice(basePath.length) : url)
}

/** The path alone leads to the page, whose own addresses are relative to it; other redirects stay under the path. */
export function redirectUnder(server: FastifyInstance, basePath: string): void {
  server.get(basePath, { schema: { hide: true } }, async (_, reply) => reply.redirect(`${basePath}/`, 308))
  server.addHook('onSend', async (_, reply) => {
    const to = reply.getHeader('location')
    if (typeof to === 'string' && to.startsWith('/') && !`${to}/`.startsWith(`${basePath}/`))
      reply.header('location', `${basePath}${to}`)
  })
}
