// The OpenAPI document: what the routes say of themselves, the role that each needs, the errors that it answers with, and the
// contract's schemas by their names.

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { ProblemDetails, problemDetails, errors as rows, type ServiceErrorCode, schemas } from '@primo/contract'
import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify'
import { nameSchemas } from './name-schemas.js'

const SUMMARY =
  'Decisions when part of the input is missing. A service that has keys asks for one of the role that the route names, or of role admin; one without keys asks for none.'

const DESCRIBED = { 'x-response-description': 'The answer.' }

const TAGS = {
  problems: 'What is decided: defined, changed, retired.',
  decisions: 'Deciding.',
  rewards: 'What is reported after a decision.',
  'what was learnt': 'How a problem goes, and what its policies rest on.',
  operation: 'What an operator does.',
  log: 'The decisions, as rows, live, or judged by other policies.',
  subjects: 'Whom decisions are about.',
  keys: 'Who may call.',
  health: 'For whoever runs the service.',
}

/** Settings of the plugin that collects the routes, called under a path or at the root (''). */
export const openapiUnder = (basePath: string): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Primo',
      version: '1',
      description: SUMMARY,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath || '/', description: 'The service that answered with this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    components: {
      schemas: schemas as Record<string, object>,
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key; the roles are decide, reward, decide+reward, read and admin.',
        },
      },
    },
  },
  transform: ({ schema, url, route }) => ({
    url: url.replace(/(?<=.)\/$/, ''),
    schema: schema === undefined || schema.hide === true ? { hide: true } : documented(schema, route),
  }),
  transformObject: (given) => ('openapiObject' in given ? nameSchemas(given.openapiObject) : given.swaggerObject),
})

function documented(schema: FastifySchema, route: RouteOptions): FastifySchema {
  const { role } = route.config ?? {}
  const own = Object.entries((schema.response ?? {}) as Record<string, object>)
  const replies = own.map(([status, reply]) => [status, { ...('content' in reply ? {} : DESCRIBED), ...reply }])
  return {
    ...schema,
    security: role === undefined ? [] : [{ key: [role] }],
    response: { ...errorReplies(errorsOf(schema, route)), ...Object.fromEntries(replies) },
  }
}

/** The codes that a call of the route may be answered with: those of its kind, and its own. */
function errorsOf(schema: FastifySchema, { config, method, url }: RouteOptions): readonly ServiceErrorCode[] {
  const { role, rateLimit, errors = [] }: FastifyContextConfig = config ?? {}
  const codes: ServiceErrorCode[] = ['foreign-request', 'internal', ...errors]
  if (schema.params ?? schema.querystring ?? schema.body) codes.push('invalid-request')
  if (schema.body !== undefined || method === 'DELETE') codes.push('too-large', 'unsupported-media-type')
  if (rateLimit !== false) codes.push('rate-limited')
  if (role !== undefined) codes.push('unauthorized', 'forbidden', 'store-unavailable')
  if (role !== undefined && role !== 'read') codes.push('shutting-down')
  if (role === 'decide' || role === 'reward') codes.push('overloaded')
  if (url.includes('/:problem')) codes.push('store-damaged')
  if (url.includes('/:problem') && method !== 'PUT') codes.push('unknown-problem')
  return codes
}

function errorReplies(codes: readonly ServiceErrorCode[]): Record<number, object> {
  const statuses = new Set(codes.map((code) => rows[code].status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const same = [...new Set(codes)].filter((code) => rows[code].status === status)
      const description = same.map((code) => `${code}: ${rows[code].title}`).join(' ')
      const example = problemDetails(same[0]!, rows[same[0]!].remedy)
      return [status, { description, content: { 'application/problem+json': { schema: ProblemDetails, example } } }]
    }),
  )
}
