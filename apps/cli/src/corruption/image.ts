// A store as a killed service leaves it, half in the file and half in the write-ahead log, with what its callers were told.

import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, startService } from '@primo/service'
import { problems, randomRequest } from '../durability/problems.js'

export interface Told {
  readonly problem: string
  readonly eventId: string
  readonly request: unknown
  readonly reply: string
  /** null: none was reported. */
  readonly reward: number | null
}

export interface Image {
  readonly folder: string
  readonly told: readonly Told[]
  /** Definition, version and live policy of each problem. */
  readonly states: ReadonlyMap<string, string>
}

const FILES = ['primo.db', 'primo.db-wal', 'primo.db-head']
const BATCH = 50

export function start(folder: string): Promise<Service> {
  const store = `sqlite:${join(folder, 'primo.db')}`
  return startService({ store, port: 0, logLevel: 'silent', tickEvery: 0 })
}

export function copyImage(from: string, to: string): void {
  for (const file of FILES) if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file))
}

/** `decisions`: of each problem, in the file and as many in the log. */
export async function makeImage(running: string, folder: string, decisions: number): Promise<Image> {
  const told: Told[] = []
  for (const phase of ['file', 'log']) {
    const service = await start(running)
    for (const [problem, definition] of Object.entries(problems)) {
      await call(service, 'PUT', `/v1/problems/${problem}`, definition)
      for (let k = 0; k < decisions; k += BATCH) told.push(...(await decideSome(service, problem, `${phase}-${k}`)))
    }
    for (const problem of Object.keys(problems)) await settled(service, problem)
    const states = await statesOf(service)
    if (phase === 'log') {
      copyImage(running, folder)
      await service.close()
      return { folder, told, states }
    }
    await service.close()
  }
  throw new Error('there are two phases')
}

async function decideSome(service: Service, problem: string, prefix: string): Promise<Told[]> {
  const asked = Array.from({ length: BATCH }, (_, k) => ({ eventId: `${problem}-${prefix}-${k}` }))
  const decisions = asked.map(({ eventId }) => randomRequest(eventId))
  const path = `/v1/problems/${problem}`
  const { results } = await call<{ results: object[] }>(service, 'POST', `${path}/decisions/batch`, { decisions })
  const rewarded = asked
    .map(({ eventId }, k) => ({ id: eventId, value: k / BATCH, rewardId: `r-${eventId}` }))
    .slice(0, 40)
  await call(service, 'POST', `${path}/rewards/batch`, { rewards: rewarded })
  return asked.map(({ eventId }, k) => ({
    problem,
    eventId,
    request: decisions[k],
    reply: JSON.stringify(results[k]),
    reward: rewarded[k]?.value ?? null,
  }))
}

export async function call<T>(
  service: Service,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: unknown,
): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
  const answer = await service.server.inject({ method, url, headers, ...payload })
  if (answer.statusCode >= 300) throw new Error(`${method} ${url} was answered ${answer.statusCode} ${answer.body}`)
  return JSON.parse(answer.body) as T
}

async function settled({ store, host }: Service, problem: string): Promise<void> {
  while ((await store.problem(problem))?.book.ending !== null || host.learner.waiting() > 0)
    await new Promise((resolve) => setTimeout(resolve, 10))
}

/** What the next decisions depend on. */
export async function statesOf({ store }: Service): Promise<Map<string, string>> {
  const states = new Map<string, string>()
  for (const { name } of await store.problems()) {
    const row = (await store.problem(name))!
    const { policy } = row.book
    const snapshot = policy === 0 ? null : ((await store.snapshot(row.id, row.version, policy))?.state ?? 'none')
    states.set(name, JSON.stringify([row.definition, row.version, row.seed, policy, snapshot]))
  }
  return states
}
