// Deciding, and one decision explained.

import { DecisionBatch, DecisionReply, DecisionRequest, problemDetails } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { borrowRoom, giveBack } from '../../engine/byte-text.js'
import { explain } from '../../engine/explain.js'
import { givenRequest } from '../../engine/given-request.js'
import { ServiceError } from '../../service-error.js'
import { readPlainBatch } from '../plain-batch.js'
import type { Doors } from '../server.js'
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

const JSON_TYPE = 'application/json; charset=utf-8'

export function decisionRoutes({ host }: Doors) {
  return async (server: FastifyInstance): Promise<void> => {
    server.post<{ Params: ProblemParams; Body: DecisionRequest }>(
      '/:problem/decisions',
      {
        config: { role: 'decide' },
        schema: {
          summary: 'Decide',
          params: ProblemParams,
          body: DecisionRequest,
          response: { 200: DecisionReply },
          tags: ['decisions'],
        },
      },
      async (request, reply) => {
        const { body, text } = request
        const room = borrowRoom()
        const [result] = await host.decide(request.params.problem, [givenRequest(body, text.trim())], room)
        if (result instanceof ServiceError) throw result
        const answer = Buffer.from(result!)
        giveBack(room)
        return reply.type(JSON_TYPE).send(answer)
      },
    )
    server.post<{ Params: ProblemParams; Body: DecisionBatch }>(
      '/:problem/decisions/batch',
      {
        config: { role: 'decide', readPlain: readPlainBatch },
        schema: {
          summary: 'Decide many at once',
          description: 'One result per request, in order: a reply, or {error}.',
          params: ProblemParams,
          body: DecisionBatch,
          tags: ['decisions'],
        },
      },
      async (request, reply) => {
        const given = request.plain ?? request.body.decisions.map((decision) => givenRequest(decision))
        const room = borrowRoom()
        const results = await host.decide(request.params.problem, given, room)
        room.begin()
        for (let k = 0; k < results.length; k++) {
          const result = results[k]!
          room.text(k === 0 ? '{"results":[' : ',')
          if (result instanceof Uint8Array) room.copy(result)
          else room.json({ error: problemDetails(result.code, result.message, request.id) })
        }
        room.text(']}')
        // Not before, and not after a failure, when somebody may still look at it.
        reply.raw.once('finish', () => giveBack(room))
        return reply.type(JSON_TYPE).send(room.take())
      },
    )
    server.get<{ Params: DecisionParams }>(
      '/:problem/decisions/:id',
      {
        config: { role: 'read' },
        schema: { summary: 'One decision, explained', params: DecisionParams, tags: ['decisions'] },
      },
      async (request) => {
        const { problem, id } = request.params
        const { row } = await host.upToDate(problem)
        const stored = await host.store.decision(row.id, id)
        if (stored === undefined)
          throw new ServiceError('unknown-decision', `no decision has the id or event id "${id}"`)
        return explain(host.store, row, stored)
      },
    )
  }
}
