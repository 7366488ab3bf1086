// Bodies are JSON: read by the route's own reader where it has one, else parsed, and refused where the store could not keep them.

import type { DecisionBatch } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../ledger/service-error.js'

/** Passes the schema in place of a body that `readBatch` has read and checked. */
const CHECKED = { decisions: [{ context: {} }] } satisfies DecisionBatch

export function readBodies(server: FastifyInstance): void {
  const parseWithCare = server.getDefaultJsonParser('error', 'error')
  server.removeAllContentTypeParsers()
  // As bytes, so that the text is in one piece.
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const given = request.routeOptions.config.readBatch?.(body as Buffer)
    if (given !== undefined) {
      request.given = given
      done(null, CHECKED)
      return
    }
    const text = (body as Buffer).toString('utf8')
    request.text = text
    const value = text === '' ? {} : parsePlain(text)
    if (value !== undefined) done(null, value)
    else parseWithCare(request, text, (error, read) => done(error ?? refuseUnstorable(text, read), read))
  })
}

/** Parses a text without escapes and without names that could change a prototype; undefined: it needs more care. */
function parsePlain(text: string): unknown {
  if (text.includes('\\') || text.includes('__proto__') || text.includes('constructor')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Half a surrogate pair and U+0000 cannot be stored: two texts that differ in one would become the same. */
function refuseUnstorable(body: string, value: unknown): Error | null {
  if (!/\\u(?:[dD]|0000)/.test(body)) return null
  let level = [value]
  while (level.length > 0) {
    const texts = level.filter((inner) => typeof inner === 'string')
    const objects = level.filter((inner) => typeof inner === 'object' && inner !== null)
    const all = [...texts, ...objects.flatMap(Object.keys)]
    if (all.some((text) => /\p{Surrogate}/u.test(text)))
      return new ServiceError('invalid-request', 'text must be well-formed Unicode, got half of a surrogate pair')
    if (all.some((text) => text.includes('\0')))
      return new ServiceError('invalid-request', 'text must not contain U+0000, got one that does')
    level = objects.flatMap((inner) => Object.values(inner))
  }
  return null
}
