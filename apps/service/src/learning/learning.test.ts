// The service learns: off the request path, once per round, through restarts, failures and changed definitions. Frequencies are
// tested at four standard errors (false alarm below 1 in 10,000 each).

import type { DecisionReply, Epochs, ProblemDefinition, RewardReply } from '@primo/contract'
import { expect, test } from 'vitest'
import { replayProblem } from '../../dist/index.js'
import { dice } from '../dice.fixture.js'
import { running } from '../running.fixture.js'
import {
  type Decided,
  learning,
  newestLearnt,
  problem,
  propensityOf,
  rounds,
  training,
} from './trained-problems.fixture.js'

/** However busy the machine is. */
const LONG = { timeout: 60_000, interval: 5 }

const { service, define, train, decide } = await training()
const { ok, call, learnt, summary, clock } = service

test('policies rise and decide; after restarts at odd moments the log still gives the same states', async () => {
  const own = await running()
  await own.ok('PUT', '/v1/problems/p', problem())
  const versions: number[] = []
  for (let k = 0; k < 12; k++) {
    const replies = await rounds(own, 'p', 20, k)
    versions.push(replies[0]!.policy.version)
    // Sometimes in the middle of a fit, sometimes after it.
    if (k % 4 === 1) await own.restart()
    if (k % 2 === 0) await own.learnt('p')
  }
  await own.learnt('p')
  expect(versions[0]).toBe(0)
  expect(versions).toEqual([...versions].sort((a, b) => a - b))
  expect(versions.at(-1)).toBeGreaterThan(3)
  const [low, high] = [0.1, 0.9].map((x) =>
    own.ok<DecisionReply>('POST', '/v1/problems/p/decisions', { context: { x } }),
  )
  expect(propensityOf(await low!, 'a')).toBeGreaterThan(0.7)
  expect(propensityOf(await high!, 'b')).toBeGreaterThan(0.7)
  const { store } = own.service()
  const { policies, different } = await replayProblem(store, 'p')
  expect(different).toEqual([])
  expect(policies).toBe((await own.summary('p')).learning.learntVersion)
  const { epochs, policy } = await own.ok<Epochs>('GET', '/v1/problems/p/epochs')
  expect(epochs.filter(({ live }) => live)).toMatchObject([{ version: policy }])
  // No round is learnt from twice: the report of the newest end counts closed rounds.
  expect(await newestLearnt(own, 'p')).toBeLessThanOrEqual((await own.summary('p')).closed)
})

test('a failed fit keeps the old policy, shows in summary and metrics, and is tried again', async () => {
  const own = await running({ retryAfter: 1 })
  await own.ok('PUT', '/v1/problems/p', problem())
  await rounds(own, 'p', 30, 1)
  own.service().host.learner.failNext(3)
  const [reply] = await rounds(own, 'p', 1, 2)
  expect(reply!.policy.version).toBe(0)
  await own.learnt('p')
  expect((await own.summary('p')).learning).toMatchObject({
    policyVersion: 1,
    failures: 3,
    lastFailure: null,
    fitting: false,
  })
  expect((await own.call('GET', '/metrics')).text).toContain('primo_fit_failures_total{problem="p"} 3')
  expect((await replayProblem(own.service().store, 'p')).different).toEqual([])
})

test('rounds that close before a fit is done are learnt after it, without another call', async () => {
  const own = await running({ retryAfter: 600_000 })
  await own.ok('PUT', '/v1/problems/p', problem())
  await rounds(own, 'p', 30, 1)
  // The first decision of the burst ends an epoch of 30 rounds; its fit rests until the restart.
  own.service().host.learner.failNext(1)
  await rounds(own, 'p', 200, 2)
  await expect.poll(async () => (await own.summary('p')).learning.failures, LONG).toBe(1)
  await own.restart()
  await own.learnt('p')
  expect((await own.summary('p')).closed).toBe(230)
  expect(await newestLearnt(own, 'p')).toBe(230)
  expect((await replayProblem(own.service().store, 'p')).different).toEqual([])
})

test('rounds that close after the last decision are learnt at the next tick', async () => {
  await define('quiet')
  await rounds(service, 'quiet', 30, 1)
  expect((await summary('quiet')).learning).toMatchObject({ policyVersion: 0, fitting: false })
  await service.service().host.tick()
  await learnt('quiet')
  expect((await summary('quiet')).learning).toMatchObject({ policyVersion: 1, fitting: false })
  expect(await newestLearnt(service, 'quiet')).toBe(30)
  // Nothing new has closed: nothing ends.
  await service.service().host.tick()
  await learnt('quiet')
  expect((await summary('quiet')).learning.policyVersion).toBe(1)
})

test('while a failed fit rests the old policy decides, and traffic does not hurry the next attempt', async () => {
  const own = await running({ retryAfter: 600_000 })
  await own.ok('PUT', '/v1/problems/p', problem())
  await rounds(own, 'p', 30, 1)
  own.service().host.learner.failNext(100)
  await rounds(own, 'p', 1, 2)
  await expect.poll(async () => (await own.summary('p')).learning.failures, LONG).toBe(1)
  for (let k = 0; k < 5; k++) {
    const [reply] = await rounds(own, 'p', 20, 3 + k)
    expect(reply!.policy.version).toBe(0)
    expect(own.service().host.learner.waiting()).toBe(0)
  }
  expect((await own.summary('p')).learning).toMatchObject({
    policyVersion: 0,
    fitting: true,
    failures: 1,
    lastFailure: expect.any(String),
  })
})

test('an end that was not learnt before a stop is learnt after the start', async () => {
  const own = await running({ retryAfter: 600_000 })
  await own.ok('PUT', '/v1/problems/p', problem())
  await rounds(own, 'p', 30, 1)
  own.service().host.learner.failNext(100)
  await rounds(own, 'p', 1, 2)
  await expect.poll(async () => (await own.summary('p')).learning.failures, LONG).toBe(1)
  await own.restart()
  await own.learnt('p')
  expect((await own.summary('p')).learning).toMatchObject({ policyVersion: 1, fitting: false })
  expect((await replayProblem(own.service().store, 'p')).different).toEqual([])
})

test('maxEpochAge ends an epoch by time, once something has closed', async () => {
  const aged = { ...learning, schedule: { kind: 'fixed', length: 1_000_000 }, maxEpochAge: { milliseconds: 60_000 } }
  await define('age', { learning: aged as object })
  const pass = async (milliseconds: number) => {
    clock.now += milliseconds
    await service.service().host.tick()
    await learnt('age')
    return (await summary('age')).learning.policyVersion
  }
  expect(await pass(120_000)).toBe(0)
  await rounds(service, 'age', 30, 1)
  expect(await pass(0)).toBe(1)
  expect(await pass(59_999)).toBe(1)
  expect(await pass(1)).toBe(2)
})

test('an added action is tried at once and keeps what was learnt of the others', async () => {
  await define('added')
  await train('added', 8)
  await decide('added', 0.9)
  await learnt('added')
  const before = await decide('added', 0.9)
  // While its fit is held up, the policy that knows two actions decides among three.
  service.service().host.learner.failNext(1)
  expect((await define('added', { actions: ['a', 'b', 'c'] })).body.change).toBe('updated')
  const between = await decide('added', 0.9)
  expect(between.ranking.length).toBe(3)
  expect(propensityOf(between, 'c')).toBeGreaterThan(0)
  expect(between.ranking.reduce((sum, { propensity }) => sum + propensity, 0)).toBeCloseTo(1, 9)
  const scores = ({ ranking }: DecisionReply) => Object.fromEntries(ranking.map(({ action, score }) => [action, score]))
  if (between.policy.version === before.policy.version) expect(scores(between)).toMatchObject(scores(before))
  await learnt('added')
  expect((await summary('added')).learning).toMatchObject({ policyVersion: before.policy.version + 1 })
  const after = await decide('added', 0.9)
  expect(propensityOf(after, 'c')).toBeGreaterThan(0)
  expect(propensityOf(after, 'b')).toBeGreaterThan(propensityOf(after, 'a'))
  expect((await summary('added')).closed).toBe(160)
  expect((await replayProblem(service.service().store, 'added')).different).toEqual([])
})

test('a change that would invalidate what was learnt is 409, or with ?version=new begins anew', async () => {
  await define('changed')
  await train('changed', 4)
  const changes: Partial<ProblemDefinition>[] = [
    { context: { x: { type: 'number', min: 0.5, max: 2 } } },
    { covariates: {} },
    { actions: ['b', 'a'] },
    { actions: ['a'] },
    { reward: { min: 0, max: 2 } },
    { reward: { min: 0, max: 1, window: { milliseconds: 1000 } } },
    { learning: { ...learning, profile: 'primo' } as object },
  ]
  const before = await summary('changed')
  for (const change of changes)
    expect(await define('changed', change), JSON.stringify(change)).toMatchObject({
      status: 409,
      body: { code: 'problem-changed' },
    })
  expect(await summary('changed')).toEqual(before)
  const old = (await decide('changed', 0.5)).decisionId
  expect((await define('changed', changes[0], '?version=new')).body).toMatchObject({ change: 'renewed', version: 2 })
  expect(await summary('changed')).toMatchObject({
    version: 2,
    decisions: 0,
    closed: 0,
    learning: { policyVersion: 0 },
  })
  expect(await ok('POST', `/v1/problems/changed/decisions/${old}/reward`, { value: 1 })).toMatchObject({
    status: 'superseded',
  })
  expect((await decide('changed', 1.5)).policy.version).toBe(0)
  const rewarded = Array.from({ length: 40 }, (_, k) => decide('changed', 0.5 + k / 40))
  const rewards = (await Promise.all(rewarded)).map(({ decisionId }, k) => ({ id: decisionId, value: k % 2 }))
  await ok('POST', '/v1/problems/changed/rewards/batch', { rewards })
  await decide('changed', 1.5)
  await learnt('changed')
  expect((await summary('changed')).learning.policyVersion).toBeGreaterThan(0)
  expect((await replayProblem(service.service().store, 'changed')).different).toEqual([])
})

test('an action that was just added gets a tenth of the decisions until its rewards are learnt from, whatever the window', async () => {
  const reward = { min: 0, max: 1, window: { milliseconds: 60_000 } }
  const close = async () => {
    clock.now += 60_000
    await service.service().host.tick()
    await decide('untested', 0.5)
    await learnt('untested')
  }
  await define('untested', { reward })
  for (let k = 0; k < 8; k++) {
    await rounds(service, 'untested', 50, k)
    await close()
  }
  expect((await define('untested', { reward, actions: ['a', 'b', 'c'] })).body.change).toBe('updated')
  const inFlight: DecisionReply[] = []
  for (let k = 0; k < 8; k++) inFlight.push(...(await rounds(service, 'untested', 50, 100 + k)))
  expect(Math.max(...inFlight.map((reply) => propensityOf(reply, 'c')))).toBeLessThanOrEqual(0.1 + 1e-12)
  const offers = inFlight.filter(({ action }) => action === 'c').length
  expect(Math.abs(offers - 40)).toBeLessThan(4 * Math.sqrt(400 * 0.1 * 0.9))
  await close()
  // Where x is small it pays as much as the best.
  const later = await rounds(service, 'untested', 50, 200)
  expect(Math.max(...later.map((reply) => propensityOf(reply, 'c')))).toBeGreaterThan(0.1)
})

test('late rewards are logged and not learnt from', async () => {
  const reward = { min: 0, max: 1, window: { milliseconds: 1000 } }
  await define('late', { reward })
  const d = dice(9)
  const decisions = Array.from({ length: 60 }, () => ({ context: { x: d.next() } }))
  const { results } = await ok<Decided>('POST', '/v1/problems/late/decisions/batch', { decisions })
  const report = (some: readonly DecisionReply[], value: number) =>
    ok<{ results: RewardReply[] }>('POST', '/v1/problems/late/rewards/batch', {
      rewards: some.map(({ decisionId: id }) => ({ id, value })),
    })
  await report(results.slice(0, 40), 1)
  clock.now += 1000
  await service.service().host.tick()
  const late = await report(results.slice(40), 0)
  expect(new Set(late.results.map(({ status }) => status))).toEqual(new Set(['late']))
  await decide('late', 0.5)
  await learnt('late')
  expect(await summary('late')).toMatchObject({ closed: 40, dropped: 20, lateRewards: 20, reward: { mean: 1 } })
  expect(await newestLearnt(service, 'late')).toBe(40)
  const rows = (await call('GET', '/v1/problems/late/log')).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows.filter(({ rewardStatus }) => rewardStatus === 'late').length).toBe(20)
})

test('rewards that never come are made up for where the problem says so, and the log gives the same states', async () => {
  const own = await running()
  const weighted = { ...learning, rewards: { missing: 'weight' } } as object
  const reward = { min: 0, max: 1, window: { milliseconds: 1000 } }
  await own.ok('PUT', '/v1/problems/p', problem({ reward, learning: weighted }))
  const d = dice(9)
  const decisions = Array.from({ length: 120 }, () => ({ context: { x: d.next() } }))
  const { results } = await own.ok<Decided>('POST', '/v1/problems/p/decisions/batch', { decisions })
  const answered = results.filter((_, k) => d.chance(0.2 + 0.7 * decisions[k]!.context.x))
  const rewards = answered.map(({ decisionId: id }) => ({ id, value: 1 }))
  await own.ok('POST', '/v1/problems/p/rewards/batch', { rewards })
  own.clock.now += 1000
  await own.service().host.tick()
  await own.ok('POST', '/v1/problems/p/decisions', { context: { x: 0.5 } })
  await own.learnt('p')
  const { store } = own.service()
  const row = (await store.problem('p'))!
  const { state } = (await store.snapshot(row.id, row.version, row.book.learnt))!
  const { missingRewards } = JSON.parse(state).reports.at(-1)
  expect(missingRewards.seenShare).toBeLessThan(0.8)
  expect(missingRewards.smallest).toBeLessThan(0.5)
  expect((await replayProblem(store, 'p')).different).toEqual([])
  const closing = problem({ reward: { ...reward, default: 0 }, learning: weighted })
  expect((await own.call('PUT', '/v1/problems/q', closing)).text).toContain('rewards.missing must be \\"drop\\"')
})

test('audits ask for their share of the missing values; answers are counted and calibrate', async () => {
  const share = 0.4
  const z = { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.2 }, audit: { share } }
  await define('audit', { covariates: { z } as ProblemDefinition['covariates'] })
  let missing = 0
  let asked = 0
  for (let k = 0; k < 10; k++) {
    const decisions = Array.from({ length: 60 }, (_, j) => ({ context: { x: (j % 10) / 10 } }))
    const { results } = await ok<Decided>('POST', '/v1/problems/audit/decisions/batch', { decisions })
    missing += results.length
    const wanted = results.filter(({ covariates }) => covariates.z!.pleaseReveal)
    asked += wanted.length
    for (const { decisionId } of wanted)
      await ok('POST', `/v1/problems/audit/decisions/${decisionId}/reveal`, { covariates: { z: 0.8 } })
    await ok('POST', '/v1/problems/audit/rewards/batch', {
      rewards: results.map(({ decisionId: id }) => ({ id, value: 0.5 })),
    })
    await learnt('audit')
  }
  expect(Math.abs(asked - missing * share)).toBeLessThan(4 * Math.sqrt(missing * share * (1 - share)))
  expect((await summary('audit')).covariates.z).toMatchObject({
    missing,
    revealed: asked,
    audit: { asked, answered: asked },
  })
  // No value was ever seen at a decision: what was learnt of z came from the audit.
  const reply = await ok<DecisionReply>('POST', '/v1/problems/audit/decisions', { context: { x: 0.5 } })
  expect(reply.covariates.z).toMatchObject({ status: 'imputed', source: 'calibrated' })
  expect(reply.covariates.z!.value).toBeGreaterThan(0.5)
  expect((await replayProblem(service.service().store, 'audit')).different).toEqual([])
})
