// Local decisions against the real service: from a kept policy at once, while the service is away, and uploaded once
// when it is back.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createClient } from './client.js'
import { type LocalOptions, openLocal } from './local.js'
import { filePolicy, fileSpool } from './spool.js'
import { problem, startedService } from './started-service.fixture.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-local-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const service = await startedService()
const client = createClient({ url: service.url, backoff: 20 })
const guarded = { ...problem, guards: { baseline: 'b' } }
await client.define('p', guarded)
const base: LocalOptions = { url: service.url, problem: 'p', caller: 'shop', default: 'a', backoff: 20 }
const request = (k: number) => ({ context: { x: (k % 100) / 100 }, covariates: { z: k % 2 === 0 ? null : 0.3 } })
const until = async (holds: () => boolean) => {
  for (const end = Date.now() + 20_000; !holds() && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 5))
  expect(holds()).toBe(true)
}

test('decides at once, uploads what it decided, and hears of another policy by the stream', async () => {
  const refused: string[] = []
  const local = await openLocal({
    ...base,
    refresh: 1e6,
    acknowledge: 'commit',
    uploads: { onRefused: (_, error) => refused.push(error.message) },
  })
  const decided = Array.from({ length: 300 }, (_, k) => local.decide(request(k)))
  for (const { decisionId } of decided) local.reward(decisionId, 0.5)
  await local.acknowledged()
  expect(refused).toEqual([])
  expect(local.metrics()).toMatchObject({ decided: 300, accepted: 600, refused: 0, waiting: 0, standIns: 0 })
  const { decisionId, action } = decided[0]!
  expect(await client.explain('p', decisionId!)).toMatchObject({ reply: { action }, reward: 0.5 })
  const before = local.metrics().policy
  await client.define('p', { ...guarded, guards: { baseline: 'b', floor: 0.2 } })
  await until(() => local.metrics().policy !== before)
  expect(await local.close()).toBe(0)
})

test('never throws: what does not fit is played by the baseline and not uploaded', async () => {
  const local = await openLocal(base)
  const odd = [undefined, null, 7, {}, { context: { x: 9 } }, { context: { x: 0.1, y: 1 } }, { context: null }]
  for (const one of odd)
    expect(local.decide(one as never)).toMatchObject({ from: 'baseline', action: 'b', reason: 'request-refused' })
  expect(local.metrics()).toMatchObject({ decided: 0, requestsRefused: odd.length, waiting: 0 })
  // Nor does it look like a decision that was kept back.
  expect(local.decide(request(1)).decisionId).toMatch(/~0$/)
  await local.close()
})

test('a start without the service decides by the kept policy, until that is too old', async () => {
  const path = join(folder, 'p.policy')
  const first = await openLocal({ ...base, keep: filePolicy(path) })
  const { policy } = first.metrics()
  await first.close()
  const away = { ...base, url: 'http://127.0.0.1:9', wait: 50 }
  const second = await openLocal({ ...away, keep: filePolicy(path) })
  expect(second.decide(request(1))).toMatchObject({ from: 'policy' })
  expect(second.metrics().policy).toBe(policy)
  const old = await openLocal({ ...away, keep: filePolicy(path), maxAge: 0 })
  await until(() => old.decide(request(1)).from === 'baseline')
  expect(old.decide(request(1))).toMatchObject({ action: 'b', reason: 'policy-too-old' })
  const without = await openLocal(away)
  expect(without.decide(request(1))).toMatchObject({ from: 'default', action: 'a', reason: 'no-policy' })
  await Promise.all([second, old, without].map((local) => local.close(0)))
})

test('what a file spool has acknowledged is uploaded by the next program, once and in order', async () => {
  const spooled = () => fileSpool(join(folder, 'p.spool'))
  const first = spooled()
  const local = await openLocal({ ...base, caller: 'till', uploads: { spool: first } })
  const { decisions } = await client.summary('p')
  const early = local.decide(request(3))
  await local.acknowledged()
  await until(() => local.metrics().accepted === 1)
  await service.kill()
  const decided = Array.from({ length: 50 }, (_, k) => local.decide(request(k)))
  for (const { decisionId } of [early, ...decided]) local.reward(decisionId, 1)
  await local.acknowledged()
  expect(await local.close(0)).toBeGreaterThan(0)
  first.close()
  await service.startAgain()
  const again = spooled()
  const next = await openLocal({ ...base, caller: 'till', uploads: { spool: again } })
  await until(() => next.metrics().accepted === 101)
  expect(await next.close()).toBe(0)
  expect(next.metrics()).toMatchObject({ refused: 0, lost: 0 })
  expect((await client.summary('p')).decisions).toBe(decisions + 51)
  expect(await client.explain('p', decided[49]!.decisionId!)).toMatchObject({ reward: 1 })
  again.close()
})

test('when too many wait the oldest or the newest are given up, as asked, and counted', async () => {
  for (const dropFirst of ['oldest', 'newest'] as const) {
    const lost: unknown[] = []
    const local = await openLocal({
      ...base,
      fetch: (url, init) => (String(url).endsWith('/uploads') ? Promise.reject(new Error('away')) : fetch(url, init)),
      uploads: { size: 1, keepAtMost: 3, dropFirst, onLost: ({ body }) => lost.push(body.items) },
    })
    const ids = Array.from({ length: 5 }, (_, k) => local.decide(request(k)).decisionId)
    await until(() => local.metrics().lost === 2)
    expect(local.metrics()).toMatchObject({ pressure: 1, waiting: 3 })
    const given = (lost as { decision: { id: string } }[][]).map(([item]) => item!.decision.id)
    // One of the oldest may be on its way, and stays.
    expect(dropFirst === 'newest' ? ids.slice(3) : ids.slice(0, 3)).toEqual(expect.arrayContaining(given))
    await local.close(0)
  }
})

test('a policy that was kept for another caller is not used', async () => {
  const keep = filePolicy(join(folder, 'other.policy'))
  const first = await openLocal({ ...base, keep })
  await first.close()
  const other = await openLocal({ ...base, caller: 'till', url: 'http://127.0.0.1:9', wait: 50, keep })
  expect(other.decide(request(1))).toMatchObject({ from: 'default', reason: 'no-policy' })
  await other.close(0)
})

test('a baseline that is not eligible does not stand in', async () => {
  const local = await openLocal(base)
  const odd = { context: { x: 9 } }
  for (const more of [{ excluded: ['b'] }, { actions: ['a'] }])
    expect(local.decide({ ...odd, ...more })).toMatchObject({ from: 'default', action: 'a', reason: 'request-refused' })
  expect(local.decide({ ...odd, actions: ['a', 'b'], excluded: ['a'] })).toMatchObject({ from: 'baseline' })
  await local.close()
})

test('what the caller does with its objects later changes nothing', async () => {
  const local = await openLocal({ ...base, acknowledge: 'commit' })
  const excluded = ['a']
  const actions = ['a', 'b']
  local.decide({ ...request(1), actions, excluded })
  excluded.pop()
  actions.pop()
  await local.acknowledged()
  expect(local.metrics()).toMatchObject({ accepted: 1, refused: 0 })
  await local.close()
})

test('rewards have metrics, and are told without a policy', async () => {
  await client.define('p', { ...guarded, guardrails: { latency: { min: 0, max: 10, limit: { max: 5 } } } })
  const local = await openLocal({ ...base, acknowledge: 'commit' })
  const [early, late] = [local.decide(request(1)).decisionId!, local.decide(request(2)).decisionId!]
  const refused: string[] = []
  local.reward(early, 1, { metrics: { latency: 3 } })
  await local.acknowledged()
  await local.close()
  const without = await openLocal({
    ...base,
    wait: 50,
    acknowledge: 'commit',
    uploads: { onRefused: (_, error) => refused.push(error.message) },
    fetch: (url, init) => (String(url).includes('/policy') ? Promise.reject(new Error('away')) : fetch(url, init)),
  })
  without.reward(late, 0.5)
  without.reward(late, 1, { metrics: { size: 3 } })
  await without.acknowledged()
  expect(await client.explain('p', late)).toMatchObject({ reward: 0.5 })
  expect(refused).toEqual(['metrics must only have guardrails of the problem, got "size"'])
  await without.close()
})

test('a policy that cannot be kept is used all the same', async () => {
  const keep = { load: async () => null, save: () => Promise.reject(new Error('the disk is full')) }
  const local = await openLocal({ ...base, keep })
  expect(local.decide(request(1)).from).toBe('policy')
  expect(await local.refresh()).toBe(true)
  await client.define('p', { ...guarded, guards: { baseline: 'b', floor: 0.1 } })
  expect(await local.refresh()).toBe(true)
  expect(local.metrics().policyFailures).toBeGreaterThan(0)
  await local.close()
})

test('a size that makes no batches is refused', async () => {
  for (const size of [0, 1001, 1.5])
    await expect(openLocal({ ...base, uploads: { size } })).rejects.toThrow(
      `uploads.size must be a whole number from 1 to 1000, got ${size}`,
    )
})
