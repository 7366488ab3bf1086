// Keys with a name: made, limited, expired, rotated and revoked while the service runs.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyList, NewKeyReply, PolicyDocument, UploadReply } from '@primo/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { localDecisions } from '../../../../bench/local-decisions.mjs'
import { postgresInTests } from '../../../../test/postgres-in-tests.mjs'
import { openKeyRing, type Service, startService } from '../../dist/index.js'
import type { OperationRecord, ProblemRecord } from '../ledger/records.js'
import { type Running, running, START, smallProblem } from '../running.fixture.js'
import { bearer, keys, secrets } from './keys.fixture.js'

const HOUR = 3_600_000
const newDatabase = postgresInTests()

async function withAdmin(options: Parameters<typeof running>[0] = {}) {
  const service = await running(options)
  const made = await service.ok<NewKeyReply>('POST', '/v1/keys', { name: 'ada', role: 'admin' })
  const as = (secret: string) => (method: string, path: string, body?: unknown) =>
    service.call<NewKeyReply & { code: string; detail: string }>(method, path, body, bearer(secret))
  const admin = as(made.secret)
  for (const name of ['p', 'q']) expect((await admin('PUT', `/v1/problems/${name}`, smallProblem())).status).toBe(201)
  const make = async (body: object) => {
    const answer = await admin('POST', '/v1/keys', body)
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body.secret
  }
  return { ...service, as, admin, make }
}

test('the first key must be one that can make others; from then on every call needs a key, also after a restart', async () => {
  const service = await running()
  expect((await service.call('GET', '/v1/problems')).status).toBe(200)
  const narrow = [
    { name: 'a', role: 'decide' },
    { name: 'a', role: 'admin', problems: ['p'] },
  ]
  for (const body of narrow)
    expect(await service.call('POST', '/v1/keys', body)).toMatchObject({ status: 409, body: { code: 'key-conflict' } })
  const { secret } = await service.ok<NewKeyReply>('POST', '/v1/keys', { name: 'ada', role: 'admin' })
  const asked = async (headers = {}) => (await service.call('GET', '/v1/problems', undefined, headers)).status
  expect([await asked(), await asked(bearer(secret))]).toEqual([401, 200])
  await service.restart()
  expect([await asked(), await asked(bearer(secret))]).toEqual([401, 200])
  // It revokes itself: nobody is let in, rather than everybody.
  expect((await service.call('DELETE', '/v1/keys/ada', undefined, bearer(secret))).status).toBe(200)
  await service.restart()
  expect([await asked(), await asked(bearer(secret))]).toEqual([401, 401])
})

test('secrets are not kept: not in the store, not in lists', async () => {
  const { make, admin, folder, close } = await withAdmin()
  const secret = await make({ name: 'shop', role: 'decide', problems: ['p'] })
  const list = await admin('GET', '/v1/keys')
  expect((list.body as unknown as KeyList).keys).toMatchObject([
    { name: 'ada', role: 'admin', problems: null },
    { name: 'shop', role: 'decide', problems: ['p'], expires: null, revoked: null },
  ])
  expect(list.text).not.toMatch(/hash|secret/)
  await close()
  expect(readFileSync(join(folder, 'primo.db')).includes(secret)).toBe(false)
})

test('a caller has the longest name of a key: the holder of a shorter one does not get its draws', async () => {
  const { make, as } = await withAdmin()
  const shop = as(await make({ name: 'shop', role: 'decide' }))
  const third = as(await make({ name: 'shop.3', role: 'decide' }))
  const policy = (caller: string) => `/v1/problems/p/policy?caller=${caller}`
  for (const caller of ['shop', 'shop.2', 'shop.31']) expect((await shop('GET', policy(caller))).status).toBe(200)
  for (const caller of ['shop.3', 'shop.3.a']) {
    expect((await third('GET', policy(caller))).status).toBe(200)
    expect((await shop('GET', policy(caller))).body).toMatchObject({
      code: 'invalid-request',
      detail: `caller must not be that of key "shop.3", got "${caller}"`,
    })
  }
  const upload = { caller: 'shop.3', policy: 'none', items: [{ void: { id: 'shop.3~0~0' } }] }
  expect((await shop('POST', '/v1/problems/p/uploads', upload)).body.code).toBe('invalid-request')
})

test('rewards and truths of an upload need the role reward too; its decisions need only the role decide', async () => {
  const { make, as, admin } = await withAdmin()
  const items = (document: PolicyDocument) => {
    const { decide } = localDecisions(document)
    const decision = decide({ context: { x: 0.5 }, covariates: { z: null } }, START)
    return [
      { decision },
      { reward: { id: decision.id, value: 1 } },
      { reveal: { id: decision.id, covariates: { z: 0.25 } } },
    ]
  }
  const told = async (caller: string, role: string) => {
    const who = as(await make({ name: caller, role }))
    const document = (await who('GET', `/v1/problems/p/policy?caller=${caller}`)).body as unknown as PolicyDocument
    const upload = { caller, policy: document.policy, items: items(document) }
    return (await who('POST', '/v1/problems/p/uploads', upload)).body as unknown as UploadReply
  }
  const needs = 'needs a key of role reward, too, got one of role decide; make a key of role decide+reward'
  const { accepted, refused } = await told('shop', 'decide')
  expect(accepted).toBe(1)
  expect(refused).toMatchObject([
    { item: 1, error: { code: 'forbidden', detail: `reward of decision "shop~run~0" ${needs}` } },
    { item: 2, error: { code: 'forbidden', detail: `reveal of decision "shop~run~0" ${needs}` } },
  ])
  expect((await admin('GET', '/v1/problems/p/summary')).body).toMatchObject({ decisions: 1, closed: 0 })
  expect(await told('both', 'decide+reward')).toMatchObject({ accepted: 3, refused: [] })
  const both = as(await make({ name: 'both.2', role: 'decide+reward', problems: ['q'] }))
  const { decisionId } = (await both('POST', '/v1/problems/q/decisions', { context: { x: 0 } })).body as never
  expect((await both('POST', `/v1/problems/q/decisions/${decisionId}/reward`, { value: 1 })).status).toBe(200)
  for (const [method, path] of [
    ['GET', '/v1/problems/q'],
    ['POST', '/v1/problems/q/freeze'],
    ['POST', '/v1/problems/p/decisions'],
  ] as const)
    expect((await both(method, path, method === 'GET' ? undefined : { context: { x: 0 } })).status, path).toBe(403)
})

test('a seed that the service chose is shown to nobody', async () => {
  const { admin, make, as, service } = await withAdmin()
  const { seed } = (await service().store.problem('p'))!
  const read = as(await make({ name: 'reader', role: 'read' }))
  await admin('POST', '/v1/problems/p/decisions', { context: { x: 0 } })
  const paths = ['', 's', '/summary', '/log', '/log?format=csv', '/overview', '/decisions', '/candidate', '/operations']
  for (const who of [admin, read])
    for (const path of ['/v1/problems', ...paths.map((more) => `/v1/problems/p${more}`), '/metrics']) {
      const { text } = await who('GET', path)
      expect(text, path).not.toContain(String(seed))
    }
  expect((await admin('PUT', '/v1/problems/p', smallProblem())).text).not.toContain(String(seed))
})

test('a key for some problems is refused elsewhere', async () => {
  const { make, as } = await withAdmin()
  const read = as(await make({ name: 'reader', role: 'read', problems: ['p'] }))
  const boss = as(await make({ name: 'boss', role: 'admin', problems: ['p'] }))
  expect((await read('GET', '/v1/problems/p/summary')).status).toBe(200)
  for (const path of ['/v1/problems/q', '/v1/problems/q/log', '/v1/problems/nowhere/summary', '/metrics'])
    expect(await read('GET', path)).toMatchObject({
      status: 403,
      body: { code: 'forbidden', detail: expect.stringContaining('key "reader" is for p only') },
    })
  const { problems } = (await read('GET', '/v1/problems')).body as unknown as { problems: { problem: string }[] }
  expect(problems.map(({ problem }) => problem)).toEqual(['p'])
  expect((await boss('POST', '/v1/problems/p/freeze', {})).status).toBe(200)
  for (const [method, path, body] of [
    ['POST', '/v1/problems/q/freeze', {}],
    ['PUT', '/v1/problems/new', smallProblem()],
    ['GET', '/v1/keys'],
    ['POST', '/v1/keys', { name: 'more', role: 'admin' }],
    ['POST', '/v1/clock/confirm', {}],
  ] as const)
    expect((await boss(method, path, body)).status, path).toBe(403)
})

test('an expired key says so, a revoked one and a rotated one too', async () => {
  const { make, as, admin, clock } = await withAdmin()
  expect(await admin('POST', '/v1/keys', { name: 'late', role: 'read', expires: START - 1 })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('expires must lie in the future') },
  })
  const short = as(await make({ name: 'short', role: 'read', expires: START + HOUR }))
  const rotated = as(await make({ name: 'rotated', role: 'read' }))
  const revoked = as(await make({ name: 'gone', role: 'read' }))
  const ask = (who: typeof short) => who('GET', '/v1/problems/p')
  const fresh = as((await admin('POST', '/v1/keys/rotated/rotate', { overlap: HOUR })).body.secret)
  expect(await Promise.all([short, rotated, fresh, revoked].map(async (who) => (await ask(who)).status))).toEqual([
    200, 200, 200, 200,
  ])
  await admin('DELETE', '/v1/keys/gone')
  clock.now += HOUR
  const refused = [
    [short, 'key "short" expired at 2023-11-14T23:13:20.000Z'],
    [rotated, 'key "rotated" was rotated: this secret counted until 2023-11-14T23:13:20.000Z'],
    [revoked, 'key "gone" was revoked at 2023-11-14T22:13:20.000Z'],
    [as('primo_read_guess'), 'the key is not known'],
  ] as const
  for (const [who, detail] of refused)
    expect(await ask(who)).toMatchObject({ status: 401, body: { code: 'unauthorized', detail } })
  expect((await ask(fresh)).status).toBe(200)
  for (const path of ['/v1/keys/gone/rotate', '/v1/keys/nobody/rotate'])
    expect((await admin('POST', path, {})).body.code).toBe(path.includes('gone') ? 'key-conflict' : 'unknown-key')
  expect((await admin('POST', '/v1/keys', { name: 'gone', role: 'read' })).body.code).toBe('key-conflict')
})

test('the name of who did it is in the record of every operation and of every definition', async () => {
  const { as, make, admin, service } = await withAdmin()
  const bob = as(await make({ name: 'bob', role: 'admin' }))
  await bob('PUT', '/v1/problems/p', smallProblem({ retention: { days: 5 } }))
  for (const operation of ['freeze', 'unfreeze']) await bob('POST', `/v1/problems/p/${operation}`, {})
  await bob('POST', '/v1/problems/p/rollback', { version: 0 })
  await bob('POST', '/v1/clock/confirm', {})
  await admin('DELETE', '/v1/problems/p')
  const { store } = service()
  const log = await store.readLog((await store.problem('p'))!.id, 0, 100)
  const bodies = log.map(({ body }) => JSON.parse(body) as OperationRecord & ProblemRecord)
  expect(bodies.map(({ operation = 'define', by }) => `${operation} by ${by}`)).toEqual([
    'define by ada',
    'define by bob',
    'freeze by bob',
    'unfreeze by bob',
    'rollback by bob',
    'confirm-clock by bob',
    'retire by ada',
  ])
})

test('keys of the configuration count beside those of the store, and have names', async () => {
  const service: Running = await running({ keys })
  await service.call('PUT', '/v1/problems/p', smallProblem(), bearer(secrets.admin.secret))
  const { store } = service.service()
  const [first] = await store.readLog((await store.problem('p'))!.id, 0, 1)
  expect((JSON.parse(first!.body) as ProblemRecord).by).toMatch(/^admin-[0-9a-f]{8}$/)
  const shop = { name: 'shop', role: 'read' }
  const made = await service.call<NewKeyReply>('POST', '/v1/keys', shop, bearer(secrets.admin.secret))
  expect(made.status).toBe(201)
  for (const secret of [made.body.secret, secrets.read.secret])
    expect((await service.call('GET', '/v1/problems', undefined, bearer(secret))).status).toBe(200)
})

describe('the limit of requests', () => {
  const LIMIT = 5

  test('counts by key, whatever its address, and callers without one by the client that a trusted proxy names', async () => {
    const { make, service } = await withAdmin({ rateLimit: LIMIT + 4, trustProxy: ['127.0.0.1'] })
    const secret = await make({ name: 'shop', role: 'read' })
    const ask = async (from: string, headers = {}) =>
      (
        await service().server.inject({
          method: 'GET',
          url: '/v1/problems',
          headers: { 'x-forwarded-for': from, ...headers },
        })
      ).statusCode
    const many = async (from: (k: number) => string, headers = {}) => {
      const all: number[] = []
      for (let k = 0; k < LIMIT + 6; k++) all.push(await ask(from(k), headers))
      return all.filter((status) => status === 429).length
    }
    expect(await many((k) => `10.0.0.${k}`, bearer(secret))).toBe(2)
    expect(await many(() => '10.0.1.1')).toBe(2)
    expect(await ask('10.0.1.2')).toBe(401)
  })

  test('does not believe who says for whom he calls', async () => {
    const { service } = await running({ rateLimit: LIMIT })
    const statuses: number[] = []
    for (let k = 0; k < LIMIT + 1; k++) {
      const headers = { 'x-forwarded-for': `10.0.0.${k}` }
      statuses.push((await service().server.inject({ method: 'GET', url: '/v1/problems', headers })).statusCode)
    }
    expect(statuses.at(-1)).toBe(429)
  })
})

/** Rotates and revokes each of many keys at once; the secrets that count in the store afterwards. */
async function raced(first: Service, second: Service, count: number): Promise<readonly string[]> {
  const secrets: string[] = []
  for (let k = 0; k < count; k++) {
    const name = `raced-${k}`
    const made = await first.keys.add({ name, role: 'admin', problems: null, expires: null })
    const revoking = first.keys.revoke(name)
    const [rotated] = await Promise.allSettled([second.keys.rotate(name, 0), revoking])
    await revoking
    secrets.push(made.secret, ...(rotated.status === 'fulfilled' ? [rotated.value.secret] : []))
  }
  const ring = await openKeyRing(first.store, [])
  ring.close()
  return secrets.filter((secret) => ring.held(secret).length > 0)
}

test('a key that is revoked while it is rotated stays revoked', async () => {
  const { service } = await running()
  expect(await raced(service(), service(), 60)).toEqual([])
})

test('replicas change the keys of the store as it has them', async (context) => {
  const store = await newDatabase(context, 'named_keys')
  const start = () => startService({ store, port: 0, logLevel: 'silent' })
  const [first, second] = [await start(), await start()]
  onTestFinished(async () => {
    await first.close()
    await second.close()
  })
  const { secret } = await first.keys.add({ name: 'ada', role: 'admin', problems: null, expires: null })
  const rotated = await second.keys.rotate('ada', 0)
  expect(second.keys.held(rotated.secret)).toMatchObject([{ name: 'ada' }])
  expect(second.keys.held(secret)).toEqual([])
  expect(await raced(first, second, 20)).toEqual([])
})
