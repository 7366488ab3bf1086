// Off-policy evaluation on the log: at most two at a time, each in its own process, which ends with the caller's connection.

import { fork } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Evaluation, EvaluationRequest } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../ledger/service-error.js'
import type { EvaluationAnswer, EvaluationTask } from '../../reports/evaluation-process.js'
import { threadFile } from '../../threads/thread-file.js'
import type { ServerParts } from '../server.js'
import { limitLongReads } from './long-reads.js'
import { ProblemParams } from './problems.js'

const PROGRAM = fileURLToPath(threadFile(new URL('../../reports/evaluation-process.js', import.meta.url)))

export function evaluationRoutes({ host }: ServerParts) {
  const begin = limitLongReads({ what: 'evaluations', perCaller: 1, inAll: 2 })

  function evaluate(task: EvaluationTask, caller: ServerResponse): Promise<EvaluationAnswer> {
    return new Promise((resolve, reject) => {
      // The structured clone keeps what JSON would not.
      const child = fork(PROGRAM, {
        serialization: 'advanced',
        execArgv: [],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      caller.once('close', () => child.kill('SIGKILL'))
      child.once('message', (answer: EvaluationAnswer) => resolve(answer))
      child.once('error', reject)
      const gone = { refused: 'the caller has left', code: 'invalid-request' } as const
      child.once('exit', () => (caller.closed ? resolve(gone) : reject(new Error('the evaluation has stopped'))))
      child.send(task, (error) => void (error && reject(error)))
    })
  }

  return async (server: FastifyInstance): Promise<void> => {
    server.post<{ Params: ProblemParams; Body: EvaluationRequest }>(
      '/:problem/evaluations',
      {
        config: { role: 'read', errors: ['too-many-reads', 'unknown-action', 'invalid-option', 'invalid-problem'] },
        schema: {
          operationId: 'evaluatePolicies',
          summary: 'What other policies would have earned, from the log',
          params: ProblemParams,
          body: EvaluationRequest,
          response: { 200: Evaluation },
          tags: ['log'],
        },
      },
      async (request, reply) => {
        const { row: live } = await host.problem(request.params.problem)
        const end = begin(request)
        try {
          const row = (await host.store.problem(live.name)) ?? live
          const answer = await evaluate({ reader: host.store.readerSpec(), row, request: request.body }, reply.raw)
          if ('refused' in answer) throw new ServiceError(answer.code, answer.refused)
          if ('failed' in answer) throw new Error(answer.failed)
          return reply.type('application/json; charset=utf-8').send(answer.evaluation)
        } finally {
          end()
        }
      },
    )
  }
}
