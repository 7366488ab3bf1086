// What is reported after a decision.

import {
  Empty,
  problemDetails,
  RevealReport,
  RewardBatch,
  RewardReply,
  RewardReport,
  VoidReport,
} from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import { checkReveal, checkRewardValue } from '../../engine/checks.js'
import type { Command, Outcome } from '../../ledger/commands.js'
import { asServiceError, ServiceError } from '../../service-error.js'
import type { Doors } from '../server.js'
import { DecisionParams } from './decisions.js'
import { ProblemParams, requireActive } from './problems.js'

type Told = { readonly decisionId: string; readonly status: string }

export function rewardRoutes({ host, metrics }: Doors) {
  async function report(command: Command): Promise<Told> {
    return (await host.settle(command)) as Told
  }

  return async (server: FastifyInstance): Promise<void> => {
    const tags = ['rewards']
    server.post<{ Params: DecisionParams; Body: RewardReport }>(
      '/:problem/decisions/:id/reward',
      {
        config: { role: 'reward' },
        schema: {
          summary: 'Report the reward of a decision',
          params: DecisionParams,
          body: RewardReport,
          response: { 200: RewardReply },
          tags,
        },
      },
      async (request) => {
        const { problem, id } = request.params
        const { value, rewardId = null } = request.body
        checkRewardValue(requireActive(await host.problem(problem)), value)
        const told = await report({ kind: 'reward', problem, ref: id, value, rewardId })
        metrics.rewards.inc({ problem, status: told.status })
        return told
      },
    )
    server.post<{ Params: ProblemParams; Body: RewardBatch }>(
      '/:problem/rewards/batch',
      {
        config: { role: 'reward' },
        schema: {
          summary: 'Report many rewards at once',
          description: 'One result per reward, in order: {decisionId, status}, or {error}.',
          params: ProblemParams,
          body: RewardBatch,
          tags,
        },
      },
      async (request) => {
        const { problem } = request.params
        const live = requireActive(await host.problem(problem))
        const commands: Command[] = []
        const results = request.body.rewards.map(({ id, value, rewardId = null }): ServiceError | number => {
          try {
            checkRewardValue(live, value)
          } catch (error) {
            const known = asServiceError(error)
            if (known === null) throw error
            return known
          }
          return commands.push({ kind: 'reward', problem, ref: id, value, rewardId }) - 1
        })
        const outcomes = commands.length === 0 ? [] : await host.settleAll(commands)
        return {
          results: results.map((result) => {
            const told =
              result instanceof ServiceError ? { error: result.code, detail: result.message } : outcomes[result]!
            return batchResult(told, request.id, (status) => metrics.rewards.inc({ problem, status }))
          }),
        }
      },
    )
    server.post<{ Params: DecisionParams; Body: RevealReport }>(
      '/:problem/decisions/:id/reveal',
      {
        config: { role: 'reward' },
        schema: {
          summary: 'Report the truth of a covariate that was missing',
          params: DecisionParams,
          body: RevealReport,
          response: { 200: RewardReply },
          tags,
        },
      },
      async (request) => {
        const { problem, id } = request.params
        const { covariates } = request.body
        checkReveal(requireActive(await host.problem(problem)), covariates)
        return report({ kind: 'reveal', problem, ref: id, covariates })
      },
    )
    server.post<{ Params: DecisionParams }>(
      '/:problem/decisions/:id/activate',
      {
        config: { role: 'decide' },
        schema: {
          summary: 'A deferred decision was played',
          params: DecisionParams,
          body: Empty,
          response: { 200: RewardReply },
          tags,
        },
      },
      async (request) => report({ kind: 'activate', problem: request.params.problem, ref: request.params.id }),
    )
    server.post<{ Params: DecisionParams; Body: VoidReport }>(
      '/:problem/decisions/:id/void',
      {
        config: { role: 'decide' },
        schema: {
          summary: 'A decision was never played: it is not learnt from',
          params: DecisionParams,
          body: VoidReport,
          response: { 200: RewardReply },
          tags,
        },
      },
      async (request) => {
        const { problem, id } = request.params
        return report({ kind: 'void', problem, ref: id, unseen: request.body.unseen ?? false })
      },
    )
  }
}

function batchResult(outcome: Outcome, instance: string, count: (status: string) => void): unknown {
  if ('error' in outcome) return { error: problemDetails(outcome.error, outcome.detail, instance) }
  const told = outcome as Told
  count(told.status)
  return told
}
