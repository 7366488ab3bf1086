// A problem grows: what was learnt is kept to the last bits, the log tells the change, and replay and verification go over it, on
// SQLite and on PostgreSQL.

import type { DecisionReply, DefinitionPlan, ProblemDefinition } from '@primo/contract'
import { expect, test } from 'vitest'
import { postgresInTests } from '../../../../test/postgres-in-tests.mjs'
import { openRawStore, verifyStore } from '../../dist/index.js'
import { dice } from '../dice.fixture.js'
import { type Running, running } from '../running.fixture.js'
import { type Decided, learning } from './trained-problems.fixture.js'

const before = {
  context: { x: { type: 'number', min: 0, max: 1 }, town: { type: 'category', levels: ['north', 'south'] } },
  covariates: {
    z: { type: 'number', min: 0, max: 1, imputer: { kind: 'linear', intercept: 0.2, coefficients: { x: 0.5 } } },
    kind: { type: 'category', levels: ['p', 'q'], imputer: { kind: 'constant', value: { p: 0.4, q: 0.6 } } },
  },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
  learning: learning as object,
} satisfies ProblemDefinition
const after = {
  ...before,
  context: {
    x: { type: 'number', min: -1, max: 3 },
    town: { type: 'category', levels: ['north', 'south', 'west'] },
    visits: { type: 'number', min: 0, max: 9, default: 2 },
  },
  covariates: {
    z: { ...before.covariates.z, max: 5 },
    kind: { ...before.covariates.kind, levels: ['p', 'q', 'r'] },
  },
  labels: { a: 'Plan A' },
} satisfies ProblemDefinition

const newDatabase = postgresInTests()
const path = '/v1/problems/p'

type Request = { context: Record<string, unknown>; covariates: Record<string, unknown> }

function requests(count: number, seed: number): Request[] {
  const d = dice(seed)
  return Array.from({ length: count }, () => ({
    context: { x: d.next(), town: d.chance(0.5) ? 'north' : 'south' },
    covariates: { z: d.chance(0.5) ? d.next() : null, kind: d.chance(0.5) ? 'p' : d.chance(0.5) ? 'q' : null },
  }))
}

const decideAll = async ({ ok }: Running, decisions: readonly Request[]) => {
  const all: DecisionReply[] = []
  for (let at = 0; at < decisions.length; at += 500) {
    const part = { decisions: decisions.slice(at, at + 500) }
    all.push(...(await ok<Decided>('POST', `${path}/decisions/batch`, part)).results)
  }
  return all
}

/** Score and propensity by action. */
const numbersOf = ({ ranking }: DecisionReply) =>
  [...ranking].sort((a, b) => (a.action < b.action ? -1 : 1)).flatMap(({ score, propensity }) => [score!, propensity])

const close = (one: readonly DecisionReply[], other: readonly DecisionReply[]) =>
  one.forEach((reply, k) => {
    const expected = numbersOf(other[k]!)
    numbersOf(reply).forEach((value, i) => {
      if (!(Math.abs(value - expected[i]!) < 1e-12)) expect([k, value]).toEqual([k, expected[i]])
    })
  })

async function train(service: Running, turns: number, seed: number, change = (request: Request) => request) {
  for (let k = 0; k < turns; k++) {
    const asked = requests(30, seed + k).map(change)
    const rewards = (await decideAll(service, asked)).map(({ decisionId, action }, i) => {
      const x = Number(asked[i]!.context.x)
      return { id: decisionId, value: x > 0.5 === (action === 'b') ? 0.8 : 0.2 }
    })
    await service.ok('POST', `${path}/rewards/batch`, { rewards })
    await service.learnt('p')
  }
  // What is due ends with the next decision.
  await decideAll(service, requests(1, seed + turns).map(change))
  await service.learnt('p')
}

async function grow(service: Running, store: string, asked: number): Promise<void> {
  const { ok, call } = service
  const put = <T>(definition: object, query = '') => call<T>('PUT', `${path}${query}`, definition)
  await put(before)
  await train(service, 3, 1)
  const { policyVersion } = (await service.summary('p')).learning
  expect(policyVersion).toBeGreaterThan(1)

  // Asking changes nothing.
  const stored = JSON.stringify(await service.service().store.problem('p'))
  const plan = (await put<DefinitionPlan>(after, '?dryRun=true')).body
  expect(plan).toMatchObject({ problem: 'p', dryRun: true, change: 'grown', anew: [] })
  expect(plan.kept).toContain('context.x widens its range from 0 to 1 into -1 to 3')
  expect(plan.kept).toContain('context.visits is added; earlier rounds have its default, 2')
  expect(plan.kept).toContain('covariates.kind gains "r"')
  const narrow = { ...before, context: { ...before.context, x: { type: 'number', min: 0.5, max: 1 } } }
  expect((await put<DefinitionPlan>(narrow, '?dryRun=true')).body).toMatchObject({ change: 'refused' })
  expect((await put<DefinitionPlan>(narrow, '?dryRun=true&version=new')).body).toMatchObject({ change: 'renewed' })
  expect(JSON.stringify(await service.service().store.problem('p'))).toBe(stored)
  expect(await put(narrow)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('context.x may widen its range, not shrink it') },
  })

  const contexts = requests(asked, 99)
  const then = await decideAll(service, contexts)
  expect((await put(after)).body).toMatchObject({ change: 'grown', version: 1 })
  const now = await decideAll(service, contexts)
  expect(now[0]!.policy.version).toBe(policyVersion)
  close(now, then)
  // Another label, another rule for values outside: nothing that was learnt is touched.
  expect((await put({ ...after, labels: { a: 'A', b: 'B' } })).body).toMatchObject({ change: 'updated' })
  expect(await put({ ...after, labels: { d: 'D' } })).toMatchObject({ status: 422 })
  close(await decideAll(service, contexts.slice(0, 50)), then)
  await service.restart()
  close(await decideAll(service, contexts.slice(0, 50)), then)

  // New values are taken at once and learnt at the next end.
  await train(service, 2, 50, ({ context, covariates }) => ({
    context: { ...context, x: 2 * Number(context.x), town: 'west', visits: 5 },
    covariates: { ...covariates, kind: 'r' },
  }))
  const newest = await service.summary('p')
  expect(newest.learning).toMatchObject({ failures: 0 })
  expect(newest.learning.policyVersion).toBeGreaterThan(policyVersion)
  // A policy of before the change can decide again.
  await ok('POST', `${path}/rollback`, { version: policyVersion })
  close(await decideAll(service, contexts.slice(0, 50)), then)
  const explained = await ok<{ sweep: object }>('GET', `${path}/decisions/${then[0]!.decisionId}`)
  expect(explained.sweep).toHaveProperty('z')
  await ok('POST', `${path}/unfreeze`)
  await ok('POST', `${path}/evaluations`, { policies: ['uniform'], replicates: 1 })

  // Every policy is learnt and every decision made again.
  const raw = await openRawStore(store)
  try {
    const { learntVersion: policies } = newest.learning
    const verified = await verifyStore(raw)
    expect(verified).toMatchObject({ damage: [], policies, otherVersion: [], beyond: [] })
    expect(verified.propensities).toBeGreaterThan(2 * asked)
  } finally {
    await raw.close()
  }
}

test('on SQLite', { timeout: 120_000 }, async () => {
  const service = await running()
  await grow(service, `sqlite:${service.folder}/primo.db`, 1000)
})

test('on PostgreSQL', { timeout: 120_000 }, async (context) => {
  const store = await newDatabase(context, 'growing')
  const service = await running({ store })
  try {
    await grow(service, store, 100)
  } finally {
    await service.close()
  }
})
