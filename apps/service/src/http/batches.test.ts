// Batches take a way of their own, from the body to the file, in memory that calls share: what is answered must be what is
// stored, and what is stored what was asked.

import type { DecisionBody, DecisionExplained, DecisionReply, ProblemDetails } from '@primo/contract'
import { describe, expect, test } from 'vitest'
import type { DecisionRecord } from '../../dist/ledger/records.js'
import { running, smallProblem } from '../running.fixture.js'

const { ok, call, service } = await running()

type Results = readonly (DecisionReply | { readonly error: ProblemDetails })[]

async function decide(problem: string, body: string): Promise<Results> {
  return (await ok<{ results: Results }>('POST', `/v1/problems/${problem}/decisions/batch`, body)).results
}

/** The same body with a name that needs the parser. */
function lessPlain(body: string): string {
  return body.replace('"context"', '"con\\u0074ext"')
}

const named = smallProblem({
  context: {
    größe: { type: 'number', min: -1, max: 1 },
    smoker: { type: 'boolean' },
    town: { type: 'category', levels: ['Ulm', '京都'] },
  },
  actions: ['ja', 'n"ein', '否'],
})

describe('a batch that is plain and one that is not', async () => {
  await ok('PUT', '/v1/problems/small', smallProblem())
  await ok('PUT', '/v1/problems/named', named)

  test.each([
    ['small', { context: { x: 2 } }],
    ['small', { context: { x: 0.5, y: 1 } }],
    ['small', { context: {} }],
    ['small', { context: { x: 'a' } }],
    ['small', { context: { x: 0.5 }, covariates: { z: 7 } }],
    ['small', { context: { x: 0.5 }, covariates: { y: 0.5 } }],
    ['named', { context: { größe: 0.5, smoker: 1, town: 'Ulm' } }],
    ['named', { context: { größe: 0.5, smoker: true, town: 'Bonn' } }],
  ])('refuse the same with the same words (%s, %o)', async (problem, bad) => {
    const good = problem === 'small' ? { context: { x: 0.5 } } : { context: { größe: 0.5, smoker: true, town: '京都' } }
    const body = JSON.stringify({ decisions: [good, bad, good] })
    const [plain, other] = await Promise.all([decide(problem, body), decide(problem, lessPlain(body))])
    const errorOf = (results: Results) => ({ ...(results[1] as { error: ProblemDetails }).error, instance: '' })
    expect(errorOf(plain)).toEqual(errorOf(other))
    for (const results of [plain, other]) expect([0, 2].every((k) => 'decisionId' in results[k]!)).toBe(true)
  })

  test('keep the same requests, with the digits and letters that were sent', async () => {
    const decisions = [
      { context: { größe: 0.1, smoker: true, town: '京都' }, covariates: { z: 1 / 3 } },
      { context: { town: 'Ulm', größe: -1e-7, smoker: false }, covariates: { z: null } },
      { eventId: 'é 😀', context: { größe: 0.30000000000000004, smoker: false, town: 'Ulm' } },
    ]
    for (const write of [(body: string) => body, lessPlain]) {
      const body = write(JSON.stringify({ decisions }, null, 2).replace('é', write === lessPlain ? 'e' : 'é'))
      for (const [k, result] of (await decide('named', body)).entries()) {
        const reply = result as DecisionReply
        const stored: DecisionExplained = await ok('GET', `/v1/problems/named/decisions/${reply.decisionId}`)
        expect(stored.request).toEqual((JSON.parse(body) as { decisions: DecisionBody[] }).decisions[k])
        expect(stored.reply).toEqual(reply)
      }
    }
  })

  test.each([1, 2])('of %d answer alike: each request has its own result', async (count) => {
    const results = await decide('small', JSON.stringify({ decisions: Array(count).fill({ context: { x: 2 } }) }))
    expect(results).toEqual(Array(count).fill({ error: expect.objectContaining({ code: 'out-of-range' }) }))
    const rewards = Array(count).fill({ id: 'nobody', value: 1 })
    expect(await ok('POST', '/v1/problems/small/rewards/batch', { rewards })).toEqual({
      results: Array(count).fill({ error: expect.objectContaining({ code: 'unknown-decision' }) }),
    })
  })

  test('are refused whole when they are no batch', async () => {
    for (const body of [
      '{"decisions":[]}',
      '{"decisions":[{"context":{"x":null}}]}',
      '{"decisions":[{"context":{"x":01}}]}',
    ])
      expect(await call('POST', '/v1/problems/small/decisions/batch', body)).toMatchObject({
        status: 400,
        body: { code: 'invalid-request' },
      })
  })
})

test.each([
  ['without a window', {}],
  ['with a window', { reward: { min: 0, max: 1, window: { milliseconds: 60_000 } } }],
])('answers of many calls at once are what is stored, %s', async (_, changes) => {
  const problem = `many-${Object.keys(changes).length}`
  await ok('PUT', `/v1/problems/${problem}`, smallProblem(changes))
  const asked = new Map<string, number>()
  const answered = new Map<string, DecisionReply>()
  let x = 0
  const next = () => (x += 1 / 4096)
  const take = (reply: DecisionReply, given: number) => {
    expect(asked.has(reply.decisionId)).toBe(false)
    asked.set(reply.decisionId, given)
    answered.set(reply.decisionId, reply)
  }
  for (let wave = 0; wave < 4; wave++) {
    await Promise.all(
      Array.from({ length: 24 }, async (_, k) => {
        const given = Array.from({ length: 1 + ((7 * k) % 40) }, next)
        if (k % 4 === 0) {
          take(await ok('POST', `/v1/problems/${problem}/decisions`, { context: { x: given[0] } }), given[0]!)
          return
        }
        const decisions = given.map((value) => ({ context: { x: value }, covariates: { z: value } }))
        const results = (await decide(problem, JSON.stringify({ decisions }))) as readonly DecisionReply[]
        results.forEach((reply, j) => {
          take(reply, given[j]!)
        })
      }),
    )
  }
  expect(asked.size).toBeGreaterThan(1000)
  const { store } = service()
  const log = await store.readLog((await store.problem(problem))!.id, 0, 10_000)
  const stored = log.filter(({ kind }) => kind === 'decision').map(({ body }) => JSON.parse(body) as DecisionRecord)
  expect(stored.length).toBe(asked.size)
  for (const { id, request, reply } of stored) {
    expect(request.context).toEqual({ x: asked.get(id) })
    expect(reply).toEqual(answered.get(id))
  }
})
