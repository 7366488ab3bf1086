// A span for each request of a route that is traced, from its first line to its answer. Without a tracer nothing is added to the server.

import type { FastifyInstance } from 'fastify'
import { attributesJson, type Span, type Tracer } from '../tracing/tracer.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the span of a request; absent: it has none. */
    span?: string
  }
  interface FastifyRequest {
    /** null: nothing is traced. */
    span: Span | null
  }
}

export function traceRequests(server: FastifyInstance, tracer: Tracer | null): void {
  server.decorateRequest('span', null)
  if (tracer === null) return
  const routes = new Map<string, string>()
  /** What is the same for all requests of a route. */
  const routeOf = (method: string, route: string) => {
    const known = routes.get(route)
    if (known !== undefined) return known
    const written = attributesJson({ 'http.request.method': method, 'http.route': route })
    routes.set(route, written)
    return written
  }
  server.addHook('onRequest', (request, _, done) => {
    const { config, url } = request.routeOptions
    if (config.span !== undefined) {
      request.span = tracer.begin(config.span, request.headers)
      request.span.put(routeOf(request.method, url ?? ''))
    }
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const { span } = request
    if (span !== null) {
      const { statusCode } = reply
      span.set('http.response.status_code', statusCode)
      // By convention only faults of the server are failures of its span.
      span.end(statusCode >= 500 ? String(statusCode) : undefined)
    }
    done()
  })
}
