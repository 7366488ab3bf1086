// Values outside their range and values that a request does not give, over HTTP: clipped and counted, filled in, or refused.

import type { DecisionReply } from '@primo/contract'
import { expect, test } from 'vitest'
import { replayProblem } from '../../dist/index.js'
import type { Decided } from '../learning/trained-problems.fixture.js'
import { running } from '../running.fixture.js'

const definition = {
  context: {
    x: { type: 'number', min: 0, max: 1, outside: 'clip' },
    y: { type: 'number', min: 0, max: 1 },
    visits: { type: 'number', min: 0, max: 9, default: 3 },
  },
  covariates: {
    z: { type: 'number', min: 0, max: 1, outside: 'clip', imputer: { kind: 'constant', value: 0.5 } },
  },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
  learning: { seed: 5 },
}

test('values outside are clipped and counted where the feature says so, after a restart too; others are refused', async () => {
  const service = await running()
  const { ok, call, learnt } = service
  await ok('PUT', '/v1/problems/p', definition)
  const decide = (x: number, z: number | null, rest: object = {}) =>
    ok<DecisionReply>('POST', '/v1/problems/p/decisions', { context: { x, y: 0.5, ...rest }, covariates: { z } })
  const decisions = Array.from({ length: 40 }, (_, k) => ({
    context: { x: k % 4 === 0 ? 1.5 : k / 40, y: 0.5 },
    covariates: { z: k % 8 === 1 ? -2 : k % 2 === 0 ? null : 0.4 },
  }))
  const { results } = await ok<Decided>('POST', '/v1/problems/p/decisions/batch', { decisions })
  const rewards = results.map(({ decisionId }, k) => ({ id: decisionId, value: k % 2 }))
  await ok('POST', '/v1/problems/p/rewards/batch', { rewards })
  await decide(0.5, 0.5)
  await learnt('p')
  expect((await service.summary('p')).clipped).toEqual({ x: 10, z: 5 })
  expect((await call('GET', '/metrics')).text).toContain('primo_clipped_values_total{problem="p",feature="x"} 10')
  const scores = ({ ranking }: DecisionReply) =>
    Object.fromEntries(ranking.map(({ action, score, propensity }) => [action, [score, propensity]]))
  expect(scores(await decide(7, 0.4))).toEqual(scores(await decide(1, 0.4)))
  expect(scores(await decide(1, 9, { visits: 3 }))).toEqual(scores(await decide(1, 1)))
  const refused = await call('POST', '/v1/problems/p/decisions', { context: { x: 0, y: 2 } })
  expect(refused).toMatchObject({ status: 422, body: { code: 'out-of-range' } })
  await service.restart()
  expect((await service.summary('p')).clipped).toEqual({ x: 11, z: 6 })
  expect((await replayProblem(service.service().store, 'p')).different).toEqual([])
  const wrong = { ...definition, context: { ...definition.context, y: { type: 'number', min: 0, max: 1, default: 2 } } }
  expect(await call('PUT', '/v1/problems/q', wrong)).toMatchObject({
    status: 422,
    body: { detail: 'context.y.default must be between 0 and 1, got 2' },
  })
})
