// Retention and learning: what is gone is not learnt from any more, and what was learnt before it went cannot be replayed.

import type { DecisionReply } from '@primo/contract'
import type { EpochState } from '@primo/core/engine'
import { expect, test } from 'vitest'
import { replayProblem } from '../../dist/index.js'
import { dice } from '../dice.fixture.js'
import { running, smallProblem } from '../running.fixture.js'

const DAY = 86_400_000

test('learning goes on from the rounds that are left, also after a restart; a replay says which states it cannot check', async () => {
  const service = await running()
  const { ok, clock, learnt } = service
  const schedule = { kind: 'growth', first: 20, factor: 1.5, counted: 'closed' }
  const learning = { profile: 'robust', seed: 5, schedule } as object
  await ok('PUT', '/v1/problems/p', smallProblem({ learning, retention: { days: 2 } }))
  const d = dice(3)
  const learntFrom: number[] = []
  for (let day = 0; day < 6; day++) {
    const decisions = Array.from({ length: 40 }, () => ({ context: { x: d.next() }, covariates: { z: null } }))
    const { results } = await ok<{ results: DecisionReply[] }>('POST', '/v1/problems/p/decisions/batch', { decisions })
    const rewards = results.slice(0, 35).map(({ decisionId }) => ({ id: decisionId, value: d.next() }))
    await ok('POST', '/v1/problems/p/rewards/batch', { rewards })
    await learnt('p')
    if (day === 3) await service.restart()
    clock.now += DAY
    await service.service().host.tick()
    const row = (await service.service().store.problem('p'))!
    const snapshot = await service.service().store.snapshot(row.id, row.version, row.book.learnt)
    // The first epoch ends with the first decision of the second day.
    if (day > 0) learntFrom.push((JSON.parse(snapshot!.state) as EpochState).reports.at(-1)!.learnt)
  }
  const { open, decisions, dropped } = await service.summary('p')
  // Five of each day were never rewarded: those of the days that are gone were given up.
  expect({ open, decisions, dropped }).toEqual({ open: 10, decisions: 240, dropped: 20 })
  const { policies, different, beyond } = await replayProblem(service.service().store, 'p')
  expect(different).toEqual([])
  expect(policies).toBe((await service.summary('p')).learning.learntVersion)
  expect(beyond.length).toBeGreaterThan(0)
  // No fit saw more than three days of rounds.
  expect(Math.max(...learntFrom)).toBeLessThanOrEqual(105)
})
