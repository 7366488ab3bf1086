// A definition with a table of thousands of rows: checked in a thread, compiled once.

import { expect, test } from 'vitest'
import { running, smallProblem } from '../running.fixture.js'

const ROWS = 5_000
const names = ['g0', 'g1', 'g2', 'g3']
const levels = Array.from({ length: 16 }, (_, k) => `v${k}`)
const whenOf = (k: number) => Object.fromEntries(names.map((name, j) => [name, `v${(k >> (4 * j)) % 16}`]))

function withTable(last: object = {}) {
  const rows: object[] = Array.from({ length: ROWS }, (_, k) => ({ when: whenOf(k), value: (k % 100) / 100 }))
  rows.push({ when: {}, value: 0.5, ...last })
  return smallProblem({
    context: Object.fromEntries(names.map((name) => [name, { type: 'category', levels }])) as never,
    covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'table', by: names, rows } } } as never,
  })
}

test('is refused with the sentence of any other, and decides by its table', async () => {
  const service = await running()
  const refused = await service.call('PUT', '/v1/problems/p', withTable({ value: 7 }))
  expect(refused).toMatchObject({ status: 422, body: { code: 'invalid-problem' } })
  expect(refused.body.detail).toMatch(`covariates.z.imputer.rows[${ROWS}].value must be a value of the covariate`)
  await service.ok('PUT', '/v1/problems/p', withTable())
  const reply = await service.ok<{ covariates: { z: { value: number } } }>('POST', '/v1/problems/p/decisions', {
    context: whenOf(4321),
  })
  expect(reply.covariates.z.value).toBe(0.21)
})

test('is compiled once: a new policy keeps what was compiled', async () => {
  const service = await running()
  await service.ok('PUT', '/v1/problems/p', smallProblem())
  const engine = async () => (await service.service().host.fresh('p')).engine
  const first = await engine()
  expect(await engine()).toBe(first)
  const decisions = Array.from({ length: 30 }, () => ({ context: { x: 0.5 } }))
  const { results } = await service.ok<{ results: { decisionId: string }[] }>(
    'POST',
    '/v1/problems/p/decisions/batch',
    { decisions },
  )
  const rewards = results.map(({ decisionId }) => ({ id: decisionId, value: 1 }))
  await service.ok('POST', '/v1/problems/p/rewards/batch', { rewards })
  await service.service().host.tick()
  await service.learnt('p')
  expect((await service.service().host.problem('p')).row.book.policy).toBeGreaterThan(0)
  expect(await engine()).toBe(first)
  await service.ok('PUT', '/v1/problems/p', smallProblem({ actions: ['a', 'b', 'c'] }))
  expect(await engine()).not.toBe(first)
})
