// The real service in this process, from the built code (its threads load files of dist), on a store in a folder that is
// gone after the tests. Time is a number that tests set. An answer that the OpenAPI document does not have is an error.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProblemDefinition, ProblemDetails, ProblemSummary } from '@primo/contract'
import { afterAll } from 'vitest'
import { type Service, type ServiceOptions, startService } from '../dist/index.js'
import { type Document, undocumented } from './documented.fixture.js'

export const START = 1_700_000_000_000

export interface Answer<T = ProblemDetails> {
  readonly status: number
  readonly text: string
  /** Where it is JSON; of the type that the test expects. */
  readonly body: T
}

export interface Running {
  readonly folder: string
  readonly service: () => Service
  readonly clock: { now: number }
  readonly call: <T = ProblemDetails>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer<T>>
  /** The body of a call that must be answered 2xx. */
  readonly ok: <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>
  readonly summary: (problem: string) => Promise<ProblemSummary>
  /** Waits until no fit runs, waits or is due, and a candidate is looked at. */
  readonly learnt: (problem: string) => Promise<void>
  readonly restart: (options?: ServiceOptions) => Promise<void>
  readonly close: () => Promise<void>
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'primo-service-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Closed by itself after the tests of the file. */
export async function running(options: ServiceOptions = {}, folder = temporaryFolder()): Promise<Running> {
  const clock = { now: START }
  const start = (more: ServiceOptions = {}) =>
    startService({
      store: `sqlite:${folder}/primo.db`,
      port: 0,
      logLevel: 'silent',
      tickEvery: 0,
      retryAfter: 1,
      ...options,
      ...more,
      storeOptions: { clock: () => clock.now, ...options.storeOptions, ...more.storeOptions },
    })
  let service = await start()
  const close = () => service.close()
  afterAll(close)
  const wrong = undocumented(service.server.swagger() as unknown as Document)

  async function call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const reply = await service.server.inject({
      method: method as 'GET',
      url: path,
      headers: method === 'POST' || method === 'PUT' ? { 'content-type': 'application/json', ...headers } : headers,
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const type = String(reply.headers['content-type'])
    const told = wrong({ method, path, status: reply.statusCode, type, text: reply.body })
    if (told !== null) throw new Error(told)
    const isJson = reply.body !== '' && /json/.test(type) && !/ndjson/.test(type)
    return { status: reply.statusCode, text: reply.body, body: isJson ? JSON.parse(reply.body) : undefined }
  }

  return {
    folder,
    service: () => service,
    clock,
    call,
    ok: async <T>(method: string, path: string, body?: unknown) => {
      const answer = await call<T>(method, path, body)
      if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status} ${answer.text}`)
      return answer.body
    },
    summary: async (problem) => (await call<ProblemSummary>('GET', `/v1/problems/${problem}/summary`)).body,
    learnt: async (problem) => {
      for (const end = Date.now() + 60_000; ; ) {
        const row = await service.store.problem(problem)
        const looked = (row?.book.candidate?.due ?? null) === null
        const idle = row?.book.ending === null && looked && service.host.learner.waiting() === 0
        const live = (await service.host.problem(problem)).row
        if (idle && live.book.policy === row.book.policy && live.revision === row.revision) return
        if (Date.now() > end)
          throw new Error(`problem "${problem}" has not learnt in a minute: ${row?.book.lastFailure ?? 'no failure'}`)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    },
    restart: async (more) => {
      await service.close()
      service = await start(more)
    },
    close,
  }
}

/** A small problem: one number as context, one covariate that may be missing, two actions. */
export function smallProblem(changes: Partial<ProblemDefinition> = {}): ProblemDefinition {
  return {
    context: { x: { type: 'number', min: 0, max: 1 } },
    covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
    ...changes,
  } as ProblemDefinition
}
