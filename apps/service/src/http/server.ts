// The HTTP server: plugins, limits, keys. Routes are in routes/.

import type { IncomingMessage, ServerResponse } from 'node:http'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { Comparisons, ServiceErrorCode } from '@primo/contract'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import helmet from 'helmet'
import type { Codec, GivenRequest } from '../codec/codec.js'
import type { Host } from '../host/host.js'
import { ServiceError } from '../ledger/service-error.js'
import type { StoredKey } from '../ledger/stored-key.js'
import type { Metrics } from '../metrics.js'
import type { Reader } from '../reports/reader.js'
import type { Config } from '../settings.js'
import type { Tracer } from '../tracing/tracer.js'
import { referenceUnder } from './api-reference.js'
import { redirectUnder, withoutBasePath } from './base-path.js'
import { compressAnswers } from './compress-answers.js'
import { sendError, sendUnknownRoute } from './error-answers.js'
import { foreignOrigin, originHeaders, requireJson } from './foreign-requests.js'
import { type KeyRing, openKeyRing } from './key-ring.js'
import type { Role } from './keys.js'
import { ofrepRoutes } from './ofrep.js'
import { openapiUnder } from './openapi.js'
import { pageRoutes } from './page.js'
import { readBodies } from './read-bodies.js'
import { authorize } from './routes/authorize.js'
import { heldBy } from './routes/bearer.js'
import { candidateRoutes } from './routes/candidate.js'
import { clockRoutes } from './routes/clock.js'
import { decisionListRoutes } from './routes/decision-list.js'
import { decisionRoutes } from './routes/decisions.js'
import { evaluationRoutes } from './routes/evaluations.js'
import { type Events, eventRoutes } from './routes/events.js'
import { healthRoutes } from './routes/health.js'
import { historyRoutes } from './routes/history.js'
import { keyRoutes } from './routes/keys.js'
import { localRoutes } from './routes/local.js'
import { logRoutes } from './routes/log.js'
import { operationRoutes } from './routes/operations.js'
import { overviewRoutes } from './routes/overview.js'
import { problemRoutes } from './routes/problems.js'
import { rewardRoutes } from './routes/rewards.js'
import { subjectRoutes } from './routes/subjects.js'
import { tryRoutes } from './routes/tries.js'
import { traceRequests } from './trace-requests.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The role whose key is needed; absent: none. */
    role?: Role
    /** Answers keys of some problems only, too: with their part, or with what belongs to no problem. */
    forSome?: true
    /** Reads the body instead of the parser and the schema, where it can. */
    readBatch?: Codec['readBatch']
    /** Throws a sentence about a body that the schema refused, where it has a better one than the schema. */
    explain?: (body: unknown) => void
    /** Codes that it answers with, beside those that all routes of its kind may. */
    errors?: readonly ServiceErrorCode[]
  }
  interface FastifyRequest {
    /** The valid keys of the presented secret; null: not looked up yet. */
    held: readonly StoredKey[] | null
    /** Name of the key that lets the request in; null: none is needed. */
    actor: string | null
    /** The body as it came; empty if `readBatch` read it. */
    text: string
    /** What `readBatch` read. */
    given: readonly GivenRequest[] | null
  }
}

/** How many commands may wait for the store before more are refused: a few seconds of work, about 100 MB. */
const MAX_QUEUED = 20_000

export interface ServerParts {
  readonly host: Host
  readonly reader: Reader
  readonly config: Config
  readonly keys: KeyRing
  readonly metrics: Metrics
  readonly events: Events
  /** null: nothing is traced. */
  readonly tracer: Tracer | null
  /** Milliseconds after which an export or a stream that its client does not read is ended. */
  readonly stalledAfter: number
  /** Whether new work is refused because the service is stopping. */
  readonly stopping: () => boolean
  /** Folder of the built page. */
  readonly page?: string | undefined
  readonly comparison?: (() => Comparisons) | undefined
}

/** A server without routes: limits, headers, keys, errors. The benchmark's echo uses it too. */
export async function createServer(
  parts: Pick<ServerParts, 'config' | 'metrics' | 'stopping'> & Partial<Pick<ServerParts, 'keys' | 'tracer'>>,
): Promise<FastifyInstance> {
  const { config, metrics } = parts
  const keys = parts.keys ?? (await openKeyRing(null, config.keys))
  const { requestTimeout } = config
  const server = Fastify({
    logger: config.logLevel === 'silent' ? false : { level: config.logLevel, redact: ['req.headers.authorization'] },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.bodyLimit,
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    requestTimeout,
    http: {
      requestTimeout,
      headersTimeout: Math.min(60_000, requestTimeout),
      connectionsCheckingInterval: Math.min(5000, requestTimeout),
    },
    routerOptions: { maxParamLength: 1000 },
    genReqId: requestIds(),
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: false,
        allowUnionTypes: true,
        // An error carries its data and schema, for the sentence about it.
        verbose: true,
      },
    },
    forceCloseConnections: 'idle',
    // Ours says why (shutting-down).
    return503OnClosing: false,
    ...(config.basePath === '' ? {} : { rewriteUrl: withoutBasePath(config.basePath) }),
    // A path that cannot be decoded, or is too long.
    frameworkErrors: (error, request, reply) => void sendError(metrics, error, request, reply as FastifyReply),
  })
  // Replies are JSON already, or values that need no schema.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data))
  readBodies(server)
  // A call without a body is one with an empty object.
  server.addHook('preValidation', async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') request.body ??= {}
  })
  server.decorateRequest('held', null)
  server.decorateRequest('actor', null)
  server.decorateRequest('text', '')
  server.decorateRequest('given', null)
  traceRequests(server, parts.tracer ?? null)
  server.setErrorHandler((error: FastifyError, request, reply) => sendError(metrics, error, request, reply))
  server.setNotFoundHandler((request, reply) => sendUnknownRoute(metrics, request, reply))
  const headers = securityHeaders()
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headers)
    if (parts.stopping()) reply.header('connection', 'close')
    const origin = foreignOrigin({ allowHost: config.allowHost, keyed: keys.keyed() }, request)
    if (origin === null) return
    reply.headers(originHeaders(origin))
    if (request.method === 'OPTIONS') return reply.code(204).send()
  })
  if (config.rateLimit > 0) {
    await server.register(rateLimit, {
      max: config.rateLimit,
      timeWindow: 60_000,
      // Only a valid key has a limit of its own; other callers share the one of their address.
      keyGenerator: (request) => {
        request.held = heldBy(keys, request)
        const [key] = request.held
        return key === undefined ? `address ${request.ip}` : `key ${key.name}`
      },
      errorResponseBuilder: (_, { after }) =>
        new ServiceError('rate-limited', `more than ${config.rateLimit} requests in a minute; retry after ${after}`),
    })
  }
  // After the limit of requests, which counts those with a wrong key too, and before the body is read.
  server.addHook('preParsing', async (request) => {
    const { role } = request.routeOptions.config
    if (role !== undefined) authorize(keys, request, role)
    requireJson(request)
    if (parts.stopping() && role !== undefined && role !== 'read')
      throw new ServiceError('shutting-down', 'the service is stopping')
  })
  compressAnswers(server)
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    metrics.requests.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    request.log.debug({ route, method: request.method, status: reply.statusCode, ms: reply.elapsedTime }, 'answered')
  })
  return server
}

export async function buildServer(parts: ServerParts): Promise<FastifyInstance> {
  const server = await createServer(parts)
  const { queued } = parts.host.store.metrics
  const { basePath } = parts.config
  server.addHook('preHandler', async (request) => {
    const { role } = request.routeOptions.config
    if ((role === 'decide' || role === 'reward') && queued() > MAX_QUEUED)
      throw new ServiceError('overloaded', `more than ${MAX_QUEUED} commands wait for the store`)
  })
  await server.register(swagger, openapiUnder(basePath))
  await server.register(swaggerUi, referenceUnder(basePath))
  if (basePath !== '') redirectUnder(server, basePath)
  await server.register(healthRoutes(parts))
  await server.register(clockRoutes(parts), { prefix: '/v1' })
  await server.register(keyRoutes(parts), { prefix: '/v1' })
  await server.register(overviewRoutes(parts), { prefix: '/v1' })
  await server.register(problemRoutes(parts), { prefix: '/v1/problems' })
  await server.register(decisionRoutes(parts), { prefix: '/v1/problems' })
  await server.register(tryRoutes(parts), { prefix: '/v1/problems' })
  await server.register(decisionListRoutes(parts), { prefix: '/v1/problems' })
  await server.register(localRoutes(parts), { prefix: '/v1/problems' })
  await server.register(rewardRoutes(parts), { prefix: '/v1/problems' })
  await server.register(subjectRoutes(parts), { prefix: '/v1/problems' })
  await server.register(operationRoutes(parts), { prefix: '/v1/problems' })
  await server.register(candidateRoutes(parts), { prefix: '/v1/problems' })
  await server.register(logRoutes(parts), { prefix: '/v1/problems' })
  await server.register(evaluationRoutes(parts), { prefix: '/v1/problems' })
  await server.register(eventRoutes(parts), { prefix: '/v1' })
  await server.register(historyRoutes(parts), { prefix: '/v1/problems' })
  await server.register(ofrepRoutes(parts), { prefix: '/ofrep/v1' })
  await server.register(pageRoutes(parts))
  return server
}

/** The headers that helmet sets: the same in every answer. */
function securityHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  const reply = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
    removeHeader: () => undefined,
  }
  const set = helmet({
    contentSecurityPolicy: {
      directives: { defaultSrc: ["'self'"], styleSrc: ["'self'", "'unsafe-inline'"], upgradeInsecureRequests: null },
    },
    strictTransportSecurity: false,
  })
  set({} as IncomingMessage, reply as unknown as ServerResponse, () => undefined)
  return headers
}

function requestIds(): () => string {
  let count = 0
  const start = Date.now().toString(36)
  return () => `r${start}-${(++count).toString(36)}`
}
