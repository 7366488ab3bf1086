// The service learns: off the request path, once per round, through restarts and failures, in every mode and under every
// guard. Frequencies are tested at four standard errors (false alarm below 1 in 10,000 each).

import type { ProblemDefinition } from '@primo/contract'
import type { EpochState } from '@primo/core'
import { expect, test } from 'vitest'
import { replayProblem } from '../dist/index.js'
import { dice } from './hostile-requests.js'
import { type Running, running, smallProblem } from './running.js'

const service = await running()
const { ok, call, learnt, summary, clock } = service

const learning = { profile: 'robust', seed: 5, schedule: { kind: 'growth', first: 20, factor: 1.5, counted: 'closed' } }
const problem = (changes: Partial<ProblemDefinition> = {}) => smallProblem({ learning: learning as object, ...changes })
const define = (name: string, changes: Partial<ProblemDefinition> = {}, query = '') =>
  call('PUT', `/v1/problems/${name}${query}`, problem(changes))

/** Action b pays 0.8 where x > 1/2, a pays 0.8 elsewhere; the other 0.2. */
const pays = (action: string, x: number) => (x > 0.5 === (action === 'b') ? 0.8 : 0.2)

interface Reply {
  readonly decisionId: string
  readonly action: string
  readonly propensity: number
  readonly holdout?: boolean
  readonly ranking: readonly { readonly action: string; readonly score: number | null; readonly propensity: number }[]
  readonly policy: { readonly version: number; readonly mode: string }
  readonly covariates: { readonly z: { readonly pleaseReveal?: boolean; readonly source: string } }
}

async function rounds(
  running_: Running,
  name: string,
  count: number,
  seed: number,
  more: object = {},
): Promise<Reply[]> {
  const d = dice(seed)
  const decisions = Array.from({ length: count }, () => ({
    context: { x: d.next() },
    covariates: { z: d.chance(0.5) ? d.next() : null },
    ...more,
  }))
  const { results } = await running_.ok('POST', `/v1/problems/${name}/decisions/batch`, { decisions })
  const rewards = (results as Reply[]).map(({ decisionId, action }, k) => ({
    id: decisionId,
    value: pays('served' in more ? 'b' : action, decisions[k]!.context.x),
  }))
  await running_.ok('POST', `/v1/problems/${name}/rewards/batch`, { rewards })
  return results
}

async function train(name: string, turns = 12, seed = 1, more: object = {}): Promise<void> {
  for (let k = 0; k < turns; k++) {
    await rounds(service, name, 20, seed + k, more)
    await learnt(name)
  }
}

const propensityOf = ({ ranking }: Reply, action: string) =>
  ranking.find((ranked) => ranked.action === action)?.propensity ?? 0
const decide = (name: string, x: number, more: object = {}): Promise<Reply> =>
  ok('POST', `/v1/problems/${name}/decisions`, { context: { x }, ...more })

/** Rounds that the newest fit learnt from. */
async function newestLearnt({ service: get }: Running, name: string): Promise<number> {
  const row = (await get().store.problem(name))!
  const { state } = (await get().store.snapshot(row.id, row.version, row.book.learnt))!
  return (JSON.parse(state) as EpochState).reports.at(-1)!.learnt
}

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
  const [low, high] = [0.1, 0.9].map((x) => own.ok('POST', '/v1/problems/p/decisions', { context: { x } }))
  expect(propensityOf(await low!, 'a')).toBeGreaterThan(0.7)
  expect(propensityOf(await high!, 'b')).toBeGreaterThan(0.7)
  const { store } = own.service()
  const { policies, different } = await replayProblem(store, 'p')
  expect(different).toEqual([])
  expect(policies).toBe((await own.summary('p')).learning.learntVersion)
  const { epochs, policy } = await own.ok('GET', '/v1/problems/p/epochs')
  expect(epochs.filter(({ live }: { live: boolean }) => live)).toMatchObject([{ version: policy }])
  // No round is learnt from twice: the report of the newest end counts closed rounds.
  expect(await newestLearnt(own, 'p')).toBeLessThanOrEqual((await own.summary('p')).closed)
})

test('a failed fit keeps the old policy, shows in summary and metrics, and is tried again', async () => {
  const own = await running({ retryAfter: 150 })
  await own.ok('PUT', '/v1/problems/p', problem())
  await rounds(own, 'p', 30, 1)
  own.service().host.learner.failNext(3)
  await rounds(own, 'p', 1, 2)
  const failing = async (count: number) => {
    while ((await own.summary('p')).learning.failures < count) await new Promise((resolve) => setTimeout(resolve, 5))
    return own.summary('p')
  }
  expect((await failing(1)).learning).toMatchObject({
    policyVersion: 0,
    fitting: true,
    lastFailure: expect.any(String),
  })
  // Traffic meanwhile is decided by the old policy and does not hurry the next attempt.
  const began = performance.now()
  const [reply] = await rounds(own, 'p', 20, 3)
  expect(reply!.policy.version).toBe(0)
  await failing(2)
  expect(performance.now() - began).toBeGreaterThan(80)
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

test('an end that was not learnt before a stop is learnt after the start', async () => {
  const own = await running({ retryAfter: 60_000 })
  await own.ok('PUT', '/v1/problems/p', problem())
  await rounds(own, 'p', 30, 1)
  own.service().host.learner.failNext(100)
  await rounds(own, 'p', 1, 2)
  while ((await own.summary('p')).learning.failures === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await own.restart()
  await own.learnt('p')
  expect((await own.summary('p')).learning).toMatchObject({ policyVersion: 1, fitting: false })
  expect((await replayProblem(own.service().store, 'p')).different).toEqual([])
})

test('shadow: the served action is logged and learnt from, the reply says what would have been played', async () => {
  await define('shadow', { mode: 'shadow' })
  await train('shadow', 6, 1, { served: { action: 'b', propensity: 0.5 } })
  expect((await summary('shadow')).actions).toMatchObject({ a: { decisions: 0 }, b: { decisions: 120 } })
  const reply = await decide('shadow', 0.9, { served: { action: 'b' } })
  expect(reply.policy).toMatchObject({ mode: 'shadow' })
  expect(reply.policy.version).toBeGreaterThan(0)
  const rows = (await call('GET', '/v1/problems/shadow/log')).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows[0]).toMatchObject({ action: 'b', propensity: 0.5, mode: 'shadow' })
  // Not known is null, never a guess.
  expect(rows.at(-1).propensity ?? null).toBeNull()
})

test('frozen: nothing is learnt, the policy stays; unfreezing goes on with all that came', async () => {
  await define('frozen')
  await train('frozen', 4)
  const { policyVersion } = (await summary('frozen')).learning
  await ok('POST', '/v1/problems/frozen/freeze')
  await train('frozen', 4, 100)
  expect((await summary('frozen')).learning).toMatchObject({ policyVersion, learntVersion: policyVersion })
  expect((await decide('frozen', 0.5)).policy).toMatchObject({ version: policyVersion, mode: 'frozen' })
  await ok('POST', '/v1/problems/frozen/unfreeze')
  await train('frozen', 1, 200)
  expect((await summary('frozen')).learning.policyVersion).toBe(policyVersion + 1)
})

test('rollback decides with an earlier policy until it is unfrozen', async () => {
  await define('back')
  await train('back', 8)
  // An end that is due is learnt first.
  await decide('back', 0.9)
  await learnt('back')
  const newest = await decide('back', 0.9)
  expect(newest.policy.version).toBeGreaterThan(2)
  await ok('POST', '/v1/problems/back/rollback', { version: 0 })
  const uniform = await decide('back', 0.9)
  expect(uniform).toMatchObject({ propensity: 0.5, policy: { version: 0, mode: 'frozen' } })
  await ok('POST', '/v1/problems/back/rollback', { version: 1 })
  expect((await decide('back', 0.9)).policy.version).toBe(1)
  await ok('POST', '/v1/problems/back/unfreeze')
  const again = await decide('back', 0.9)
  expect(again.policy.version).toBe(newest.policy.version)
  expect([...again.ranking].sort(byName)).toEqual([...newest.ranking].sort(byName))
})

const byName = (a: { action: string }, b: { action: string }) => (a.action < b.action ? -1 : 1)

test('holdout: its share plays the baseline, and every propensity is that of the whole procedure', async () => {
  const share = 0.3
  await define('holdout', { guards: { holdout: share, baseline: 'a', floor: 0.05 } })
  await train('holdout', 8)
  const replies: Reply[] = []
  for (let k = 0; k < 4; k++) {
    const decisions = Array.from({ length: 500 }, () => ({ context: { x: 0.9 }, covariates: { z: 0.5 } }))
    replies.push(...(await ok('POST', '/v1/problems/holdout/decisions/batch', { decisions })).results)
  }
  const n = replies.length
  const within = (count: number, p: number) =>
    expect(Math.abs(count - n * p)).toBeLessThan(4 * Math.sqrt(n * p * (1 - p)))
  const held = replies.filter(({ holdout }) => holdout)
  within(held.length, share)
  expect(held.every(({ action }) => action === 'a')).toBe(true)
  const p = propensityOf(replies[0]!, 'a')
  expect(replies.every((reply) => propensityOf(reply, 'a') === p)).toBe(true)
  expect(p).toBeGreaterThanOrEqual(share + 0.05 - 1e-12)
  expect(propensityOf(replies[0]!, 'b')).toBeCloseTo(1 - p, 12)
  within(replies.filter(({ action }) => action === 'a').length, p)
  for (const { action, propensity } of replies) expect(propensity).toBe(propensityOf(replies[0]!, action))
  // Where the baseline is not eligible there is no holdout.
  expect(await decide('holdout', 0.9, { actions: ['b'] })).toMatchObject({ action: 'b', propensity: 1 })
  const { groups } = await summary('holdout')
  expect(groups.holdout.closed).toBeGreaterThan(0)
  expect(groups.holdout.closed + groups.policy.closed).toBe(160)
})

test('floor: no action falls below it, whatever was learnt', async () => {
  await define('floor', { guards: { floor: 0.2 } })
  await train('floor')
  for (const x of [0, 0.1, 0.9, 1]) {
    const { ranking } = await decide('floor', x)
    for (const { propensity } of ranking) expect(propensity).toBeGreaterThanOrEqual(0.2 - 1e-12)
    expect(ranking[0]!.propensity).toBeGreaterThan(0.6)
  }
})

test('kill switch: the baseline with certainty, at once, and back again with what was learnt', async () => {
  await define('kill')
  await train('kill', 6)
  await decide('kill', 0.9)
  await learnt('kill')
  const before = await decide('kill', 0.9)
  expect((await define('kill', { guards: { kill: true, baseline: 'a' } })).body.change).toBe('updated')
  for (let k = 0; k < 20; k++) expect(await decide('kill', 0.9)).toMatchObject({ action: 'a', propensity: 1 })
  await define('kill')
  const after = await decide('kill', 0.9)
  expect(after.policy.version).toBe(before.policy.version)
  expect([...after.ranking].sort(byName)).toEqual([...before.ranking].sort(byName))
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
  const scores = ({ ranking }: Reply) => Object.fromEntries(ranking.map(({ action, score }) => [action, score]))
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
    { context: { x: { type: 'number', min: 0, max: 2 } } },
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
  await train('changed', 3, 50)
  expect((await summary('changed')).learning.policyVersion).toBeGreaterThan(0)
  expect((await replayProblem(service.service().store, 'changed')).different).toEqual([])
})

test('late rewards are logged and not learnt from', async () => {
  const reward = { min: 0, max: 1, window: { milliseconds: 1000 } }
  await define('late', { reward })
  const d = dice(9)
  const decisions = Array.from({ length: 60 }, () => ({ context: { x: d.next() } }))
  const { results } = await ok('POST', '/v1/problems/late/decisions/batch', { decisions })
  const report = (some: readonly Reply[], value: number) =>
    ok('POST', '/v1/problems/late/rewards/batch', { rewards: some.map(({ decisionId: id }) => ({ id, value })) })
  await report(results.slice(0, 40), 1)
  clock.now += 1000
  await service.service().host.tick()
  const late = await report(results.slice(40), 0)
  expect(new Set(late.results.map(({ status }: { status: string }) => status))).toEqual(new Set(['late']))
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

test('audits ask for their share of the missing values; answers are counted and calibrate', async () => {
  const share = 0.4
  const z = { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.2 }, audit: { share } }
  await define('audit', { covariates: { z } as ProblemDefinition['covariates'] })
  let missing = 0
  let asked = 0
  for (let k = 0; k < 10; k++) {
    const decisions = Array.from({ length: 60 }, (_, j) => ({ context: { x: (j % 10) / 10 } }))
    const results: Reply[] = (await ok('POST', '/v1/problems/audit/decisions/batch', { decisions })).results
    missing += results.length
    const wanted = results.filter(({ covariates }) => covariates.z.pleaseReveal)
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
  const reply = await ok('POST', '/v1/problems/audit/decisions', { context: { x: 0.5 } })
  expect(reply.covariates.z).toMatchObject({ status: 'imputed', source: 'calibrated' })
  expect(reply.covariates.z.value).toBeGreaterThan(0.5)
  expect((await replayProblem(service.service().store, 'audit')).different).toEqual([])
})
