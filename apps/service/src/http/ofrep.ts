// A problem as a feature flag, for any OpenFeature SDK (OFREP): its evaluation is a decision, which is recorded as every other. The
// targeting key says whom a decision is about and returns with every one of theirs: it is the subject, and no event id.

import {
  DecisionBody,
  type DecisionReply,
  FlagEvaluation,
  FlagFailure,
  FlagRequest,
  type ProblemDefinition,
  type ServiceErrorCode,
} from '@primo/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { givenRequest } from '../codec/codec.js'
import { ServiceError } from '../ledger/service-error.js'
import { detailsOf, send } from './error-answers.js'
import { ProblemParams } from './routes/problems.js'
import { schemaSentence } from './schema-sentence.js'
import type { ServerParts } from './server.js'

/** Errors that the protocol has a form for; the others are problem details. */
const FAILURES: Partial<Record<ServiceErrorCode, FlagFailure['errorCode']>> = {
  'unknown-problem': 'FLAG_NOT_FOUND',
  'problem-retired': 'FLAG_NOT_FOUND',
  'invalid-request': 'PARSE_ERROR',
  'missing-feature': 'INVALID_CONTEXT',
  'wrong-type': 'INVALID_CONTEXT',
  'out-of-range': 'INVALID_CONTEXT',
  'unknown-level': 'INVALID_CONTEXT',
  'event-conflict': 'GENERAL',
  'event-voided': 'GENERAL',
  'subject-forgotten': 'GENERAL',
  'wrong-mode': 'GENERAL',
}

const ONE_BY_ONE =
  'flags are evaluated one by one: each evaluation is a decision that is recorded and learnt from, so those that nobody asked for are not made'

export function ofrepRoutes({ host, metrics }: ServerParts) {
  function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    const details = detailsOf(error, request)
    const errorCode = FAILURES[details.code]
    if (errorCode === undefined) return send(metrics, reply, details)
    metrics.errors.inc({ code: details.code })
    const { problem = '' } = request.params as Partial<ProblemParams>
    const failure: FlagFailure = { key: problem, errorCode, errorDetails: details.detail }
    return reply.code(errorCode === 'FLAG_NOT_FOUND' ? 404 : 400).send(failure)
  }

  return async (server: FastifyInstance): Promise<void> => {
    server.post<{ Params: ProblemParams; Body: FlagRequest }>(
      '/evaluate/flags/:problem',
      {
        config: { role: 'decide', span: 'decide' },
        errorHandler: answerError,
        schema: {
          operationId: 'evaluateFlag',
          summary: 'Evaluate a problem as a feature flag (OpenFeature, OFREP)',
          params: ProblemParams,
          body: FlagRequest,
          response: { 200: FlagEvaluation, 400: FlagFailure, 404: FlagFailure },
          tags: ['decisions'],
        },
      },
      async (request): Promise<FlagEvaluation> => {
        const { problem } = request.params
        const { definition } = (await host.upToDate(problem)).row
        const asked = decisionBody(definition, request.body.context ?? {})
        const isBody = request.compileValidationSchema(DecisionBody, 'body')
        if (!isBody(asked)) throw new ServiceError('wrong-type', schemaSentence(isBody.errors ?? [], 'body'))
        const [result] = await host.decide(problem, [givenRequest(asked)], request.span)
        if (result instanceof ServiceError) throw result
        const reply = JSON.parse(Buffer.from(result!).toString()) as DecisionReply
        host.codec.release([result!])
        return evaluationOf(problem, definition.actions, reply)
      },
    )
    server.post(
      '/evaluate/flags',
      { config: { role: 'decide', forSome: true }, schema: { hide: true } },
      async (_, reply) => reply.code(400).send({ errorCode: 'GENERAL', errorDetails: ONE_BY_ONE }),
    )
  }
}

function decisionBody({ context, covariates }: ProblemDefinition, attributes: Record<string, unknown>): DecisionBody {
  const named = (names: object) =>
    Object.fromEntries(Object.entries(attributes).filter(([name]) => Object.hasOwn(names, name)))
  const { targetingKey, eventId } = attributes
  const isFeature = Object.hasOwn(context, 'eventId') || Object.hasOwn(covariates, 'eventId')
  return {
    ...(typeof targetingKey === 'string' && targetingKey !== '' ? { subject: targetingKey } : {}),
    ...(typeof eventId === 'string' && eventId !== '' && !isFeature ? { eventId } : {}),
    context: named(context) as DecisionBody['context'],
    covariates: named(covariates) as NonNullable<DecisionBody['covariates']>,
  }
}

function evaluationOf(key: string, actions: readonly string[], reply: DecisionReply): FlagEvaluation {
  const { decisionId, action, propensity, policy, holdout = false, covariates } = reply
  const imputed = Object.keys(covariates).filter((name) => covariates[name]!.status !== 'observed')
  return {
    key,
    value: flagValue(actions, action),
    variant: action,
    reason: propensity < 1 ? 'SPLIT' : 'TARGETING_MATCH',
    metadata: {
      decisionId,
      propensity,
      policyVersion: policy.version,
      mode: policy.mode,
      holdout,
      imputed: imputed.join(','),
    },
  }
}

/** Flags have types: a boolean or a number where every action is one, else the action's text. */
function flagValue(actions: readonly string[], action: string): FlagEvaluation['value'] {
  if (actions.every((one) => one === 'true' || one === 'false')) return action === 'true'
  if (actions.every((one) => one.trim() !== '' && Number.isFinite(Number(one)))) return Number(action)
  return action
}
