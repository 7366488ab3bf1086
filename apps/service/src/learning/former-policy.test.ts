// A store whose live policy another version of Primo learnt in another way: the service learns it again from the log.

import type { DecisionReply } from '@primo/contract'
import { createLearner, type Problem } from '@primo/core'
import type { EpochState } from '@primo/core/engine'
import { expect, test } from 'vitest'
import { openRawStore, openStore, verifyStore } from '../../dist/index.js'
import { type Running, running } from '../running.fixture.js'
import { newestLearnt, problem, propensityOf, rounds } from './trained-problems.fixture.js'

/** A policy as a profile without memories learns it. */
function formerState(): EpochState {
  const { learning: _, ...own } = problem()
  const learner = createLearner(own as unknown as Problem, { profile: 'primo', seed: 1 })
  while (learner.snapshot().state.version === 0) {
    const { id } = learner.decide({ context: { x: 0.2 }, covariates: { z: 0.5 } })
    learner.reward(id, 0.5)
  }
  return learner.snapshot().state
}

/** A closed service whose problem has this live policy and 300 rewards. */
async function withFormerPolicy(frozen: boolean): Promise<Running> {
  const own = await running({ retryAfter: 600_000 })
  await own.ok('PUT', '/v1/problems/p', problem())
  own.service().host.learner.failNext(1)
  await rounds(own, 'p', 300, 1)
  await own.service().host.tick()
  await expect.poll(async () => (await own.summary('p')).learning.failures, { timeout: 60_000 }).toBe(1)
  await own.close()
  const store = await openStore(`sqlite:${own.folder}/primo.db`, { clock: () => own.clock.now })
  const { cut } = (await store.problem('p'))!.book.ending!
  const [outcome] = await store.commit([
    {
      kind: 'publish',
      problem: 'p',
      version: 1,
      cut,
      state: JSON.stringify({ ...formerState(), version: 1 }),
      report: '{}',
      software: '0.0.1',
      next: { epoch: 2, quota: 10_000, counted: 'closed' },
    },
  ])
  expect(outcome).toEqual({ done: true })
  if (frozen) await store.commit([{ kind: 'operate', problem: 'p', operation: 'freeze' }])
  await store.close()
  return own
}

test.each([
  ['', false],
  [' of a frozen problem', true],
])(
  'a policy%s that was learnt in another way is learnt again from the log when the service opens',
  async (_, frozen) => {
    const own = await withFormerPolicy(frozen)
    await own.restart()
    expect(own.service().host.relearnt).toEqual(['p'])
    await own.learnt('p')
    const { policyVersion, learntVersion, epoch } = (await own.summary('p')).learning
    expect([policyVersion, learntVersion, epoch]).toEqual([2, 2, 3])
    expect(await newestLearnt(own, 'p')).toBe(300)
    const reply = await own.ok<DecisionReply>('POST', '/v1/problems/p/decisions', { context: { x: 0.9 } })
    expect(propensityOf(reply, 'b')).toBeGreaterThan(0.7)
    const { body } = await own.call('POST', '/v1/problems/p/rollback', { version: 1 })
    expect(body.detail).toContain('was learnt in another way than the problem learns now')
    await own.restart()
    expect(own.service().host.relearnt).toEqual([])
    await own.close()
    const store = await openRawStore(`sqlite:${own.folder}/primo.db`)
    const { damage, otherVersion } = await verifyStore(store)
    await store.close()
    expect(damage).toEqual([])
    expect(otherVersion).toEqual(['p 1/1'])
  },
)
