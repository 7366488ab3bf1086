// Off-policy evaluation on the log: at most two at a time, each in its own thread, which ends with the caller's connection.

import type { ServerResponse } from 'node:http'
import { Worker } from 'node:worker_threads'
import { Evaluation, EvaluationRequest } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../ledger/service-error.js'
import type { EvaluationAnswer, EvaluationTask, LogRead } from '../../reports/evaluation-thread.js'
import type { ServerParts } from '../server.js'
import { limitLongReads } from './long-reads.js'
import { ProblemParams } from './problems.js'

export function evaluationRoutes({ host }: ServerParts) {
  const begin = limitLongReads({ what: 'evaluations', perCaller: 1, inAll: 2 })

  function evaluate(task: EvaluationTask, caller: ServerResponse): Promise<EvaluationAnswer> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(new URL('../../reports/evaluation-thread.js', import.meta.url), { workerData: task })
      // Not while it is inside the database's driver, which is native code.
      let reading = true
      const end = () => {
        if (!reading) void worker.terminate()
      }
      caller.once('close', end)
      worker.on('message', (said: EvaluationAnswer | LogRead) => {
        if (!('read' in said)) return resolve(said)
        reading = false
        if (caller.closed) end()
      })
      worker.once('error', reject)
      const gone = { refused: 'the caller has left', code: 'invalid-request' } as const
      worker.once('exit', () => (caller.closed ? resolve(gone) : reject(new Error('the evaluation has stopped'))))
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
