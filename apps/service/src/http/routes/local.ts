// Deciding in callers' processes: the policy as a document, news of it, and the upload of what was decided.

import { CallerName, PolicyDocument, problemDetails, Upload, UploadReply } from '@primo/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { policyDocument } from '../../host/policy-document.js'
import { ServiceError } from '../../ledger/service-error.js'
import type { KeyRing } from '../key-ring.js'
import type { ServerParts } from '../server.js'
import { ProblemParams, requireActive } from './problems.js'

const PolicyQuery = Type.Object({ caller: CallerName }, { additionalProperties: false })
type PolicyQuery = Static<typeof PolicyQuery>

const HEARTBEAT = 15_000
const MAX_LISTENERS = 5000

export function localRoutes({ host, events, keys, metrics }: ServerParts) {
  let listeners = 0
  return async (server: FastifyInstance): Promise<void> => {
    const tags = ['local deciding']
    server.get<{ Params: ProblemParams; Querystring: PolicyQuery }>(
      '/:problem/policy',
      {
        config: { role: 'decide', errors: ['problem-retired'] },
        schema: {
          operationId: 'getPolicy',
          summary: "The live policy, to decide in the caller's process",
          description: 'With If-None-Match it answers 304 while the policy is the one of that ETag.',
          params: ProblemParams,
          querystring: PolicyQuery,
          response: {
            200: PolicyDocument,
            304: { description: 'It is that of the ETag.', content: { 'text/plain': { schema: { type: 'string' } } } },
          },
          tags,
        },
      },
      async (request, reply) => {
        requireCaller(keys, request, request.query.caller)
        const live = requireActive(await host.upToDate(request.params.problem))
        const document = policyDocument(live, request.query.caller)
        const etag = `"${document.hash}"`
        reply.header('etag', etag).header('cache-control', 'private, no-cache')
        if (request.headers['if-none-match'] === etag) return reply.code(304).send()
        return document
      },
    )
    server.get<{ Params: ProblemParams }>(
      '/:problem/policy/events',
      {
        config: { role: 'decide', errors: ['overloaded'] },
        schema: {
          operationId: 'watchPolicy',
          summary: 'News of the live policy (server-sent events)',
          description: 'An event `policy` when the policy is another one.',
          params: ProblemParams,
          response: {
            200: { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
          },
          tags,
        },
      },
      async (request, reply) => {
        const { problem } = request.params
        await host.problem(problem)
        if (listeners >= MAX_LISTENERS)
          throw new ServiceError('overloaded', `at most ${MAX_LISTENERS} can listen at once`)
        listeners++
        reply.hijack()
        const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
        const response = reply.raw
        response.writeHead(200, headers as Record<string, string>)
        response.write(': here\n\n')
        const heart = setInterval(() => response.write(': still here\n\n'), HEARTBEAT)
        const forget = events.watch(problem, {
          changed: () => undefined,
          replaced: () => response.write('event: policy\ndata: {}\n\n'),
          close: () => response.end(),
        })
        response.on('close', () => {
          listeners--
          clearInterval(heart)
          forget()
        })
      },
    )
    server.post<{ Params: ProblemParams; Body: Upload }>(
      '/:problem/uploads',
      {
        config: { role: 'decide', errors: ['problem-retired', 'too-large'] },
        schema: {
          operationId: 'upload',
          summary: "Take over decisions made in the caller's process, and what became of them",
          description:
            'Each decision is made again by the policy it names and refused (verification-failed) where it differs. Items are taken in order; repeating them counts once.',
          params: ProblemParams,
          body: Upload,
          response: { 200: UploadReply },
          tags,
        },
      },
      async (request) => {
        const { problem } = request.params
        requireCaller(keys, request, request.body.caller)
        const { accepted, repeated, refused, policy } = await host.upload(problem, request.body)
        metrics.uploads.inc({ problem, result: 'accepted' }, accepted)
        metrics.uploads.inc({ problem, result: 'repeated' }, repeated)
        for (const { code } of refused.values()) metrics.uploads.inc({ problem, result: code })
        const list = [...refused].map(([item, { code, message }]) => ({
          item,
          error: problemDetails(code, message, request.id),
        }))
        return { accepted, repeated, refused: list, policy } satisfies UploadReply
      },
    )
  }
}

/** A caller is known by its key: no other can ask for what it draws from. */
function requireCaller(keys: KeyRing, { actor }: FastifyRequest, caller: string): void {
  if (actor === null) return
  const isOf = (name: string) => caller === name || caller.startsWith(`${name}.`)
  if (!isOf(actor))
    throw new ServiceError('invalid-request', `caller must be "${actor}" or begin with "${actor}.", got "${caller}"`)
  // A key's name may have dots, too: the longest name counts.
  const other = keys.list().find(({ name }) => name.length > actor.length && isOf(name))
  if (other !== undefined)
    throw new ServiceError('invalid-request', `caller must not be that of key "${other.name}", got "${caller}"`)
}
