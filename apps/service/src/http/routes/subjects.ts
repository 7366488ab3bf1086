// Forgetting a subject.

import { SubjectForgotten } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { ServerParts } from '../server.js'
import { ProblemParams } from './problems.js'

const SubjectParams = Type.Object({
  ...ProblemParams.properties,
  subject: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[^\\u0000]*$',
    description: 'As the decisions name it.',
  }),
})
type SubjectParams = Static<typeof SubjectParams>

export function subjectRoutes({ host }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    server.delete<{ Params: SubjectParams }>(
      '/:problem/subjects/:subject',
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'forgetSubject',
          summary: 'Forget a subject',
          description:
            'Takes contexts, covariates, predictions and truths of its decisions out of log, exports and files. Ids, actions, propensities, rewards, counts and the policies learnt so far stay.',
          params: SubjectParams,
          response: { 200: SubjectForgotten },
          tags: ['subjects'],
        },
      },
      async (request) => {
        const { problem, subject } = request.params
        const { decisions, erased } = await host.forget(problem, subject, request.actor)
        // The log of the service must not name who was forgotten.
        request.log.info({ problem, decisions, erased, by: request.actor }, 'subject forgotten')
        return { problem, decisions, erased, kept: KEPT }
      },
    )
  }
}

const KEPT = 'ids, actions, propensities, rewards, counts, and the policies that were learnt before'
