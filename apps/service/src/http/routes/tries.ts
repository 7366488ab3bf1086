// Decisions that are only tried: answered by the policy that decides now, and forgotten.

import { DecisionBatch, DecisionBatchReply, type DecisionReply, problemDetails } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import { givenRequest, replyOf } from '../../codec/codec.js'
import { asServiceError, ServiceError } from '../../ledger/service-error.js'
import type { ServerParts } from '../server.js'
import { ProblemParams } from './problems.js'

/** The draw is a function of the id, so the same try is answered alike. */
const ID = 'try'

export function tryRoutes({ host }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    server.post<{ Params: ProblemParams; Body: DecisionBatch }>(
      '/:problem/tries',
      {
        config: { role: 'read', errors: ['problem-retired'] },
        schema: {
          operationId: 'tryDecisions',
          summary: 'Try decisions without making them',
          description:
            'What the policy would answer now, one result per request, in order: a reply, or {error}. Nothing enters the log, nothing is learnt, and the decision id of a reply names no decision.',
          params: ProblemParams,
          body: DecisionBatch,
          response: { 200: DecisionBatchReply },
          tags: ['decisions'],
        },
      },
      async (request): Promise<DecisionBatchReply> => {
        const { problem } = request.params
        const { row, imputers, decide } = await host.upToDate(problem)
        if (row.retired !== null) throw new ServiceError('problem-retired', `problem "${problem}" was retired`)
        const { decisions } = request.body
        const imputed = imputers === null ? null : await imputers.predictTries(decisions)
        const results = decisions.map((decision, k) => {
          try {
            const command = decide(givenRequest(decision), ID, imputed?.[k])
            const reply = JSON.parse(Buffer.from(replyOf(command, null)).toString()) as DecisionReply
            host.codec.release([command.record])
            return reply
          } catch (error) {
            const refusal = asServiceError(error)
            if (refusal === null) throw error
            return { error: problemDetails(refusal.code, refusal.message, request.id) }
          }
        })
        return { results }
      },
    )
  }
}
