// A problem's candidate: set it, look at it, withdraw it, take its promotion back.

import { CandidateBody, CandidateInfo, Empty, type ServiceErrorCode } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import type { ServerParts } from '../server.js'
import { ProblemParams } from './problems.js'

const PATH = '/:problem/candidate'

export function candidateRoutes({ host }: ServerParts) {
  const { candidates } = host

  return async (server: FastifyInstance): Promise<void> => {
    const described = (operationId: string, summary: string, more: object = {}) => ({
      operationId,
      summary,
      params: ProblemParams,
      response: { 200: CandidateInfo },
      tags: ['operation'],
      ...more,
    })
    const admin = (...errors: readonly ServiceErrorCode[]) => ({
      role: 'admin' as const,
      errors: ['problem-retired' as const, ...errors],
    })
    server.get<{ Params: ProblemParams }>(
      PATH,
      {
        config: { role: 'read' },
        schema: described('getCandidate', 'How the candidate does, and what became of the last one'),
      },
      async ({ params }) => candidates.info(params.problem),
    )
    server.put<{ Params: ProblemParams; Body: CandidateBody }>(
      PATH,
      {
        config: admin('invalid-problem', 'invalid-option', 'unknown-feature', 'wrong-mode', 'overloaded'),
        schema: described(
          'setCandidate',
          'Run other options or models beside the live policy, and promote them when they are better',
          {
            description:
              'It learns from the log at ends of epochs. When the limits of its gain, which hold at all times, exclude none, it is promoted: the definition changes, and its policy decides. One that is worse is given up. Another one replaces it.',
            body: CandidateBody,
          },
        ),
      },
      async (request) => {
        const { problem } = request.params
        await candidates.set(problem, request.body, request.actor)
        request.log.info({ problem, by: request.actor }, 'candidate set')
        return candidates.info(problem)
      },
    )
    server.delete<{ Params: ProblemParams }>(
      PATH,
      { config: admin(), schema: described('withdrawCandidate', 'Withdraw the candidate, if there is one') },
      async (request) => {
        const { problem } = request.params
        await candidates.withdraw(problem, request.actor)
        request.log.info({ problem, by: request.actor }, 'candidate withdrawn')
        return candidates.info(problem)
      },
    )
    server.post<{ Params: ProblemParams }>(
      `${PATH}/rollback`,
      {
        config: admin('unknown-policy', 'overloaded'),
        schema: described('rollBackCandidate', 'Take the last promotion back', {
          description: 'Definition and policy are those from before it, and learning goes on from there.',
          body: Empty,
        }),
      },
      async (request) => {
        const { problem } = request.params
        await candidates.rollBack(problem, request.actor)
        request.log.info({ problem, by: request.actor }, 'promotion taken back')
        return candidates.info(problem)
      },
    )
  }
}
