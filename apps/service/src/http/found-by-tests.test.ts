// What the generated tests found once, kept as single cases.

import type { DecisionReply } from '@primo/contract'
import { describe, expect, test } from 'vitest'
import { running, smallProblem } from '../running.fixture.js'

const context = { x: 0.5 }
const { call, ok, summary } = await running()

describe('text that cannot be stored', async () => {
  await ok('PUT', '/v1/problems/p1', smallProblem())

  test('half of a surrogate pair is refused and takes no other call with it', async () => {
    const [bad, good] = await Promise.all([
      call('POST', '/v1/problems/p1/decisions/batch', '{"decisions":[{"context":{"x":0.5},"eventId":"e\\ud801"}]}'),
      call('POST', '/v1/problems/p1/decisions', { context, eventId: 'well-formed 😀' }),
    ])
    expect(bad).toMatchObject({ status: 400, body: { code: 'invalid-request' } })
    expect(good.status).toBe(200)
    expect((await call('POST', '/v1/problems/p1/decisions', '{"context":{"x\\udfff":0.5}}')).status).toBe(400)
  })

  test('U+0000 is refused wherever it stands', async () => {
    const refused = { status: 400, body: { code: 'invalid-request' } }
    expect(await call('POST', '/v1/problems/p1/decisions', { context, eventId: 'n\0a' })).toMatchObject(refused)
    expect(await call('PUT', '/v1/problems/p0', smallProblem({ actions: ['a', 'b\0'] }))).toMatchObject(refused)
    expect(await call('POST', '/v1/problems/p1/decisions/n%00a/reward', { value: 1 })).toMatchObject(refused)
    expect(await call('GET', '/v1/problems/p1/decisions/n%00a')).toMatchObject(refused)
  })

  test('event ids of any other text are kept apart', async () => {
    const ids = ['é', 'e\u0301', ' ', '/', '%2F', '中'.repeat(200), '😀'.repeat(200)]
    const { results } = await ok<{ results: DecisionReply[] }>('POST', '/v1/problems/p1/decisions/batch', {
      decisions: ids.map((eventId) => ({ context, eventId })),
    })
    expect(new Set(results.map(({ decisionId }) => decisionId)).size).toBe(ids.length)
    for (const [k, id] of ids.entries()) {
      const reply = await ok('POST', `/v1/problems/p1/decisions/${encodeURIComponent(id)}/reward`, { value: 1 })
      expect(reply).toEqual({ decisionId: results[k]!.decisionId, status: 'accepted' })
    }
  })
})

describe('names that every object has', async () => {
  test('count as reasons like any other', async () => {
    await ok('PUT', '/v1/problems/p2', smallProblem())
    for (const reason of ['constructor', '__proto__', 'toString', 'asleep'])
      await ok('POST', '/v1/problems/p2/decisions', { context, missing: { z: reason } })
    expect((await summary('p2')).covariates.z!.reasons).toEqual({ other: 3, asleep: 1 })
  })

  test.each(['constructor', '__proto__', 'toString'])('are refused as actions (%s)', async (action) => {
    const refused = await call('PUT', '/v1/problems/q', smallProblem({ actions: ['a', action] }))
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid-problem' } })
  })
})

test('a problem nested without end is refused', async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  const text = JSON.stringify(smallProblem()).replace('"value":0.5', `"value":0.5,"more":${deep}`)
  expect(await call('PUT', '/v1/problems/p3', text)).toMatchObject({ status: 422, body: { code: 'invalid-problem' } })
  expect((await call('GET', '/v1/problems/p3')).status).toBe(404)
})

test('in shadow mode the served action must be eligible', async () => {
  await ok('PUT', '/v1/problems/p4', smallProblem({ mode: 'shadow' }))
  const refused = await call('POST', '/v1/problems/p4/decisions', { context, actions: ['a'], served: { action: 'b' } })
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid-request' } })
})

test('an epoch that never ends does not end after a restart', async () => {
  const { ok, restart, learnt, summary } = await running()
  const learning = { profile: 'primo', schedule: { kind: 'list', ends: [2] } }
  await ok('PUT', '/v1/problems/p', smallProblem({ learning }))
  const round = async () => {
    const { decisionId } = await ok<DecisionReply>('POST', '/v1/problems/p/decisions', { context })
    await ok('POST', `/v1/problems/p/decisions/${decisionId}/reward`, { value: 1 })
    await learnt('p')
  }
  for (let t = 0; t < 4; t++) await round()
  expect((await summary('p')).learning).toMatchObject({ policyVersion: 1, epoch: 2 })
  await restart()
  for (let t = 0; t < 4; t++) await round()
  expect((await summary('p')).learning).toMatchObject({ policyVersion: 1, epoch: 2 })
})

test('operations need no body', async () => {
  await ok('PUT', '/v1/problems/p6', smallProblem())
  expect((await call('POST', '/v1/problems/p6/freeze')).body).toMatchObject({ mode: 'frozen' })
  expect((await call('POST', '/v1/problems/p6/unfreeze')).body).toMatchObject({ mode: 'active' })
  expect((await call('POST', '/v1/problems/p6/decisions')).status).toBe(400)
})

test('a body that is not JSON is 415', async () => {
  await ok('PUT', '/v1/problems/p7', smallProblem())
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense'])
    expect((await call('POST', '/v1/problems/p7/decisions', { context }, { 'content-type': type })).status).toBe(415)
})

test('names with line breaks are checked like all others', async () => {
  await ok('PUT', '/v1/problems/lines', smallProblem())
  const covariates = { ...smallProblem().covariates, 'a\nb': 0 } as object
  const refused = [
    await call('PUT', '/v1/problems/lines', { ...smallProblem(), covariates }),
    await call('PUT', '/v1/problems/lines', {
      ...smallProblem(),
      context: { 'a\nb': { type: 'number', min: 0, max: 1, more: 1 } },
    }),
    await call('PUT', '/v1/problems/lines', { ...smallProblem(), context: { ['n'.repeat(201)]: { type: 'boolean' } } }),
    await call('POST', '/v1/problems/lines/decisions', { context: { x: 0.5, 'a\nb': {} } }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 400, 400])
})
