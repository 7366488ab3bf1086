// Deciding, and one decision explained.

import {
  DecisionBatch,
  DecisionBatchReply,
  DecisionBody,
  DecisionExplained,
  DecisionQuery,
  DecisionReply,
  problemDetails,
  type ServiceErrorCode,
} from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { givenRequest } from '../../codec/codec.js'
import { shortenRanking } from '../../codec/shorten-ranking.js'
import { ServiceError } from '../../ledger/service-error.js'
import { explain } from '../../reports/explain.js'
import type { ServerParts } from '../server.js'
import { ProblemParams } from './problems.js'

export const DecisionParams = Type.Object({
  ...ProblemParams.properties,
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[^\\u0000]*$',
    description: 'A decision id or an event id.',
  }),
})
export type DecisionParams = Static<typeof DecisionParams>

const REFUSALS: readonly ServiceErrorCode[] = [
  'event-conflict',
  'event-voided',
  'wrong-mode',
  'problem-retired',
  'subject-forgotten',
  'too-large',
  'missing-feature',
  'unknown-feature',
  'wrong-type',
  'out-of-range',
  'unknown-level',
  'unknown-action',
]

const JSON_TYPE = 'application/json; charset=utf-8'

export function decisionRoutes({ host }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    server.post<{ Params: ProblemParams; Body: DecisionBody; Querystring: DecisionQuery }>(
      '/:problem/decisions',
      {
        config: { role: 'decide', span: 'decide', errors: REFUSALS },
        schema: {
          operationId: 'decide',
          summary: 'Decide',
          params: ProblemParams,
          querystring: DecisionQuery,
          body: DecisionBody,
          response: { 200: DecisionReply },
          tags: ['decisions'],
        },
      },
      async (request, reply) => {
        const given = givenRequest(request.body, request.text.trim())
        const [result] = await host.decide(request.params.problem, [given], request.span)
        if (result instanceof ServiceError) throw result
        const answer = Buffer.from(shortened(result!, request.query))
        host.codec.release([result!])
        return reply.type(JSON_TYPE).send(answer)
      },
    )
    server.post<{ Params: ProblemParams; Body: DecisionBatch; Querystring: DecisionQuery }>(
      '/:problem/decisions/batch',
      {
        config: { role: 'decide', span: 'decide', readBatch: host.codec.readBatch, errors: ['problem-retired'] },
        schema: {
          operationId: 'decideBatch',
          summary: 'Decide many at once',
          description:
            'One result per request, in order: a reply, or {error}. Batches whose records would exceed 32 MB are refused.',
          params: ProblemParams,
          querystring: DecisionQuery,
          body: DecisionBatch,
          response: { 200: DecisionBatchReply },
          tags: ['decisions'],
        },
      },
      async (request, reply) => {
        const given = request.given ?? request.body.decisions.map((decision) => givenRequest(decision))
        const results = await host.decide(request.params.problem, given, request.span)
        const texts = results.map((result) =>
          result instanceof ServiceError
            ? Buffer.from(JSON.stringify({ error: problemDetails(result.code, result.message, request.id) }))
            : result,
        )
        const answer = host.codec.listResults(
          texts.map((text, k) => (results[k] instanceof ServiceError ? text : shortened(text, request.query))),
        )
        host.codec.release(texts)
        reply.raw.once('finish', () => host.codec.release([answer]))
        return reply.type(JSON_TYPE).send(answer)
      },
    )
    server.get<{ Params: DecisionParams }>(
      '/:problem/decisions/:id',
      {
        config: { role: 'read', errors: ['unknown-decision', 'subject-forgotten'] },
        schema: {
          operationId: 'explainDecision',
          summary: 'One decision, explained',
          params: DecisionParams,
          response: { 200: DecisionExplained },
          tags: ['decisions'],
        },
      },
      async (request) => {
        const { problem, id } = request.params
        const { row } = await host.upToDate(problem)
        const stored = await host.store.decision(row.id, id)
        if (stored === undefined)
          throw new ServiceError('unknown-decision', `no decision has the id or event id "${id}"`)
        return explain(host.store, row, stored, host.code)
      },
    )
  }
}

function shortened(reply: Uint8Array, { ranking }: DecisionQuery): Uint8Array {
  return ranking === undefined ? reply : shortenRanking(reply, Number(ranking))
}
