// Reading what was learnt, and operating: freeze, unfreeze, roll back.

import { CalibrationInfo, ElasticityInfo, Empty, Epochs, ProblemInfo, ProblemSummary, Rollback } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { calibrationInfo, elasticityInfo, epochsInfo } from '../../reports/learnt.js'
import { summarize } from '../../reports/summary.js'
import type { ServerParts } from '../server.js'
import { infoOf, ProblemParams } from './problems.js'

export function operationRoutes({ host }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    const read = (operationId: string, summary: string, reply: TSchema) => ({
      config: { role: 'read' as const },
      schema: { operationId, summary, params: ProblemParams, response: { 200: reply }, tags: ['what was learnt'] },
    })
    server.get<{ Params: ProblemParams }>(
      '/:problem/summary',
      read('getSummary', 'How it goes', ProblemSummary),
      async ({ params }) => {
        const live = await host.upToDate(params.problem)
        return summarize((await host.store.problem(params.problem))!, live, host.store.clock.hold())
      },
    )
    server.get<{ Params: ProblemParams }>(
      '/:problem/epochs',
      read('listEpochs', 'Epochs and their policies', Epochs),
      async ({ params }) => {
        await host.problem(params.problem)
        const row = (await host.store.problem(params.problem))!
        return epochsInfo(row, await host.store.snapshots(row.id))
      },
    )
    server.get<{ Params: ProblemParams }>(
      '/:problem/calibration',
      read('getCalibration', 'How the pre-trained models were corrected', CalibrationInfo),
      async ({ params }) => calibrationInfo(await host.upToDate(params.problem)),
    )
    server.get<{ Params: ProblemParams }>(
      '/:problem/elasticity',
      read('getElasticity', 'What missing values cost', ElasticityInfo),
      async ({ params }) => elasticityInfo(await host.upToDate(params.problem)),
    )
    for (const operation of ['freeze', 'unfreeze'] as const) {
      server.post<{ Params: ProblemParams }>(
        `/:problem/${operation}`,
        {
          config: { role: 'admin', errors: ['problem-retired'] },
          schema: {
            operationId: `${operation}Problem`,
            summary: operation === 'freeze' ? 'Keep the policy as it is' : 'Learn again, from the newest policy',
            params: ProblemParams,
            body: Empty,
            response: { 200: ProblemInfo },
            tags: ['operation'],
          },
        },
        async (request) => {
          const { problem } = request.params
          await host.settle({ kind: 'operate', problem, operation, by: request.actor })
          request.log.info({ problem, operation, by: request.actor }, 'operated')
          return infoOf(await host.fresh(problem))
        },
      )
    }
    server.post<{ Params: ProblemParams; Body: Rollback }>(
      '/:problem/rollback',
      {
        config: { role: 'admin', errors: ['unknown-policy', 'problem-retired'] },
        schema: {
          operationId: 'rollBackProblem',
          summary: 'Decide with an earlier policy and freeze it',
          description: 'Unfreeze to go back to the newest policy and to learning.',
          params: ProblemParams,
          body: Rollback,
          response: { 200: ProblemInfo },
          tags: ['operation'],
        },
      },
      async (request) => {
        const { problem } = request.params
        const { version } = request.body
        await host.settle({ kind: 'operate', problem, operation: { rollback: version }, by: request.actor })
        request.log.info({ problem, version, by: request.actor }, 'rolled back')
        return infoOf(await host.fresh(problem))
      },
    )
  }
}
