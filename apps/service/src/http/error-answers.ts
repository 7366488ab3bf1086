// Errors as problem details (RFC 9457), each with its code of the contract.

import { type ProblemDetails, problemDetails, type ServiceErrorCode } from '@primo/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { asServiceError, ServiceError } from '../ledger/service-error.js'
import type { Metrics } from '../metrics.js'
import { schemaSentence } from './schema-sentence.js'

/** Answers an error. */
export function sendError(metrics: Metrics, error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  return send(metrics, reply, detailsOf(error, request))
}

/** What is said of an error: of a known one its own words, of one of the HTTP layer its code, of any other that it is internal. */
export function detailsOf(error: FastifyError, request: FastifyRequest): ProblemDetails {
  const known = asServiceError(error) ?? schemaError(error, request) ?? parseError(error)
  const code = known?.code ?? codeOf(error)
  if (code === 'internal') request.log.error({ err: error, route: request.routeOptions.url }, 'failed')
  if (code === 'store-unavailable') request.log.error({ message: error.message }, 'store unavailable')
  const detail = code === 'internal' ? 'see the log of the service under this instance' : (known ?? error).message
  return problemDetails(code, detail, request.id)
}

/** What the schema refused, in a sentence: a route that knows more of its bodies says it in its own words. */
function schemaError({ validation, validationContext }: FastifyError, request: FastifyRequest): ServiceError | null {
  if (validation === undefined) return null
  const part = validationContext ?? 'body'
  if (part === 'body') {
    try {
      request.routeOptions.config.explain?.(request.body)
    } catch (error) {
      const explained = asServiceError(error)
      if (explained !== null) return explained
    }
  }
  return new ServiceError('invalid-request', schemaSentence(validation, part))
}

function parseError({ code }: FastifyError): ServiceError | null {
  if (code !== 'FST_ERR_CTP_INVALID_JSON_BODY') return null
  return new ServiceError('invalid-request', 'the body must be JSON (which has no NaN: a missing covariate is null)')
}

export function send(metrics: Metrics, reply: FastifyReply, details: ProblemDetails) {
  metrics.errors.inc({ code: details.code })
  if (details.status === 503 || details.code === 'too-many-reads') reply.header('retry-after', '1')
  return reply.code(details.status).type('application/problem+json').send(JSON.stringify(details))
}

/** Answers a call that no route takes. */
export function sendUnknownRoute(metrics: Metrics, request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?')[0]!.slice(0, 200)
  return send(metrics, reply, problemDetails('unknown-route', `no route answers ${request.method} ${path}`, request.id))
}

/** Errors of the HTTP layer itself. */
function codeOf(error: FastifyError): ServiceErrorCode {
  if (error.validation !== undefined) return 'invalid-request'
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'unsupported-media-type'
  if (error.statusCode === 413) return 'too-large'
  if (error.statusCode === 429) return 'rate-limited'
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) return 'invalid-request'
  return 'internal'
}
