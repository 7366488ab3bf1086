// Defining, reading and retiring problems.

import {
  type DefinitionPlan,
  DefinitionReply,
  Name,
  ProblemDefined,
  ProblemDefinition,
  ProblemInfo,
  ProblemList,
  ProblemRemoved,
} from '@primo/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { ProblemHost } from '../../host/problem-host.js'
import { withoutSecrets } from '../../imputers/without-secrets.js'
import { explainDefinition } from '../../learning/problem-engine.js'
import { ServiceError } from '../../ledger/service-error.js'
import { reaches } from '../../ledger/stored-key.js'
import type { ServerParts } from '../server.js'

export const ProblemParams = Type.Object({ problem: Name })
export type ProblemParams = Static<typeof ProblemParams>

const DefineQuery = Type.Object(
  {
    version: Type.Optional(Type.Literal('new', { description: 'Begin learning anew if the change asks for it.' })),
    dryRun: Type.Optional(
      Type.Literal('true', { description: 'Only say what would be kept and what would begin anew, and why.' }),
    ),
    check: Type.Optional(
      Type.Union([Type.Literal('warn'), Type.Literal('refuse'), Type.Literal('none')], {
        description: 'Endpoints of imputers are asked about one row: warn (default) says what failed, refuse refuses.',
      }),
    ),
  },
  { additionalProperties: false },
)

type DefineQuery = Static<typeof DefineQuery>

const RemoveQuery = Type.Object(
  {
    purge: Type.Optional(
      Type.Literal('true', { description: 'Remove a retired problem with everything that was recorded of it.' }),
    ),
  },
  { additionalProperties: false },
)

export function problemRoutes({ host, keys }: ServerParts) {
  /** What literal headers hold is shown to those only who may define them. */
  const shown = (problem: ProblemHost, request: FastifyRequest): ProblemInfo => {
    const info = infoOf(problem)
    if (!keys.keyed() || request.held?.some(({ role }) => role === 'admin')) return info
    return { ...info, definition: withoutSecrets(info.definition) }
  }

  return async (server: FastifyInstance): Promise<void> => {
    server.put<{ Params: ProblemParams; Body: ProblemDefinition; Querystring: DefineQuery }>(
      '/:problem',
      {
        config: {
          role: 'admin',
          explain: explainDefinition,
          errors: ['problem-changed', 'problem-retired', 'invalid-problem', 'invalid-option', 'overloaded'],
        },
        schema: {
          operationId: 'defineProblem',
          summary: 'Define a problem, or change it',
          description:
            'Guards, mode, windows, labels, added actions, wider ranges, added levels and context features with a default keep what was learnt; another model of a covariate keeps it too and begins its calibration anew. Other changes are refused unless ?version=new. ?dryRun=true says which it would be.',
          params: ProblemParams,
          body: ProblemDefinition,
          querystring: DefineQuery,
          response: { 200: DefinitionReply, 201: ProblemDefined },
          tags: ['problems'],
        },
      },
      async (request, reply) => {
        const { problem } = request.params
        const renew = request.query.version === 'new'
        const { check = 'warn' } = request.query
        if (request.query.dryRun === 'true') {
          const { change, kept, anew, warnings } = await host.plan(problem, request.body, renew, check)
          const lists = { kept: [...kept], anew: [...anew], warnings: [...warnings] }
          return { problem, dryRun: true, change, ...lists } satisfies DefinitionPlan
        }
        const { change, warnings } = await host.define(problem, request.body, renew, request.actor, check)
        request.log.info({ problem, defined: change, warnings, by: request.actor }, 'problem defined')
        reply.code(change === 'created' ? 201 : 200)
        return { ...infoOf(await host.problem(problem)), change, warnings }
      },
    )
    server.get(
      '/',
      {
        config: { role: 'read', forSome: true },
        schema: {
          operationId: 'listProblems',
          summary: 'All problems that the key is for',
          response: { 200: ProblemList },
          tags: ['problems'],
        },
      },
      async (request) => {
        const names = host.names().filter((name) => request.actor === null || reaches(request.held!, name))
        return { problems: await Promise.all(names.map(async (name) => shown(await host.problem(name), request))) }
      },
    )
    server.get<{ Params: ProblemParams }>(
      '/:problem',
      {
        config: { role: 'read' },
        schema: {
          operationId: 'getProblem',
          summary: 'One problem',
          params: ProblemParams,
          response: { 200: ProblemInfo },
          tags: ['problems'],
        },
      },
      async (request) => shown(await host.upToDate(request.params.problem), request),
    )
    server.delete<{ Params: ProblemParams; Querystring: { purge?: 'true' } }>(
      '/:problem',
      {
        config: { role: 'admin', errors: ['problem-active', 'problem-retired'] },
        schema: {
          operationId: 'removeProblem',
          summary: 'Retire a problem; its log stays, and its retention goes on. Or purge a retired one',
          params: ProblemParams,
          querystring: RemoveQuery,
          response: { 200: ProblemRemoved },
          tags: ['problems'],
        },
      },
      async (request) => {
        const { problem } = request.params
        if (request.query.purge === 'true') {
          const { erased } = await host.purge(problem)
          request.log.info({ problem, erased, by: request.actor }, 'problem purged')
          return { problem, purged: true, erased }
        }
        await host.settle({ kind: 'operate', problem, operation: 'retire', by: request.actor })
        request.log.info({ problem, by: request.actor }, 'problem retired')
        return { problem, retired: true }
      },
    )
  }
}

export function infoOf({ row, mode }: ProblemHost): ProblemInfo {
  return {
    problem: row.name,
    version: row.version,
    definition: row.definition,
    mode,
    created: row.created,
    retired: row.retired,
    policy: { version: row.book.policy, epoch: row.book.epoch },
  }
}

/** The problem, unless it was retired. */
export function requireActive(host: ProblemHost): ProblemHost {
  if (host.row.retired !== null) throw new ServiceError('problem-retired', `problem "${host.row.name}" was retired`)
  return host
}
