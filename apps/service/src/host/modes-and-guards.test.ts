// Modes (shadow, frozen, rolled back) and guards (holdout, floor, kill switch) of a problem that learns. Frequencies are tested at four
// standard errors (false alarm below 1 in 10,000 each).

import type { DecisionReply } from '@primo/contract'
import { expect, test } from 'vitest'
import { type Decided, propensityOf, training } from '../learning/trained-problems.fixture.js'

const { service, define, train, decide } = await training()
const { ok, call, learnt, summary } = service

/** The ranking in an order that does not depend on scores. */
const byName = (a: { action: string }, b: { action: string }) => (a.action < b.action ? -1 : 1)

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

test('holdout: its share plays the baseline, and every propensity is that of the whole procedure', async () => {
  const share = 0.3
  await define('holdout', { guards: { holdout: share, baseline: 'a', floor: 0.05 } })
  await train('holdout', 8)
  const replies: DecisionReply[] = []
  for (let k = 0; k < 4; k++) {
    const decisions = Array.from({ length: 500 }, () => ({ context: { x: 0.9 }, covariates: { z: 0.5 } }))
    replies.push(...(await ok<Decided>('POST', '/v1/problems/holdout/decisions/batch', { decisions })).results)
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
