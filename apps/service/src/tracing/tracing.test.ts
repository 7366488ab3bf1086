// Traces of a real service, taken by a collector that checks the protocol; what models are told of them; and a collector that fails.

import type { DecisionReply } from '@primo/contract'
import { afterAll, beforeEach, expect, it, test } from 'vitest'
import { readConfig } from '../../dist/index.js'
import { startModelServer } from '../imputers/model-server.fixture.js'
import { PATIENT, problem as patients } from '../imputers/served-imputers.fixture.js'
import { problem, rounds } from '../learning/trained-problems.fixture.js'
import { running } from '../running.fixture.js'
import { startCollector } from './collector.fixture.js'
import { otlpSettings } from './otlp-settings.js'
import { isInRatio, newId, readTraceparent } from './traceparent.js'

const collector = await startCollector()
const model = await startModelServer()
afterAll(() => Promise.all([collector.close(), model.close()]))
const options = { otlp: collector.url, imputerHosts: [new URL(model.url).host] }
const service = await running(options)
const LONG = { timeout: 30_000, interval: 20 }

const limits = { ...PATIENT, breaker: { failures: 1000 } }
const models = {
  http: { kind: 'http', url: `${model.url}/predict`, limits },
  llm: { kind: 'llm', url: `${model.url}/v1`, model: 'small', prompt: 'The patient has age {age}.', limits },
} as const
for (const [name, imputer] of Object.entries(models)) await service.ok('PUT', `/v1/problems/${name}`, patients(imputer))

let age = 20
/** Each decision is for another patient, whom no model remembers. */
const decide = (name: string, headers: Record<string, string> = {}, own = service) =>
  own.call<DecisionReply>(
    'POST',
    `/v1/problems/${name}/decisions`,
    { eventId: `e${age}`, context: { age: age++, smoker: false, town: 'east' }, covariates: { z: null } },
    headers,
  )
const spansOf = async (traceId: string, count: number) => {
  await expect.poll(() => collector.spans.filter((span) => span.traceId === traceId).length, LONG).toBe(count)
  return collector.spans.filter((span) => span.traceId === traceId)
}

beforeEach(() => {
  collector.behave(200)
  model.calls.length = 0
})

it.each(['http', 'llm'])(
  'goes on with a trace that its caller keeps, and the %s model can go on with ours',
  async (kind) => {
    const [traceId, parent] = [newId(16), newId(8)]
    const headers = { traceparent: `00-${traceId}-${parent}-01`, tracestate: 'shop=1' }
    const { body } = await decide(kind, headers)
    const spans = await spansOf(traceId, 3)
    const [decided, imputed, committed] = ['decide', 'impute', 'commit'].map(
      (name) => spans.find((one) => one.name === name)!,
    )
    expect(decided).toMatchObject({
      parentSpanId: parent,
      traceState: 'shop=1',
      kind: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/problems/:problem/decisions',
        'http.response.status_code': '200',
        'feature_flag.key': kind,
        'feature_flag.provider.name': 'primo',
        'feature_flag.result.variant': body.action,
        'feature_flag.result.reason': 'split',
        'feature_flag.version': '0',
        'primo.decision.id': body.decisionId,
        'primo.decisions': '1',
      },
    })
    for (const child of [imputed!, committed!]) {
      expect(child).toMatchObject({ parentSpanId: decided!.spanId, kind: 1 })
      expect(BigInt(child.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(decided!.startTimeUnixNano))
      expect(BigInt(child.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(decided!.endTimeUnixNano))
    }
    expect(BigInt(imputed!.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(committed!.startTimeUnixNano))
    expect(model.calls.map((call) => call.headers)).toMatchObject([
      { traceparent: `00-${traceId}-${imputed!.spanId}-01`, tracestate: 'shop=1' },
    ])
    expect(collector.calls.at(-1)).toMatchObject({ path: '/v1/traces', resource: { 'service.name': 'primo' } })
  },
)

it('a trace that its caller does not keep is passed on and not kept', async () => {
  const [traceId, parent] = [newId(16), newId(8)]
  const traceparent = `00-${traceId}-${parent}-00`
  await decide('http', { traceparent })
  expect(model.calls.map(({ headers }) => headers.traceparent)).toEqual([traceparent])
  const after = newId(16)
  await decide('http', { traceparent: `00-${after}-${parent}-01` })
  await spansOf(after, 3)
  expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([])
})

it('a batch, a repeated event and a refused call say so', async () => {
  const ids = [newId(16), newId(16), newId(16)]
  const headers = (k: number) => ({ traceparent: `00-${ids[k]}-${newId(8)}-01` })
  const body = { eventId: 'twice', context: { age: 30, smoker: false, town: 'east' }, covariates: { z: 1 } }
  await service.call(
    'POST',
    '/v1/problems/http/decisions/batch',
    { decisions: [body, { ...body, eventId: 'x' }] },
    headers(0),
  )
  await service.call('POST', '/v1/problems/http/decisions', body, headers(1))
  await service.call('POST', '/v1/problems/none/decisions', body, headers(2))
  const roots = await Promise.all(
    ids.map(async (id, k) => (await spansOf(id, [3, 3, 1][k]!)).find(({ name }) => name === 'decide')!.attributes),
  )
  expect(roots[0]).toMatchObject({ 'primo.decisions': '2', 'http.route': '/v1/problems/:problem/decisions/batch' })
  expect(roots[0]).not.toHaveProperty('feature_flag.result.variant')
  expect(roots[1]).toMatchObject({ 'feature_flag.result.reason': 'cached' })
  expect(roots[2]).toMatchObject({ 'http.response.status_code': '404' })
})

it('a fit is a trace of its own, also one that fails', async () => {
  await service.ok('PUT', '/v1/problems/p', problem())
  service.service().host.learner.failNext(1)
  await rounds(service, 'p', 25, 1)
  await rounds(service, 'p', 1, 2)
  await service.learnt('p')
  const fits = () => collector.spans.filter(({ name }) => name === 'fit')
  await expect.poll(() => fits().length, LONG).toBe(2)
  expect(fits().map(({ status }) => status?.code)).toEqual([2, undefined])
  for (const { attributes, parentSpanId, startTimeUnixNano, endTimeUnixNano } of fits()) {
    expect(parentSpanId).toBe(undefined)
    expect(attributes).toMatchObject({ 'feature_flag.key': 'p' })
    expect(BigInt(endTimeUnixNano)).toBeGreaterThan(BigInt(startTimeUnixNano))
  }
})

it('where no caller says, the ratio does; without a collector no model hears of a trace', async () => {
  const none = await running({ ...options, traceRatio: 0 })
  await none.ok('PUT', '/v1/problems/http', patients(models.http))
  const before = collector.spans.length
  await decide('http', {}, none)
  expect(model.calls.at(-1)!.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  await none.close()
  expect(collector.spans.length).toBe(before)
  const off = await running({ ...options, otlp: null })
  await off.ok('PUT', '/v1/problems/http', patients(models.http))
  await decide('http', { traceparent: `00-${newId(16)}-${newId(8)}-01` }, off)
  expect(model.calls.at(-1)!.headers.traceparent).toBe(undefined)
})

it('a collector that is busy is tried again; one that is silent holds up neither decisions nor the end', async () => {
  const own = await running(options)
  await own.ok('PUT', '/v1/problems/http', patients(models.http))
  const dropped = async () =>
    Number(/primo_spans_total\{result="dropped"\} (\d+)/.exec((await own.call('GET', '/metrics')).text)![1])
  collector.behave(503)
  const first = newId(16)
  const calls = collector.calls.length
  await decide('http', { traceparent: `00-${first}-${newId(8)}-01` }, own)
  await expect.poll(() => collector.calls.length, LONG).toBeGreaterThan(calls)
  collector.behave(200)
  await spansOf(first, 3)
  expect(await dropped()).toBe(0)
  collector.behave(400)
  await decide('http', {}, own)
  await expect.poll(dropped, LONG).toBe(3)
  collector.behave('silent')
  expect((await decide('http', {}, own)).status).toBe(200)
  const began = performance.now()
  await own.close()
  expect(performance.now() - began).toBeLessThan(9500)
})

it('the collector has found no fault, and finds those that are there', () => {
  expect(collector.faults).toEqual([])
  const span = {
    traceId: newId(16),
    spanId: newId(8),
    name: 'x',
    kind: 1,
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000000000000001',
  }
  const sent = (one: object) => ({ resourceSpans: [{ resource: {}, scopeSpans: [{ spans: [one] }] }] })
  expect(collector.check(sent(span))).toEqual([])
  for (const wrong of [
    { ...span, trace_id: span.traceId },
    { ...span, spanId: span.traceId },
    { ...span, kind: 'SERVER' },
    { ...span, startTimeUnixNano: 1.7e18 },
    { ...span, attributes: [{ key: 'a', value: { intValue: 1 } }] },
    {
      ...span,
      attributes: [
        { key: 'a', value: { stringValue: '' } },
        { key: 'a', value: { stringValue: '' } },
      ],
    },
  ])
    expect(collector.check(sent(wrong)).length).toBe(1)
})

test('traceparent is read as the standard says', () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const read = (header: unknown) => readTraceparent(header)?.sampled
  expect(readTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, sampled: true, state: '' })
  expect(read(`00-${traceId}-${spanId}-00`)).toBe(false)
  expect(read(`00-${traceId}-${spanId}-03`)).toBe(true)
  expect(read(`cc-${traceId}-${spanId}-01-what-the-future-brings`)).toBe(true)
  for (const wrong of [
    undefined,
    '',
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ])
    expect(readTraceparent(wrong)).toBe(null)
})

test('a ratio keeps that share of traces: four standard errors, a false alarm in 10,000 runs', () => {
  const count = 20_000
  const ids = Array.from({ length: count }, () => newId(16))
  for (const ratio of [0, 0.1, 0.5, 1]) {
    const kept = ids.filter((id) => isInRatio(id, ratio)).length
    expect(Math.abs(kept - ratio * count)).toBeLessThanOrEqual(4 * Math.sqrt(count * ratio * (1 - ratio)))
  }
})

test('settings: ours, and the variables of OpenTelemetry', () => {
  const otlp = (flags: Record<string, string>, environment: Record<string, string> = {}) =>
    readConfig(flags, environment).otlp
  expect(otlp({})).toBe(null)
  expect(otlp({}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' })).toBe('http://c:4318')
  expect(otlp({ otlp: 'http://d:4318' }, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' })).toBe('http://d:4318')
  expect(readConfig({}, { OTEL_TRACES_SAMPLER_ARG: '0.25' }).traceRatio).toBe(0.25)
  expect(() => otlp({ otlp: 'c:4318' })).toThrow(/otlp must be an address/)
  expect(() => readConfig({ traceRatio: '2' })).toThrow(/traceRatio must be a number from 0 to 1/)
  const environment = {
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc=, x-team = shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_SERVICE_NAME: 'dosing',
  }
  expect(otlpSettings('http://c:4318/base/', '1.0.0', environment)).toMatchObject({
    url: 'http://c:4318/base/v1/traces',
    headers: { authorization: 'Basic abc=', 'x-team': 'shop' },
    resource: { 'service.name': 'dosing', 'service.version': '1.0.0', 'deployment.environment.name': 'test' },
  })
  expect(otlpSettings('http://c:4318/v1/traces', '1', {}).url).toBe('http://c:4318/v1/traces')
})
