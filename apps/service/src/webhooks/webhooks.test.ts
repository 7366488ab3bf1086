// Events of a real service at a real receiver, and a receiver that fails, hangs or redirects.

import type { ElasticityInfo } from '@primo/contract'
import { afterAll, expect, it, test, vi } from 'vitest'
import { readConfig, startService } from '../../dist/index.js'
import { startModelServer } from '../imputers/model-server.fixture.js'
import { problem as patients } from '../imputers/served-imputers.fixture.js'
import { problem, rounds } from '../learning/trained-problems.fixture.js'
import { running, temporaryFolder } from '../running.fixture.js'
import { cloudEvent, webhookHeaders } from './cloud-event.js'
import { createDelivery } from './delivery.js'
import { faultsOf, startReceiver } from './receiver.fixture.js'

vi.mock('node:dns', () => ({
  lookup: (_: string, __: unknown, done: (error: null, all: { address: string; family: number }[]) => void) =>
    done(null, [{ address: '127.0.0.1', family: 4 }]),
}))

const SECRET = 'a secret of the receiver'
const LONG = { timeout: 30_000, interval: 10 }
const receiver = await startReceiver(SECRET)
const model = await startModelServer()
afterAll(() => Promise.all([receiver.close(), model.close()]))

test('a service tells of policies, freezing, warnings, fits and models that fail and recover', async () => {
  const service = await running({
    webhook: [receiver.url],
    webhookSecret: SECRET,
    imputerHosts: [new URL(model.url).host],
  })
  const told = (type: string) => receiver.events.filter((event) => event.type === type)
  const heard = (type: string, count = 1) => expect.poll(() => told(type).length, LONG).toBe(count)
  await service.ok('PUT', '/v1/problems/p', problem())
  service.service().host.learner.failNext(2)
  await rounds(service, 'p', 25, 1)
  await rounds(service, 'p', 1, 2)
  await service.learnt('p')
  await heard('primo.fit.recovered')
  await heard('primo.policy.published')
  // Two failures in a row are told once.
  expect(told('primo.fit.failing')).toMatchObject([{ subject: 'p', data: { message: expect.any(String) } }])
  expect(told('primo.policy.published')).toMatchObject([{ subject: 'p', data: { policy: 1, before: 0 } }])
  const { warnings } = await service.ok<ElasticityInfo>('GET', '/v1/problems/p/elasticity')
  expect(warnings.length).toBeGreaterThan(0)
  await heard('primo.problem.warning', warnings.length)
  expect(told('primo.problem.warning').map(({ data }) => data)).toEqual(warnings)
  await service.ok('POST', '/v1/problems/p/freeze', {})
  await heard('primo.problem.frozen')
  await service.ok('POST', '/v1/problems/p/unfreeze', {})
  await heard('primo.problem.unfrozen')
  await rounds(service, 'p', 60, 3)
  await rounds(service, 'p', 1, 4)
  await service.learnt('p')
  const { learning } = await service.summary('p')
  await heard('primo.policy.published', learning.policyVersion)
  await service.ok('POST', '/v1/problems/p/rollback', { version: 1 })
  await heard('primo.policy.rolled-back')
  expect(told('primo.policy.rolled-back')[0]!.data).toMatchObject({ policy: 1, before: learning.policyVersion })

  const imputer = {
    kind: 'http',
    url: `${model.url}/predict`,
    limits: { cache: { age: 0 }, breaker: { failures: 1, pause: 1 } },
  }
  await service.ok('PUT', '/v1/problems/q', patients(imputer as Parameters<typeof patients>[0]))
  const decide = (age: number) =>
    service.ok('POST', '/v1/problems/q/decisions', {
      context: { age, smoker: false, town: 'east' },
      covariates: { z: null },
    })
  model.behave({ kind: 'status', status: 500 })
  await decide(40)
  await heard('primo.imputer.failing')
  expect(told('primo.imputer.failing')).toMatchObject([
    { subject: 'q', data: { kind: 'http', message: 'the model failed: the model answered 500' } },
  ])
  model.behave({ kind: 'well' })
  for (let age = 41; told('primo.imputer.recovered').length === 0 && age < 95; age++) {
    await decide(age)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await heard('primo.imputer.recovered')

  expect(receiver.faults).toEqual([])
  const { text } = await service.call('GET', '/metrics')
  expect(text).toContain(`primo_webhook_events_total{result="delivered"} ${receiver.events.length}`)
  expect(text).toContain('primo_webhook_events_total{result="dropped"} 0')
})

it('a service tells of a clock in doubt', async () => {
  let wall = Date.now()
  const service = await startService({
    store: `sqlite:${temporaryFolder()}/primo.db`,
    port: 0,
    logLevel: 'silent',
    webhook: [receiver.url],
    webhookSecret: SECRET,
    storeOptions: { wall: () => wall },
  })
  afterAll(service.close)
  await service.host.define('p', problem(), false)
  wall += 7 * 86_400_000
  await service.host.tick()
  const about = (type: string) => receiver.events.filter((event) => event.type === type)
  await expect
    .poll(() => about('primo.clock.held'), LONG)
    .toMatchObject([{ data: { message: expect.stringMatching(/the wall clock jumped/) } }])
  await service.host.confirmClock()
  await expect.poll(() => about('primo.clock.released').length, LONG).toBe(1)
  expect(about('primo.clock.held')[0]).not.toHaveProperty('subject')
})

/** A delivery by itself, with what became of its events. */
async function delivery(options: Partial<Parameters<typeof createDelivery>[1]> = {}) {
  const own = await startReceiver(SECRET)
  afterAll(own.close)
  const results: string[] = []
  const reasons: (string | undefined)[] = []
  const { send, close } = createDelivery(own.url, {
    secret: SECRET,
    pauses: [5, 10, 20],
    count: (result, why) => {
      results.push(result)
      reasons.push(why)
    },
    ...options,
  })
  afterAll(close)
  const event = (n: number) => cloudEvent('urn:primo:test', 'primo.test', 'p', { n })
  return { receiver: own, results, reasons, send, close, event }
}

it('an event that fails is repeated under its id until it is taken; those behind it keep their order', async () => {
  const { receiver: own, results, send, event } = await delivery({ pauses: Array.from({ length: 50 }, () => 10) })
  own.behave(503)
  for (const n of [1, 2, 3]) send(event(n))
  await expect.poll(() => own.attempts.length, LONG).toBeGreaterThan(2)
  expect(new Set(own.attempts).size).toBe(1)
  own.behave(204)
  // An event arrives before its answer does.
  await expect
    .poll(() => results.filter((result) => result !== 'failed'), LONG)
    .toEqual(['delivered', 'delivered', 'delivered'])
  expect(own.events.map(({ data }) => data.n)).toEqual([1, 2, 3])
  expect(own.faults).toEqual([])
})

it.each([
  ['fails', 500, 4],
  ['hangs up', 'hang-up', 4],
  ['is silent', 'silent', 4],
  ['refuses', 400, 1],
  ['sends it elsewhere', 302, 1],
] as const)('a receiver that %s gets so many attempts, then the event is dropped', async (_, behaviour, attempts) => {
  const { receiver: own, results, send, event } = await delivery({ timeout: behaviour === 'silent' ? 100 : 10_000 })
  own.behave(behaviour)
  send(event(1))
  await expect.poll(() => results.at(-1), LONG).toBe('dropped')
  if (behaviour !== 'silent') expect(own.attempts.length).toBe(attempts)
  expect(results).toEqual([...Array.from({ length: attempts - 1 }, () => 'failed'), 'dropped'])
})

it('a queue that is full drops what comes, at once; closing waits a moment for a silent receiver, no longer', async () => {
  const { receiver: own, results, reasons, send, close, event } = await delivery()
  own.behave('silent')
  const began = performance.now()
  for (let n = 0; n < 1010; n++) send(event(n))
  expect(performance.now() - began).toBeLessThan(1000)
  expect(results.length).toBe(10)
  expect(reasons[0]).toBe('the queue is full')
  await close()
  expect(performance.now() - began).toBeLessThan(9000)
  expect(own.events).toEqual([])
})

it('a name that stands for this machine is not called, whatever it stood for before', async () => {
  const own = await startReceiver(SECRET)
  afterAll(own.close)
  const address = own.url.replace('127.0.0.1', 'hooks.example')
  const reasons: string[] = []
  const { send, close } = createDelivery(address, {
    secret: null,
    pauses: [],
    count: (_, why) => void reasons.push(why ?? ''),
  })
  afterAll(close)
  send(cloudEvent('urn:primo:test', 'primo.test', null, {}))
  await expect
    .poll(() => reasons, LONG)
    .toEqual(['hooks.example stands for an address that --webhook must name itself'])
  expect(own.attempts).toEqual([])
})

test('the receiver finds what is wrong; a secret may be given as Standard Webhooks write it', () => {
  const event = cloudEvent('urn:primo:test', 'primo.test', 'p', { n: 1 })
  const body = JSON.stringify(event)
  const headers = webhookHeaders(event.id, body, SECRET)
  expect(faultsOf(headers, body, SECRET)).toEqual([])
  expect(faultsOf(headers, body, 'another')).toEqual(['webhook-signature'])
  expect(faultsOf(headers, body.replace('"n":1', '"n":2'), SECRET)).toEqual(['webhook-signature'])
  const encoded = webhookHeaders(event.id, body, `whsec_${Buffer.from(SECRET).toString('base64')}`)
  expect(faultsOf(encoded, body, SECRET)).toEqual([])
  const { type: _, ...untyped } = event
  const wrong = JSON.stringify({ ...untyped, Extra: 1 })
  expect(faultsOf(webhookHeaders(event.id, wrong, SECRET), wrong, SECRET)).toEqual(['type', 'unknown attribute Extra'])
  expect(webhookHeaders(event.id, body, null)).not.toHaveProperty('webhook-signature')
})

test('settings', () => {
  expect(readConfig({}).webhook).toEqual([])
  const { webhook, webhookSecret } = readConfig({ webhook: 'https://a/x,https://b/y' }, { PRIMO_WEBHOOK_SECRET: 's' })
  expect([webhook, webhookSecret]).toEqual([['https://a/x', 'https://b/y'], 's'])
  expect(() => readConfig({ webhook: 'ftp://a' })).toThrow(/webhook must be an address/)
})
