// Web pages of other origins may not speak to the service through somebody's browser, under no name. A browser says where a
// request comes from (Origin, Sec-Fetch-Site); other programs say nothing and are let through. A name that somebody else made
// point here would be of the same origin as his page, so without keys only known names count.

import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../ledger/service-error.js'

export interface Names {
  /** Names (HOST or HOST:PORT) under which the service is called and whose pages may call it, beside loopback. */
  readonly allowHost: readonly string[]
  /** Whether callers show keys. */
  readonly keyed: boolean
}

/** The other origin that may call, if the request comes from one; throws foreign-request. */
export function foreignOrigin({ allowHost, keyed }: Names, request: FastifyRequest): string | null {
  const { host = '', origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers
  const called = host.toLowerCase()
  const name = nameOf(called)
  if (!keyed && !isLoopback(name) && !allowHost.includes(name) && !allowHost.includes(called))
    refuse(`without keys the header Host must be a loopback name or one of --allow-host, got "${host}"`)
  if (origin !== undefined) {
    const from = URL.canParse(origin) ? new URL(origin).host : null
    if (from === withoutStandardPort(called)) return null
    if (from !== null && allowHost.includes(from)) return origin
    refuse(`pages of "${origin}" may not call this service; --allow-host names those that may`)
  }
  // Following a link to the page, or to the documentation, reads no data.
  const follows = request.method === 'GET' && mode === 'navigate' && request.routeOptions.config.role === undefined
  if ((site === 'cross-site' || site === 'same-site') && !follows)
    refuse(`pages of another origin may not call this service, got Sec-Fetch-Site "${site}"`)
  return null
}

/** The headers that let pages of that origin send requests and read the answers. */
export function originHeaders(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': 'authorization, content-type, if-none-match',
    'access-control-expose-headers': 'etag, retry-after',
    vary: 'origin',
  }
}

/** Every POST and PUT says that it is JSON, also without a body: pages of other origins cannot do so unasked. */
export function requireJson({ method, headers }: FastifyRequest): void {
  if (method !== 'POST' && method !== 'PUT') return
  const type = headers['content-type']
  if (type !== undefined && /^application\/json *(;|$)/i.test(type)) return
  throw new ServiceError(
    'unsupported-media-type',
    `send the header "Content-Type: application/json", also without a body, got ${type === undefined ? 'none' : `"${type}"`}`,
  )
}

export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name === '::1' || name === '[::1]') return true
  return isIP(name) === 4 && name.startsWith('127.')
}

/** Of HOST:PORT. */
function nameOf(host: string): string {
  return host.replace(/:\d*$/, '')
}

/** As in an origin: http and https do not show their standard ports. */
function withoutStandardPort(host: string): string {
  return host.replace(/:(80|443)?$/, '')
}

function refuse(detail: string): never {
  throw new ServiceError('foreign-request', detail)
}
