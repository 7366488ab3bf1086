// Models that are asked over real sockets, by every protocol, and everything that they can do wrong.

import type { DecisionReply } from '@primo/contract'
import { describe, expect, it, test } from 'vitest'
import { createEgress } from './egress.js'
import { postJson } from './http-model.js'
import { type Behaviour, predicted } from './model-server.fixture.js'
import { PATIENT, problem, servedImputers } from './served-imputers.fixture.js'

const { service, server, define, decide, http, llm } = await servedImputers()

describe('http and llm', () => {
  const failures: [string, Behaviour, RegExp][] = [
    ['an error', { kind: 'status', status: 500 }, /the model answered 500/],
    ['malformed JSON', { kind: 'text', text: '{"prediction": 1' }, /not JSON/],
    ['NaN', { kind: 'value', value: 'NaN' }, /predicted "NaN"/],
    ['null', { kind: 'value', value: null }, /nothing at prediction|no value/],
    ['what is out of range', { kind: 'value', value: 2.5 }, /outside 0 to 2/],
    ['a list', { kind: 'value', value: [1] }, /predicted an array/],
    ['a broken connection', { kind: 'hang-up' }, /the model failed/],
  ]
  it.each(failures)('%s is a failure: the decision falls back and says why', async (_, behaviour, reason) => {
    for (const name of [await define(http()), await define(llm())]) {
      server.behave(behaviour)
      // Models that are defined alike are one: each case asks for a patient of its own.
      const age = 40 + failures.findIndex(([, one]) => one === behaviour)
      const use = await decide(name, age)
      expect(use).toMatchObject({ status: 'fallback', source: 'constant', value: 1 })
      expect(use.reason).toMatch(reason)
      server.behave({ kind: 'well' })
      // The first patient's call may still be under way.
      expect(await decide(name, age + 20)).toMatchObject({ status: 'imputed', source: 'pretrained' })
    }
  })

  it('silence is a failure: the decision waits for its budget, and the next patient is not held up by it', async () => {
    const limits = { budget: 100, timeout: 60_000, breaker: { failures: 1000 } }
    for (const name of [await define(http({ limits })), await define(llm({ limits }))]) {
      server.behave({ kind: 'silent' })
      expect(await decide(name, 40)).toMatchObject({
        status: 'fallback',
        source: 'constant',
        value: 1,
        reason: 'the model did not answer within 100 ms',
      })
      server.behave({ kind: 'well' })
      // A busy machine may need more than one budget.
      await expect.poll(async () => (await decide(name, 60)).source, { timeout: 60_000 }).toBe('pretrained')
    }
  })

  it('429 with Retry-After leaves the model alone for that long, and older answers stand in', async () => {
    const name = await define(http({ limits: { ...PATIENT, cache: { age: 0 } } }))
    expect((await decide(name, 40)).value).toBeCloseTo(predicted(40), 9)
    server.behave({ kind: 'status', status: 429, headers: { 'retry-after': '300' } })
    expect(await decide(name, 40)).toMatchObject({ source: 'cache', reason: expect.stringMatching(/429/) })
    server.behave({ kind: 'well' })
    const asked = server.calls.length
    const use = await decide(name, 41)
    expect(use).toMatchObject({ status: 'fallback', reason: expect.stringMatching(/left alone/) })
    expect(server.calls.length).toBe(asked)
  })

  it.each([
    [429, '7', 7000],
    [429, undefined, 1000],
    [503, '0.5', 500],
    [503, '86400', 600_000],
  ])('%d with Retry-After %s asks for patience of %d ms', async (status, after, pause) => {
    server.behave({ kind: 'status', status, headers: after === undefined ? {} : { 'retry-after': after } })
    const url = `${server.url}/predict`
    const asked = postJson(url, { age: 40 }, {}, AbortSignal.timeout(60_000), createEgress('any'))
    await expect(asked).rejects.toMatchObject({ name: 'ModelBusy', pause })
  })

  it('keys come from the environment: the definition has only their names', async () => {
    const name = await define(http({ headers: { 'x-key': 'Token {env:PRIMO_IMPUTER_TEST_KEY}' } }))
    await decide(name, 30)
    expect(server.calls[0]!.headers['x-key']).toBe('Token a-secret')
    const chat = await define(llm({ key: 'PRIMO_IMPUTER_TEST_KEY' }))
    await decide(chat, 30)
    expect(server.calls.at(-1)!.headers.authorization).toBe('Bearer a-secret')
    const { text } = await service.call('GET', `/v1/problems/${chat}`)
    expect(text).toContain('PRIMO_IMPUTER_TEST_KEY')
    expect(text).not.toContain('a-secret')
  })

  it('quantiles of an answer become a value and its standard deviation', async () => {
    const quantiles = { '0.1': 'spread.low', '0.9': 'spread.high' }
    const sd = 0.1 / 1.2815515655446004
    const beside = await decide(await define(http({ quantiles })), 30)
    expect(beside).toMatchObject({ value: predicted(30), modelSd: expect.closeTo(sd, 9) })
    const alone = await decide(await define(http({ response: 'nothing', quantiles })), 30)
    expect(alone).toMatchObject({ value: expect.closeTo(predicted(30), 9), modelSd: expect.closeTo(sd, 9) })
    const bad = problem(http({ quantiles: { '0.1': 'spread.low', '1.9': 'spread.high' } }))
    expect((await service.call('PUT', '/v1/problems/bad-levels', bad)).body.detail).toMatch(
      /levels between 0 and 1, got "1.9"/,
    )
  })

  it('a category comes back as one of its levels', async () => {
    const name = await define(llm(), { type: 'category', levels: ['old', 'young'] })
    expect((await decide(name, 30)).value).toEqual({ old: 0, young: 1 })
    expect(server.calls[0]!.body.response_format.json_schema.schema.properties.value.enum).toEqual(['old', 'young'])
  })

  it('requests of a batch go to an inference server together', async () => {
    const name = await define({
      kind: 'http',
      preset: 'open-inference-v2',
      url: server.url,
      model: 'alleles',
      inputs: { columns: ['age', 'town=east'] },
      limits: { ...PATIENT, concurrency: 1 },
    })
    const ages = Array.from({ length: 30 }, (_, k) => 20 + k)
    const decisions = ages.map((age) => ({ context: { age, smoker: true, town: 'east' } }))
    const { results } = await service.ok<{ results: DecisionReply[] }>('POST', `/v1/problems/${name}/decisions/batch`, {
      decisions,
    })
    results.forEach(({ covariates }, k) => {
      expect(covariates.z!.value).toBeCloseTo(predicted(ages[k]!), 6)
    })
    expect(server.calls.length).toBeLessThan(4)
    expect(server.calls[0]!.body.inputs[0]).toMatchObject({ name: 'columns', shape: [1, 2], datatype: 'FP32' })
  })
})

test('the last rung: a value that cannot be had, and the baseline action is played instead of the policy', async () => {
  const base = problem(http({ limits: { ...PATIENT, cache: { size: 0 } } }))
  const definition = {
    ...base,
    covariates: { z: { ...base.covariates.z!, fallback: 'baseline' } },
    guards: { baseline: 'b', holdout: 0.5 },
  }
  const alone = { ...definition, guards: {} }
  expect((await service.call('PUT', '/v1/problems/last-rung', alone)).body.detail).toMatch(
    /covariates\.z\.fallback must be "constant" unless guards\.baseline is given, got "baseline"/,
  )
  await service.ok('PUT', '/v1/problems/last-rung', definition)
  const ask = (more: object = {}) => {
    const body = { context: { age: 30, smoker: false, town: 'east' }, ...more }
    return service.ok<DecisionReply>('POST', '/v1/problems/last-rung/decisions', body)
  }
  expect((await ask()).covariates.z!.source).toBe('pretrained')
  server.behave({ kind: 'status', status: 500 })
  for (let k = 0; k < 4; k++) {
    const reply = await ask()
    expect(reply).toMatchObject({ action: 'b', propensity: 1 })
    expect(reply.covariates.z).toMatchObject({
      status: 'fallback',
      source: 'baseline',
      reason: expect.stringMatching(/500/),
    })
    expect(reply.ranking.map(({ propensity }) => propensity).sort()).toEqual([0, 1])
    expect(reply.holdout).toBeUndefined()
  }
  // Where the baseline is not eligible, and where the value is there, the policy decides.
  expect(await ask({ excluded: ['b'] })).toMatchObject({ action: 'a', covariates: { z: { source: 'constant' } } })
  expect((await ask({ covariates: { z: 1 } })).covariates.z!.source).toBe('request')
  expect((await service.summary('last-rung')).covariates.z!.rungs).toMatchObject({
    pretrained: 1,
    baseline: 4,
    constant: 1,
  })
  const changed = { ...definition, covariates: { z: base.covariates.z! } }
  expect(await service.ok('PUT', '/v1/problems/last-rung', changed)).toMatchObject({ change: 'updated' })
  expect((await ask()).covariates.z!.source).toBe('constant')
})
