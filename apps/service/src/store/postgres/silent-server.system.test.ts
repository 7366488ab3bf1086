// A server that stops answering without closing its connections: calls are answered or refused within 5 s, on a fresh
// connection where one can be had, and what was committed without an answer counts once.

import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { postgresInTests } from '../../../../../test/postgres-in-tests.mjs'
import { startService } from '../../../dist/index.js'
import { openPostgresReader } from '../../../dist/store/postgres/postgres-store.js'
import { smallProblem } from '../../running.fixture.js'
import { openRelay } from './relay.fixture.js'

const newDatabase = postgresInTests()
/** Milliseconds within which a call is answered or refused. */
const WITHIN = 5000

async function behindRelay(context: TestContext, name: string) {
  const relay = await openRelay(await newDatabase(context, name))
  const service = await startService({ store: relay.url, port: 0, logLevel: 'silent' })
  onTestFinished(() => service.close())
  async function call(method: string, path: string, body?: unknown) {
    const began = performance.now()
    const reply = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    const took = performance.now() - began
    expect(took, `${method} ${path}: ${text}`).toBeLessThan(WITHIN)
    return { status: reply.status, body: JSON.parse(text) as { decisionId: string; code: string; decisions: number } }
  }
  expect((await call('PUT', '/v1/problems/p', smallProblem())).status).toBe(201)
  const decide = (eventId?: string) =>
    call('POST', '/v1/problems/p/decisions', { context: { x: 0.5 }, ...(eventId === undefined ? {} : { eventId }) })
  expect((await decide()).status).toBe(200)
  const decisions = async () => (await call('GET', '/v1/problems/p/summary')).body.decisions
  return { relay, service, call, decide, decisions }
}

test('connections that go silent are replaced, and nobody is refused', async (context) => {
  const { relay, call, decide, decisions } = await behindRelay(context, 'silent_idle')
  relay.silence()
  const answers = await Promise.all([...Array.from({ length: 8 }, () => decide()), call('GET', '/readyz')])
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await decisions()).toBe(9)
})

test('a server that is silent altogether: refused and not ready in time, and on when it is back', async (context) => {
  const { relay, call, decide, decisions } = await behindRelay(context, 'silent_all')
  relay.silence()
  relay.silenceNew(true)
  for (let turn = 0; turn < 3; turn++) {
    const events = Array.from({ length: 4 }, (_, k) => decide(`e${turn}-${k}`))
    const answers = await Promise.all([...events, call('GET', '/readyz'), call('GET', '/v1/problems/p/summary')])
    expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => 'store-unavailable'))
  }
  expect((await call('GET', '/livez')).status).toBe(200)
  relay.silenceNew(false)
  await expect.poll(async () => (await call('GET', '/readyz')).status, { timeout: 20_000 }).toBe(200)
  for (let k = 0; k < 4; k++) expect((await decide(`e0-${k}`)).status).toBe(200)
  // Nothing of what was refused comes later, and nothing counts twice.
  expect(await decisions()).toBe(5)
})

test('a commit without an answer is looked up before it is answered: it counts once', async (context) => {
  const { relay, decide, decisions, service } = await behindRelay(context, 'silent_commit')
  for (const heard of ['answer lost', 'never arrives'] as const) {
    const before = await decisions()
    relay.silenceAt('commit\0', heard)
    const answers = await Promise.all(Array.from({ length: 5 }, () => decide()))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await decisions()).toBe(before + 5)
    const row = (await service.store.problem('p'))!
    const log = await service.store.readLog(row.id, 0, 1000)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, k) => k + 1))
    const ids = log.filter(({ kind }) => kind === 'decision').map(({ body }) => (JSON.parse(body) as { id: string }).id)
    for (const { body } of answers) expect(ids.filter((id) => id === body.decisionId)).toHaveLength(1)
    expect(ids).toHaveLength(before + 5)
  }
  expect(relay.silenced()).toBe(2)
})

test('a thread that reads the log gets a fresh connection too', async (context) => {
  const { relay, service } = await behindRelay(context, 'silent_reader')
  const reader = openPostgresReader(relay.url)
  onTestFinished(() => reader.close())
  const { id } = (await service.store.problem('p'))!
  const before = await reader.read(id, 0, 100, 100)
  relay.silence()
  expect(await reader.read(id, 0, 100, 100)).toEqual(before)
})
