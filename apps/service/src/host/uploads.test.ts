// Decisions made in a caller's process: they are those of the service, enter its log once, and lies are refused.

import type { DecisionReply, PolicyDocument, UploadReply } from '@primo/contract'
import { hashOfPolicy } from '@primo/core/engine'
import { seedKey } from '@primo/numeric'
import { expect, test } from 'vitest'
import { lies, localDecisions } from '../../../../bench/local-decisions.mjs'
import { openRawStore, replayProblem, verifyStore } from '../../dist/index.js'
import { dice } from '../dice.fixture.js'
import { training } from '../learning/trained-problems.fixture.js'
import { START } from '../running.fixture.js'

const { service, define, train } = await training()
const { ok, call, clock, learnt, summary } = service

const policyOf = (name: string, caller = 'web') =>
  ok<PolicyDocument>('GET', `/v1/problems/${name}/policy?caller=${caller}`)
const upload = (name: string, policy: string, items: readonly object[], caller = 'web') =>
  ok<UploadReply>('POST', `/v1/problems/${name}/uploads`, { caller, policy, items })

function requests(count: number, seed: number) {
  const d = dice(seed)
  return Array.from({ length: count }, () => ({
    context: { x: d.next() },
    covariates: { z: d.chance(0.5) ? d.next() : null },
  }))
}

test('the document decides as the service does: same actions, same propensities, for the same key', async () => {
  await define('same', { guards: { holdout: 0.2, baseline: 'b', floor: 0.05 } })
  await train('same', 6)
  const document = await policyOf('same')
  const { version } = document
  expect(version).toBeGreaterThan(0)
  expect(JSON.stringify(document)).not.toContain('"seed"')
  const asked = requests(500, 7)
  const path = '/v1/problems/same/decisions/batch'
  const { results } = await ok<{ results: DecisionReply[] }>('POST', path, { decisions: asked })
  // The service's own key, where a caller has its own.
  const { decider, engine } = localDecisions({ ...document, key: [...seedKey(5)] as [number, number] })
  results.forEach(({ decisionId, action, ranking, holdout = false }, k) => {
    const made = decider.decide(asked[k]!, decisionId)
    expect([engine.encoding.actions[made.action], made.held]).toEqual([action, holdout])
    for (const one of ranking)
      expect(made.propensities[engine.encoding.actionIndex.get(one.action)!]).toBeCloseTo(one.propensity, 14)
  })
  const other = await policyOf('same', 'other')
  expect(other.key).not.toEqual(document.key)
  expect((await policyOf('same')).hash).toBe(document.hash)
  expect([hashOfPolicy(document), hashOfPolicy(other)]).toEqual([document.hash, other.hash])
  expect(other.hash).not.toBe(document.hash)
  expect(hashOfPolicy({ ...document, version: -1 })).not.toBe(document.hash)
})

test('an upload counts once, is learnt from, and replays to the same bytes', async () => {
  await define('taken')
  await train('taken', 3)
  const { decisions } = await summary('taken')
  for (let turn = 0; turn < 4; turn++) {
    const document = await policyOf('taken')
    const { decide } = localDecisions(document, `turn${turn}`)
    const items = requests(40, 100 + turn).flatMap((request) => {
      const decision = decide(request, START - 5)
      return [{ decision }, { reward: { id: decision.id, value: 0.5 } }]
    })
    expect(await upload('taken', document.policy, items)).toMatchObject({ accepted: 80, repeated: 0, refused: [] })
    expect(await upload('taken', document.policy, items)).toMatchObject({ accepted: 0, repeated: 80, refused: [] })
    await learnt('taken')
  }
  expect((await summary('taken')).decisions).toBe(decisions + 160)
  const { store } = service.service()
  const row = (await store.problem('taken'))!
  const stored = await store.decision(row.id, 'web~turn1~3')
  expect(JSON.parse(stored!.entry.body)).toMatchObject({ caller: 'web', decidedAt: START - 5 })
  expect(await ok('GET', '/v1/problems/taken/decisions/web~turn1~3')).toMatchObject({ caller: 'web', reward: 0.5 })
  expect(await replayProblem(store, 'taken')).toMatchObject({ different: [], beyond: [] })
})

test('callers and the service ask for the same truths within a budget, and a replay asks again', async () => {
  const z = { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.3 } }
  await define('asks', { covariates: { z: { ...z, audit: { budget: 0.2 }, price: 0.001 } as never } })
  await train('asks', 8)
  const document = await policyOf('asks')
  expect(document.state).toHaveProperty('asking')
  const { decide, decider } = localDecisions(document, 'ask')
  const given = requests(120, 31)
  const asked = given.map((request, k) => decider.decide(request, `web~ask~${k.toString(36)}`).choice.asked)
  const items = given.map((request) => ({ decision: decide(request, START - 5) }))
  expect(await upload('asks', document.policy, items)).toMatchObject({ accepted: 120, refused: [] })
  expect(asked.some((one) => Object.keys(one).length > 0)).toBe(true)
  const { store } = service.service()
  const row = (await store.problem('asks'))!
  for (const [k, one] of asked.entries()) {
    const stored = await store.decision(row.id, `web~ask~${k.toString(36)}`)
    expect(JSON.parse(stored!.entry.body).learning.asked ?? {}).toEqual(one)
  }
  const log = (await call('GET', '/v1/problems/asks/log')).text.trim().split('\n')
  const shares = log.map((line) => JSON.parse(line)['auditProbability.z'] as number | null | undefined)
  expect(shares.filter((share) => typeof share === 'number').length).toBeGreaterThan(0)
  expect(await replayProblem(store, 'asks')).toMatchObject({ different: [], beyond: [] })
})

test('a lie in any one field is refused, with the field where it has one', async () => {
  await define('lies')
  await train('lies', 4)
  const document = await policyOf('lies')
  const { decide } = localDecisions(document)
  const d = dice(3)
  const honest = requests(240, 9).map((request) => decide(request, START))
  const kinds = Object.keys(lies)
  const told = honest.map((decision, k) => lies[kinds[k % kinds.length]!]!(decision, document.definition, d.next))
  const { accepted, refused } = await upload(
    'lies',
    document.policy,
    told.map((decision) => ({ decision })),
  )
  expect(accepted).toBe(0)
  const codes = refused.map(({ item, error: { code, detail } }) => [kinds[item % kinds.length], code, detail] as const)
  expect(codes.filter(([, code]) => code !== 'verification-failed')).toEqual([])
  for (const field of ['action', 'propensity', 'score', 'used', 'proof'])
    expect(codes.filter(([kind]) => kind === field).map(([, , detail]) => detail)[0]).toMatch(`${field} of decision`)
  expect(await upload('lies', document.policy, [{ decision: honest[0]! }])).toMatchObject({ accepted: 1 })
})

test('an event that was decided elsewhere is refused: what was played there stays', async () => {
  await define('events')
  await train('events', 2)
  const document = await policyOf('events')
  const { decide } = localDecisions(document)
  const request = requests(1, 5)[0]!
  const { decisionId } = await ok<DecisionReply>('POST', '/v1/problems/events/decisions', {
    ...request,
    eventId: 'e-1',
  })
  const { refused } = await upload('events', document.policy, [
    { decision: decide({ ...request, eventId: 'e-1' }, START) },
  ])
  expect(refused).toMatchObject([{ item: 0, error: { code: 'event-conflict' } }])
  expect(refused[0]!.error.detail).toContain(`"e-1" was decided before, as "${decisionId}"`)
})

test('other callers, ids of others, unknown policies and times to come are refused', async () => {
  await define('strangers')
  const document = await policyOf('strangers')
  const { decide } = localDecisions(document)
  const [request] = requests(1, 1)
  const codeOf = async (policy: string, item: object, caller = 'web') =>
    (await upload('strangers', policy, [item], caller)).refused[0]?.error.code
  const decision = decide(request!, START)
  expect(await codeOf(document.policy, { decision }, 'other')).toBe('verification-failed')
  expect(await codeOf('1.7.0123456789abcdef', { decision })).toBe('unknown-policy')
  expect(await codeOf('nonsense', { decision })).toBe('unknown-policy')
  expect(await codeOf(document.policy, { decision: decide(request!, START + 1e9) })).toBe('verification-failed')
  expect(await codeOf(document.policy, { reward: { id: 'd123', value: 1 } })).toBe('verification-failed')
})

test('an earlier policy counts until it is too old, also after a restart and a change of the guards', async () => {
  await define('late')
  await train('late', 2)
  const early = await policyOf('late')
  await define('late', { guards: { floor: 0.1 }, uploads: { maxAge: { milliseconds: 60_000 } } })
  const { decide } = localDecisions(early)
  await train('late', 4, 50)
  const made = requests(3, 5).map((request) => ({ decision: decide(request, START) }))
  const reply = await upload('late', early.policy, made.slice(0, 1))
  expect(reply).toMatchObject({ accepted: 1, refused: [] })
  expect(reply.policy).not.toBe(early.policy)
  await service.restart()
  expect(await upload('late', early.policy, made.slice(1, 2))).toMatchObject({ accepted: 1, refused: [] })
  clock.now += 61_000
  const refusal = (await upload('late', early.policy, made.slice(2))).refused[0]
  expect(refusal?.error).toMatchObject({ code: 'policy-too-old' })
  // Columns that have grown: what was used then has no meaning now.
  const grown = await policyOf('late')
  const last = localDecisions(grown, 'grown').decide(requests(1, 6)[0]!, START)
  await call('PUT', '/v1/problems/late', {
    ...grown.definition,
    learning: { ...grown.definition.learning, seed: 5 },
    context: { x: { type: 'number', min: 0, max: 2 } },
  })
  expect((await upload('late', grown.policy, [{ decision: last }])).refused[0]?.error.code).toBe('policy-too-old')
  await learnt('late')
  const raw = await openRawStore(`sqlite:${service.folder}/primo.db`)
  const { damage } = await verifyStore(raw).finally(raw.close)
  expect(damage).toEqual([])
})

test('a policy that was live again is as old as its last end', async () => {
  await define('again', { uploads: { maxAge: { milliseconds: 60_000 } } })
  await train('again', 2)
  const document = await policyOf('again')
  const { decide } = localDecisions(document)
  for (const step of ['freeze', 'unfreeze']) {
    await ok('POST', `/v1/problems/again/${step}`, {})
    await service.service().host.fresh('again')
  }
  clock.now += 61_000
  await train('again', 4, 50)
  const items = requests(1, 5).map((request) => ({ decision: decide(request, START) }))
  const reply = await upload('again', document.policy, items)
  expect(reply.policy).not.toBe(document.policy)
  expect(reply).toMatchObject({ accepted: 1, refused: [] })
})

test('a policy and a definition that never were live together are unknown', async () => {
  await define('never')
  await train('never', 2)
  const before = await policyOf('never')
  clock.now += 1000
  await define('never', { guards: { floor: 0.1 } })
  clock.now += 1000
  await train('never', 4, 50)
  const now = await policyOf('never')
  expect(now.version).toBeGreaterThan(before.version)
  const policy = now.policy.replace(/[^.]*$/, before.policy.split('.')[2]!)
  const { decide } = localDecisions({ ...now, definition: before.definition, policy })
  const items = requests(1, 5).map((request) => ({ decision: decide(request, START) }))
  expect((await upload('never', policy, items)).refused[0]?.error.code).toBe('unknown-policy')
})

test('metrics of uploaded rewards reach the guardrails', async () => {
  await define('rails', { guardrails: { latency: { min: 0, max: 10, limit: { max: 5 } } } })
  const document = await policyOf('rails')
  const [decision] = requests(1, 3).map((request) => localDecisions(document).decide(request, START))
  const { id } = decision!
  const reward = (latency: number) => ({ reward: { id, value: 1, metrics: { latency } } })
  const reply = await upload('rails', document.policy, [{ decision }, reward(11), reward(3)])
  expect(reply).toMatchObject({ accepted: 2, refused: [{ item: 1, error: { code: 'out-of-range' } }] })
  const log = (await call('GET', '/v1/problems/rails/log')).text
  expect(log).toContain(id)
  const { store } = service.service()
  const { later } = (await store.decision((await store.problem('rails'))!.id, id))!
  expect(later.map(({ body }) => JSON.parse(body).metrics)).toEqual([{ latency: 3 }])
})

test('a definition that comes back in a later version is not taken for that of the uploads before', async () => {
  await define('back')
  await train('back', 2)
  const document = await policyOf('back')
  expect(document.version).toBeGreaterThan(0)
  const items = requests(1, 5).map((request) => ({ decision: localDecisions(document).decide(request, START) }))
  expect(await upload('back', document.policy, items)).toMatchObject({ accepted: 1 })
  for (const max of [2, 1])
    expect((await define('back', { reward: { min: 0, max } }, '?version=new')).body.change).toBe('renewed')
  const raw = await openRawStore(`sqlite:${service.folder}/primo.db`)
  const { damage } = await verifyStore(raw).finally(raw.close)
  expect(damage).toEqual([])
})
