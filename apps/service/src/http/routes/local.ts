// Deciding in callers' processes: the policy as a document, news of it, and the upload of what was decided.

import { CallerName, PolicyDocument, problemDetails, Upload, UploadReply } from '@primo/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { policyDocument } from '../../host/policy-document.js'
import { ServiceError } from '../../ledger/service-error.js'
import { may, reaches } from '../../ledger/stored-key.js'
import type { KeyRing } from '../key-ring.js'
import type { ServerParts } from '../server.js'
import { limitLongReads } from './long-reads.js'
import { openStream } from './open-stream.js'
import { ProblemParams, requireActive } from './problems.js'

const PolicyQuery = Type.Object({ caller: CallerName }, { additionalProperties: false })
type PolicyQuery = Static<typeof PolicyQuery>

const MAX_LISTENERS = 5000

export function localRoutes({ host, events, keys, metrics, stalledAfter }: ServerParts) {
  const begin = limitLongReads({ what: 'policy streams', perCaller: MAX_LISTENERS / 2, inAll: MAX_LISTENERS })
  return async (server: FastifyInstance): Promise<void> => {
    const tags = ['local deciding']
    server.get<{ Params: ProblemParams; Querystring: PolicyQuery }>(
      '/:problem/policy',
      {
        config: { role: 'decide', errors: ['problem-retired'] },
        schema: {
          operationId: 'getPolicy',
          summary: "The live policy, to decide in the caller's process",
          description: 'With If-None-Match it answers 304 while the policy is that of the ETag.',
          params: ProblemParams,
          querystring: PolicyQuery,
          response: {
            200: PolicyDocument,
            304: {
              description: 'The policy is still that of the ETag.',
              content: { 'text/plain': { schema: { type: 'string' } } },
            },
          },
          tags,
        },
      },
      async (request, reply) => {
        requireCaller(keys, request, request.query.caller)
        const live = requireActive(await host.upToDate(request.params.problem))
        const { text, hash } = await policyDocument(live, request.query.caller)
        const etag = `"${hash}"`
        reply.header('etag', etag).header('cache-control', 'private, no-cache')
        if (request.headers['if-none-match'] === etag) return reply.code(304).send()
        return reply.type('application/json; charset=utf-8').send(text)
      },
    )
    server.get<{ Params: ProblemParams }>(
      '/:problem/policy/events',
      {
        config: { role: 'decide', errors: ['too-many-reads'] },
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
        const release = begin(request)
        const stream = openStream(request, reply, {
          keys,
          problems: [problem],
          stalledAfter,
          onClose: () => {
            release()
            forget()
          },
        })
        const forget = events.watch(problem, {
          changed: () => undefined,
          replaced: () => stream.send('policy', {}),
          close: stream.end,
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
            'Each decision is made again by the policy it names and refused (verification-failed) where it differs. Items are taken in order; repeating them counts once. Rewards and reveals need a key of role reward, too, such as one of role decide+reward; others are refused one by one (forbidden).',
          params: ProblemParams,
          body: Upload,
          response: { 200: UploadReply },
          tags,
        },
      },
      async (request) => {
        const { problem } = request.params
        requireCaller(keys, request, request.body.caller)
        const { held, actor } = request
        const mayReward = actor === null || held!.some((key) => may(key.role, 'reward') && reaches([key], problem))
        const { accepted, repeated, refused, policy } = await host.upload(problem, request.body, mayReward)
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
