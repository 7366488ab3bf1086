// Watching problems live (watch-problems.ts): one, or several in one stream.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { ServiceError } from '../../ledger/service-error.js'
import { reaches } from '../../ledger/stored-key.js'
import type { ServerParts } from '../server.js'
import { acceptedEncoding } from './accepted-encoding.js'
import { limitLongReads } from './long-reads.js'
import { openStream } from './open-stream.js'
import { ProblemParams } from './problems.js'
import { watchProblems } from './watch-problems.js'

export interface Events {
  readonly changed: (problem: string) => void
  readonly published: (problem: string, version: number) => void
  /** It is decided otherwise from now on: by another policy, other guards or in another mode. */
  readonly replaced: (problem: string) => void
  readonly watch: (problem: string, watcher: Watcher) => () => void
  readonly close: () => void
}

interface Watcher {
  readonly changed: () => void
  readonly published?: (version: number) => void
  readonly replaced?: () => void
  readonly close: () => void
}

export function createEvents(): Events {
  const watchers = new Map<string, Set<Watcher>>()
  const each = (problem: string, tell: (watcher: Watcher) => void) => {
    for (const watcher of watchers.get(problem) ?? []) tell(watcher)
  }
  return {
    changed: (problem) => each(problem, (watcher) => watcher.changed()),
    published: (problem, version) => each(problem, (watcher) => watcher.published?.(version)),
    replaced: (problem) => each(problem, (watcher) => watcher.replaced?.()),
    watch: (problem, watcher) => {
      const set = watchers.get(problem) ?? new Set()
      watchers.set(problem, set.add(watcher))
      return () => void set.delete(watcher)
    },
    close: () => {
      for (const problem of watchers.keys()) each(problem, (watcher) => watcher.close())
    },
  }
}

const MAX_WATCHERS = 200
const MAX_WATCHED = 100

const WatchQuery = Type.Object(
  {
    problems: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: `Names of at most ${MAX_WATCHED} problems, separated by commas.`,
    }),
  },
  { additionalProperties: false },
)
type WatchQuery = Static<typeof WatchQuery>

const REPLY = {
  200: { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
}

export function eventRoutes({ host, events, keys, stalledAfter }: ServerParts) {
  const begin = limitLongReads({ what: 'streams of events', perCaller: MAX_WATCHERS / 2, inAll: MAX_WATCHERS })

  async function stream(request: FastifyRequest, reply: FastifyReply, problems: readonly string[]): Promise<void> {
    const onClose = begin(request)
    const compressed = acceptedEncoding(request) !== null
    await watchProblems({ host, events, problems }, (onEnd) =>
      openStream(request, reply, {
        keys,
        problems,
        compressed,
        stalledAfter,
        onClose: () => {
          onClose()
          onEnd()
        },
      }),
    )
  }

  return async (server: FastifyInstance): Promise<void> => {
    server.get<{ Params: ProblemParams }>(
      '/problems/:problem/events',
      {
        config: { role: 'read', errors: ['too-many-reads'] },
        schema: {
          operationId: 'watchProblem',
          summary: 'Watch it live (server-sent events)',
          description: 'Events `summary` (a ProblemSummary, at most twice a second) and `policy` ({problem, version}).',
          params: ProblemParams,
          response: REPLY,
          tags: ['log'],
        },
      },
      async (request, reply) => {
        await host.problem(request.params.problem)
        await stream(request, reply, [request.params.problem])
      },
    )
    server.get<{ Querystring: WatchQuery }>(
      '/events',
      {
        config: { role: 'read', forSome: true, errors: ['too-many-reads', 'unknown-problem'] },
        schema: {
          operationId: 'watchProblems',
          summary: 'Watch several problems in one stream (server-sent events)',
          description:
            'Events as those of one problem; each names the problem that it is about. Problems that are not known, or that the key is not for, are left out.',
          querystring: WatchQuery,
          response: REPLY,
          tags: ['log'],
        },
      },
      async (request, reply) => {
        const named = [...new Set(request.query.problems.split(','))]
        if (named.length > MAX_WATCHED)
          throw new ServiceError(
            'invalid-request',
            `at most ${MAX_WATCHED} problems in one stream, got ${named.length}`,
          )
        const known = new Set(host.names())
        const problems = named.filter(
          (name) => known.has(name) && (request.actor === null || reaches(request.held!, name)),
        )
        if (problems.length === 0) throw new ServiceError('unknown-problem', `no problem is called "${named[0]}"`)
        await stream(request, reply, problems)
      },
    )
  }
}
