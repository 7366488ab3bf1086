// What is tried is answered like a decision and leaves no trace.

import type { DecisionBatchReply, DecisionReply, ProblemSummary } from '@primo/contract'
import { expect, test } from 'vitest'
import { running, smallProblem } from '../running.fixture.js'

test('a try has the probabilities of a decision, in order, and nothing of it stays', async () => {
  const { ok, call } = await running()
  await ok(
    'PUT',
    '/v1/problems/p',
    smallProblem({
      guards: { holdout: 0.3, baseline: 'b' },
      reward: { min: 0, max: 1, window: { milliseconds: 60_000 } },
    }),
  )
  const request = { context: { x: 0.25 }, covariates: { z: null } }
  const before = await ok('GET', '/v1/problems/p/summary')
  const body = { decisions: [request, { context: { x: 9000 } }, { ...request, covariates: { z: 0.5 } }] }
  const { results } = await ok<DecisionBatchReply>('POST', '/v1/problems/p/tries', body)
  const again = await ok<DecisionBatchReply>('POST', '/v1/problems/p/tries', body)
  expect([again.results[0], again.results[2]]).toEqual([results[0], results[2]])
  const [missing, refused, known] = results as [DecisionReply, { error: { code: string } }, DecisionReply]
  expect(refused.error.code).toBe('out-of-range')
  expect(missing.covariates.z!.status).not.toBe('observed')
  expect(known.covariates.z).toMatchObject({ status: 'observed', value: 0.5 })
  expect(await ok('GET', '/v1/problems/p/summary')).toEqual(before)
  const made = await ok<DecisionReply>('POST', '/v1/problems/p/decisions', request)
  expect(missing.ranking).toEqual(made.ranking)
  expect((await ok<ProblemSummary>('GET', '/v1/problems/p/summary')).decisions).toBe(1)
  expect((await call('GET', `/v1/problems/p/decisions/${missing.decisionId}`)).status).toBe(404)
  await ok('DELETE', '/v1/problems/p')
  expect((await call('POST', '/v1/problems/p/tries', body)).status).toBe(410)
})
