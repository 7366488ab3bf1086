// How a caller takes answers compressed.

import type { FastifyRequest } from 'fastify'

/** The best of those that the caller takes; null: none of ours. */
export function acceptedEncoding(request: FastifyRequest): 'br' | 'gzip' | null {
  const given = String(request.headers['accept-encoding'] ?? '')
  const taken = new Set(
    given.split(',').flatMap((part) => {
      const [name, weight] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/)
      return Number(weight ?? 1) > 0 ? [name!] : []
    }),
  )
  if (taken.has('br')) return 'br'
  return taken.has('gzip') ? 'gzip' : null
}
