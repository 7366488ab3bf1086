// Watching a problem live: server-sent events with the summary when it has changed, at most twice a second, and one event
// when a policy goes live.

import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../ledger/service-error.js'
import { summarize } from '../../reports/summary.js'
import type { ServerParts } from '../server.js'
import { ProblemParams } from './problems.js'

export interface Events {
  readonly changed: (problem: string) => void
  readonly published: (problem: string, version: number) => void
  readonly watch: (problem: string, watcher: Watcher) => () => void
  readonly close: () => void
}

interface Watcher {
  readonly changed: () => void
  readonly published: (version: number) => void
  readonly close: () => void
}

export function createEvents(): Events {
  const watchers = new Map<string, Set<Watcher>>()
  const each = (problem: string, tell: (watcher: Watcher) => void) => {
    for (const watcher of watchers.get(problem) ?? []) tell(watcher)
  }
  return {
    changed: (problem) => each(problem, (watcher) => watcher.changed()),
    published: (problem, version) => each(problem, (watcher) => watcher.published(version)),
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

const PAUSE = 500
const HEARTBEAT = 15_000
const MAX_WATCHERS = 200

export function eventRoutes({ host, events }: ServerParts) {
  let open = 0

  async function watch(problem: string, response: ServerResponse): Promise<void> {
    let dirty = true
    let sending = false
    const send = (event: string, data: unknown) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    const flush = async () => {
      if (!dirty || sending || response.writableNeedDrain) return
      dirty = false
      sending = true
      try {
        const row = (await host.store.problem(problem))!
        send('summary', summarize(row, await host.problem(problem), host.store.clock.hold()))
      } catch {
        dirty = true
      } finally {
        sending = false
      }
    }
    const timer = setInterval(() => void flush(), PAUSE)
    const heart = setInterval(() => response.write(': still here\n\n'), HEARTBEAT)
    const forget = events.watch(problem, {
      changed: () => {
        dirty = true
      },
      published: (version) => send('policy', { version }),
      close: () => response.end(),
    })
    response.on('close', () => {
      open--
      clearInterval(timer)
      clearInterval(heart)
      forget()
    })
    await flush()
  }

  return async (server: FastifyInstance): Promise<void> => {
    server.get<{ Params: ProblemParams }>(
      '/:problem/events',
      {
        config: { role: 'read', errors: ['overloaded'] },
        schema: {
          operationId: 'watchProblem',
          summary: 'Watch it live (server-sent events)',
          description: 'Events `summary` (a ProblemSummary, at most twice a second) and `policy` ({version}).',
          params: ProblemParams,
          response: {
            200: { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
          },
          tags: ['log'],
        },
      },
      async (request, reply) => {
        const { problem } = request.params
        await host.problem(problem)
        if (open >= MAX_WATCHERS) throw new ServiceError('overloaded', `at most ${MAX_WATCHERS} can watch at once`)
        open++
        reply.hijack()
        const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
        reply.raw.writeHead(200, headers as Record<string, string>)
        await watch(problem, reply.raw)
      },
    )
  }
}
