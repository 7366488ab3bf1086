// What is reported after a decision.

import {
  Empty,
  problemDetails,
  RevealReport,
  RewardBatch,
  RewardBatchReply,
  RewardReply,
  RewardReport,
  type ServiceErrorCode,
  VoidReport,
} from '@primo/contract'
import { checkTruths } from '@primo/core/engine'
import { PrimoError } from '@primo/numeric'
import type { FastifyInstance } from 'fastify'
import type { ProblemHost } from '../../host/problem-host.js'
import type { Command, Outcome } from '../../ledger/commands.js'
import { ServiceError } from '../../ledger/service-error.js'
import type { ServerParts } from '../server.js'
import { DecisionParams } from './decisions.js'
import { ProblemParams, requireActive } from './problems.js'

type Told = { readonly decisionId: string; readonly status: string }

const REFERS: readonly ServiceErrorCode[] = ['unknown-decision', 'problem-retired']
const VALUES: readonly ServiceErrorCode[] = ['unknown-feature', 'wrong-type', 'out-of-range', 'unknown-level']

export function rewardRoutes({ host, metrics }: ServerParts) {
  async function report(command: Command): Promise<Told> {
    const outcome = await host.settle(command)
    if ('stale' in outcome) throw new ServiceError('overloaded', `problem "${command.problem}" is being changed`)
    return outcome as Told
  }

  return async (server: FastifyInstance): Promise<void> => {
    const tags = ['rewards']
    server.post<{ Params: DecisionParams; Body: RewardReport }>(
      '/:problem/decisions/:id/reward',
      {
        config: { role: 'reward', errors: [...REFERS, 'reward-conflict', 'out-of-range', 'unknown-feature'] },
        schema: {
          operationId: 'reportReward',
          summary: 'Report the reward of a decision',
          params: DecisionParams,
          body: RewardReport,
          response: { 200: RewardReply },
          tags,
        },
      },
      async (request) => {
        const { problem, id } = request.params
        const { value, rewardId = null, ...more } = request.body
        const told = await report({ kind: 'reward', problem, ref: id, value, rewardId, ...more })
        metrics.rewards.inc({ problem, status: told.status })
        return told
      },
    )
    server.post<{ Params: ProblemParams; Body: RewardBatch }>(
      '/:problem/rewards/batch',
      {
        config: { role: 'reward', errors: ['problem-retired'] },
        schema: {
          operationId: 'reportRewards',
          summary: 'Report many rewards at once',
          description: 'One result per reward, in order: {decisionId, status}, or {error}.',
          params: ProblemParams,
          body: RewardBatch,
          response: { 200: RewardBatchReply },
          tags,
        },
      },
      async (request) => {
        const { problem } = request.params
        requireActive(await host.problem(problem))
        const outcomes = await host.settleAll(
          request.body.rewards.map(({ id, value, rewardId = null, ...more }) => ({
            kind: 'reward',
            problem,
            ref: id,
            value,
            rewardId,
            ...more,
          })),
        )
        const count = (status: string) => metrics.rewards.inc({ problem, status })
        return { results: outcomes.map((outcome) => batchResult(outcome, request.id, count)) }
      },
    )
    server.post<{ Params: DecisionParams; Body: RevealReport }>(
      '/:problem/decisions/:id/reveal',
      {
        config: { role: 'reward', errors: [...REFERS, ...VALUES, 'reveal-conflict', 'subject-forgotten'] },
        schema: {
          operationId: 'revealTruths',
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
        const live = requireActive(await host.upToDate(problem))
        checkReveal(live, covariates)
        return report({ kind: 'reveal', problem, version: live.row.version, ref: id, covariates })
      },
    )
    server.post<{ Params: DecisionParams }>(
      '/:problem/decisions/:id/activate',
      {
        config: { role: 'decide', errors: [...REFERS, 'round-closed'] },
        schema: {
          operationId: 'activateDecision',
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
        config: { role: 'decide', errors: [...REFERS, 'round-closed'] },
        schema: {
          operationId: 'voidDecision',
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

function checkReveal({ engine }: ProblemHost, covariates: Readonly<Record<string, unknown>>): void {
  if (Object.keys(covariates).length === 0)
    throw new PrimoError('invalid-request', 'covariates must name at least one covariate, got none')
  checkTruths(engine, covariates)
}

function batchResult(outcome: Outcome, instance: string, count: (status: string) => void): unknown {
  if ('error' in outcome) return { error: problemDetails(outcome.error, outcome.detail, instance) }
  const told = outcome as Told
  count(told.status)
  return told
}
