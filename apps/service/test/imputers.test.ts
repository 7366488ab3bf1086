// Served imputers on the real service: protocols over real sockets, models in real threads, and everything they can do wrong.

import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProblemDefinition } from '@primo/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { replayProblem } from '../dist/index.js'
import { type Behaviour, type ModelServer, predicted, startModelServer } from './model-server.js'
import { type Running, running } from './running.js'

let service: Running
let server: ModelServer
const files = mkdtempSync(join(tmpdir(), 'primo-models-'))
const examples = join(import.meta.dirname, '../../../examples/models')
const COLUMNS = ['age', 'smoker', 'town=north', 'town=south', 'town=east']

beforeAll(async () => {
  for (const name of ['linear.onnx', 'trees.onnx', 'risk.onnx']) copyFileSync(join(examples, name), join(files, name))
  writeFileSync(join(files, 'one.js'), 'export const predict = ({ age }) => age / 100\n')
  writeFileSync(join(files, 'batch.js'), 'export const predictBatch = (rows) => rows.map(({ age }) => age / 100)\n')
  writeFileSync(
    join(files, 'typed.ts'),
    `import { hundredth } from './typed-part.ts'
    enum Unit { years = 1 }
    interface Patient { readonly age: number }
    export const predict = ({ age }: Patient): { value: number; sd: number } => ({ value: hundredth(age * Unit.years), sd: 0.1 })\n`,
  )
  writeFileSync(join(files, 'typed-part.ts'), 'export const hundredth = (n: number): number => n / 100\n')
  writeFileSync(join(files, 'wrong.ts'), 'export const predict = (: number) => 1\n')
  writeFileSync(
    join(files, 'quantiles.js'),
    `export const predict = ({ age }) => ({ quantiles: age === 90 ? { 0.1: 1, 0.9: 0 } : { 0.1: age / 100 - 0.2, 0.9: age / 100 + 0.2 } })\n`,
  )
  writeFileSync(join(files, 'nothing.js'), 'export const other = 1\n')
  writeFileSync(
    join(files, 'odd.js'),
    `export const predict = ({ age }) => {
      if (age === 20) throw new Error('not at twenty')
      if (age === 21) return Number.NaN
      if (age === 22) return 17
      if (age === 23) return undefined
      if (age === 24) return { half: 1 }
      if (age === 25) for (;;);
      return 1
    }\n`,
  )
  symlinkSync('/etc/passwd', join(files, 'outside.js'))
  process.env.PRIMO_TEST_KEY = 'a-secret'
  service = await running({ models: files })
  server = await startModelServer()
})
afterAll(async () => {
  await server.close()
  rmSync(files, { recursive: true, force: true })
})
beforeEach(() => {
  server.behave({ kind: 'well' })
  server.calls.length = 0
})

type Imputer = ProblemDefinition['covariates'][string]['imputer']
type Feature = ProblemDefinition['context'][string]

const alleles = { type: 'number', min: 0, max: 2 } as const
function problem(imputer: Imputer, covariate: Feature = alleles): ProblemDefinition {
  return {
    context: {
      age: { type: 'number', min: 18, max: 95 },
      smoker: { type: 'boolean' },
      town: { type: 'category', levels: ['north', 'south', 'east'] },
    },
    covariates: { z: { ...covariate, imputer } as ProblemDefinition['covariates'][string] },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
    learning: { profile: 'robust', seed: 1 },
  }
}
let names = 0
async function define(imputer: Imputer, covariate?: Feature): Promise<string> {
  const name = `p${++names}`
  await service.ok('PUT', `/v1/problems/${name}`, problem(imputer, covariate))
  return name
}
async function decide(name: string, age: number, z: unknown = null) {
  const body = { context: { age, smoker: false, town: 'east' }, covariates: { z } }
  return (await service.ok('POST', `/v1/problems/${name}/decisions`, body)).covariates.z
}
const http = (more: object = {}): Imputer => ({
  kind: 'http',
  url: `${server.url}/predict`,
  limits: { budget: 300, timeout: 400, breaker: { failures: 1000 } },
  ...more,
})
const llm = (more: object = {}): Imputer => ({
  kind: 'llm',
  url: `${server.url}/v1`,
  model: 'small',
  prompt: 'The patient has age {age}.',
  limits: { budget: 300, timeout: 400, breaker: { failures: 1000 } },
  ...more,
})

describe('http and llm', () => {
  const failures: [string, Behaviour, RegExp][] = [
    ['an error', { kind: 'status', status: 500 }, /the model answered 500/],
    ['silence', { kind: 'slow', milliseconds: 5000 }, /did not answer within 300 ms/],
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

  it('429 with Retry-After leaves the model alone for that long, and older answers stand in', async () => {
    const name = await define(http({ limits: { budget: 300, cache: { age: 0 } } }))
    expect((await decide(name, 40)).value).toBeCloseTo(predicted(40), 9)
    server.behave({ kind: 'status', status: 429, headers: { 'retry-after': '1' } })
    expect(await decide(name, 40)).toMatchObject({ source: 'cache', reason: expect.stringMatching(/429/) })
    server.behave({ kind: 'well' })
    const asked = server.calls.length
    const use = await decide(name, 41)
    expect(use).toMatchObject({ status: 'fallback', reason: expect.stringMatching(/left alone/) })
    expect(server.calls.length).toBe(asked)
    await new Promise((resolve) => setTimeout(resolve, 1050))
    expect((await decide(name, 41)).value).toBeCloseTo(predicted(41), 9)
  })

  it('keys come from the environment: the definition has only their names', async () => {
    const name = await define(http({ headers: { 'x-key': 'Token {env:PRIMO_TEST_KEY}' } }))
    await decide(name, 30)
    expect(server.calls[0]!.headers['x-key']).toBe('Token a-secret')
    const chat = await define(llm({ key: 'PRIMO_TEST_KEY' }))
    await decide(chat, 30)
    expect(server.calls.at(-1)!.headers.authorization).toBe('Bearer a-secret')
    const { text } = await service.call('GET', `/v1/problems/${chat}`)
    expect(text).toContain('PRIMO_TEST_KEY')
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
      limits: { budget: 1000, concurrency: 1 },
    })
    const ages = Array.from({ length: 30 }, (_, k) => 20 + k)
    const decisions = ages.map((age) => ({ context: { age, smoker: true, town: 'east' } }))
    const { results } = await service.ok('POST', `/v1/problems/${name}/decisions/batch`, { decisions })
    results.forEach((result: { covariates: { z: { value: number } } }, k: number) => {
      expect(result.covariates.z.value).toBeCloseTo(predicted(ages[k]!), 6)
    })
    expect(server.calls.length).toBeLessThan(4)
    expect(server.calls[0]!.body.inputs[0]).toMatchObject({ name: 'columns', shape: [1, 2], datatype: 'FP32' })
  })
})

describe('models in threads', () => {
  const limits = { budget: 2000, timeout: 2000 }

  it('a module may take one row or many', async () => {
    for (const file of ['one.js', 'batch.js'])
      expect((await decide(await define({ kind: 'module', file, limits }), 50)).value).toBeCloseTo(0.5, 9)
  })

  it('a module may be TypeScript, with imports of its own', async () => {
    const use = await decide(await define({ kind: 'module', file: 'typed.ts', limits }), 50)
    expect(use.value).toBeCloseTo(0.5, 9)
    expect(use.modelSd).toBeCloseTo(0.1, 9)
    const wrong = await service.call(
      'PUT',
      '/v1/problems/wrong-types',
      problem({ kind: 'module', file: 'wrong.ts', limits }),
    )
    expect(wrong.status).toBe(422)
    expect(wrong.body.detail).toMatch(/imputer\.file must be a model that can be used/)
  })

  it('a module may say how sure it is by quantiles, and must say them in order', async () => {
    const name = await define({ kind: 'module', file: 'quantiles.js', limits })
    const use = await decide(name, 50)
    expect(use.value).toBeCloseTo(0.5, 9)
    expect(use.modelSd).toBeCloseTo(0.2 / 1.2815515655446004, 9)
    expect(await decide(name, 90)).toMatchObject({ status: 'fallback', reason: 'predicted quantiles that fall' })
  })

  it('a module that throws, gives nonsense or never ends fails for its row, and answers the next', async () => {
    const name = await define({
      kind: 'module',
      file: 'odd.js',
      limits: { budget: 300, timeout: 400, breaker: { failures: 100 } },
    })
    const reasons = [/not at twenty/, /predicted NaN/, /outside 0 to 2/, /gave nothing/, /predicted an object/]
    for (const [k, reason] of reasons.entries()) {
      const use = await decide(name, 20 + k)
      expect(use).toMatchObject({ status: 'fallback', source: 'constant' })
      expect(use.reason).toMatch(reason)
    }
    expect((await decide(name, 25)).reason).toMatch(/did not answer within 300 ms/)
    // Its thread is ended after the timeout, and a new one started.
    await expect.poll(async () => (await decide(name, 40)).value, { timeout: 8000 }).toBe(1)
  })

  it('an onnx model with a second output gives its standard deviation, and a probability of a boolean', async () => {
    const imputer = {
      kind: 'onnx',
      file: 'risk.onnx',
      inputs: { columns: COLUMNS },
      output: 'carrier',
      sd: 'deviation',
      limits,
    }
    const use = await decide(await define(imputer, { type: 'boolean' }), 40)
    const carrier = 1 / (1 + Math.exp(-(0.2 - 0.4 - 0.2)))
    expect(use.value).toBeCloseTo(carrier, 6)
    expect(use.modelSd).toBeCloseTo(carrier / 10, 6)
  })

  it('predictions of observed values are logged for the calibration, and a replay asks no model', async () => {
    const name = await define({ kind: 'onnx', file: 'trees.onnx', inputs: { columns: COLUMNS }, limits, version: 'v1' })
    for (let k = 0; k < 60; k++) {
      const age = 20 + k
      const z = k % 2 === 0 ? Math.max(0, 1.2 - 0.01 * age) : null
      const body = { context: { age, smoker: false, town: 'east' }, covariates: { z } }
      const reply = await service.ok('POST', `/v1/problems/${name}/decisions`, body)
      expect(reply.covariates.z).toMatchObject({ version: 'v1', fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) })
      if (z !== null) expect(reply.covariates.z.pretrained).toBeGreaterThan(0)
      await service.ok('POST', `/v1/problems/${name}/decisions/${reply.decisionId}/reward`, {
        value: k % 3 === 0 ? 1 : 0,
      })
      if (k % 20 === 19) await service.learnt(name)
    }
    expect((await decide(name, 33)).source).toBe('calibrated')
    const { covariates } = await service.summary(name)
    expect(covariates.z!.rungs.calibrated).toBeGreaterThan(0)
    expect(covariates.z!.rungs.constant).toBeUndefined()
    expect((await replayProblem(service.service().store, name)).different).toEqual([])
    const metrics = await service.call('GET', '/metrics')
    expect(metrics.text).toMatch(
      new RegExp(`primo_imputer_rungs_total\\{problem="${name}",covariate="z",rung="calibrated"\\} \\d`),
    )
    expect(metrics.text).toMatch(/primo_imputer_call_seconds_count\{kind="onnx",result="answered"\} \d/)
  })

  it('a file that is not the one that was defined is not used until it is defined anew', async () => {
    writeFileSync(join(files, 'changing.js'), 'export const predict = () => 1\n')
    const imputer = { kind: 'module', file: 'changing.js', limits }
    const name = await define(imputer)
    const before = await decide(name, 40)
    writeFileSync(join(files, 'changing.js'), 'export const predict = () => 2\n')
    await service.restart()
    const use = await decide(name, 40)
    expect(use).toMatchObject({ status: 'fallback', reason: expect.stringMatching(/is not the file that was defined/) })
    const changed = await service.ok('PUT', `/v1/problems/${name}`, problem(imputer))
    expect(changed).toMatchObject({ change: 'recalibrated', version: 1 })
    const after = await decide(name, 40)
    expect(after.value).toBe(2)
    expect(after.fingerprint).not.toBe(before.fingerprint)
    const other = problem({ ...imputer, version: 'v2' })
    expect(await service.ok('PUT', `/v1/problems/${name}?version=new`, other)).toMatchObject({
      change: 'renewed',
      version: 2,
    })
    await service.ok('PUT', `/v1/problems/${name}`, problem(imputer))
    const again = await service.ok('PUT', `/v1/problems/${name}`, problem({ ...imputer, limits: { budget: 1500 } }))
    expect(again.change).toBe('updated')
  })
})

describe('another model of the same covariate', () => {
  /** Rounds whose truth is 0.5 + age/100 for smokers and non-smokers alike; every second one shows it. */
  async function train(name: string, rounds: number, from = 0) {
    for (let k = from; k < from + rounds; k++) {
      const age = 20 + ((7 * k) % 60)
      const z = k % 2 === 0 ? 0.5 + age / 100 : null
      const body = { context: { age, smoker: k % 3 === 0, town: 'east' }, covariates: { z } }
      const reply = await service.ok('POST', `/v1/problems/${name}/decisions`, body)
      const path = `/v1/problems/${name}/decisions/${reply.decisionId}/reward`
      await service.ok('POST', path, { value: (reply.action === 'a') === age > 50 ? 1 : 0 })
      if (k % 10 === 9) await service.learnt(name)
    }
  }
  const linear = (coefficient: number, version: string): Imputer => ({
    kind: 'linear',
    intercept: 0.2,
    coefficients: { age: coefficient },
    version,
  })

  it('keeps what was learnt of rewards, begins its calibration anew from itself, and says so', async () => {
    const name = await define(linear(0.01, 'old'))
    await train(name, 60)
    const before = await service.summary(name)
    expect(before.covariates.z!.model).toMatchObject({ version: 'old', since: 0 })
    expect(await decide(name, 40)).toMatchObject({
      source: 'calibrated',
      version: 'old',
      value: expect.closeTo(0.9, 1),
    })
    const changed = await service.ok('PUT', `/v1/problems/${name}`, problem(linear(0.002, 'new')))
    expect(changed).toMatchObject({ change: 'recalibrated', version: 1 })
    await service.learnt(name)
    const after = await service.summary(name)
    expect(after.decisions).toBe(61)
    expect(after.covariates.z!.model).toMatchObject({ version: 'new', since: 61 })
    expect(after.learning.learntVersion).toBeGreaterThan(before.learning.learntVersion)
    // It could be asked for the rounds so far, so it is calibrated at once.
    expect(await decide(name, 40)).toMatchObject({
      source: 'calibrated',
      version: 'new',
      value: expect.closeTo(0.9, 1),
    })
    const { epochs } = await service.ok('GET', `/v1/problems/${name}/epochs`)
    const { report } = epochs.at(-1)
    expect(report.covariates[0].model).toMatchObject({ version: 'new', since: 61 })
    expect(report.covariates[0].ladder.rows).toBe(30)
    expect(report.learnt).toBe(60)
    await train(name, 30, 60)
    expect((await replayProblem(service.service().store, name)).different).toEqual([])
  })

  it('that cannot be asked for old contexts leaves them to rewards, and is calibrated from its own rounds on', {
    timeout: 30_000,
  }, async () => {
    const name = await define(linear(0.01, 'old'))
    await train(name, 40)
    await service.ok(
      'PUT',
      `/v1/problems/${name}`,
      problem({ kind: 'module', file: 'one.js', limits: { budget: 2000 } }),
    )
    await service.learnt(name)
    const { epochs } = await service.ok('GET', `/v1/problems/${name}/epochs`)
    const last = epochs.at(-1).report
    expect(last).toMatchObject({ learnt: 40, reward: { sigma: expect.any(Number) } })
    expect(last.covariates[0]).toMatchObject({ ladder: null, model: { since: 40 } })
    // The policy knows rewards; the new model speaks for itself until it has been seen often enough.
    expect(await decide(name, 40)).toMatchObject({ source: 'pretrained', value: expect.closeTo(0.4, 9) })
    await train(name, 30, 41)
    const { report } = (await service.ok('GET', `/v1/problems/${name}/epochs`)).epochs.at(-1)
    expect(report.covariates[0].ladder.rows).toBeLessThanOrEqual(16)
    // 0.4 of its own, 0.5 added by some 15 rows against a ridge of 1.
    const use = await decide(name, 40)
    expect(use.source).toBe('calibrated')
    expect(Math.abs(use.value - 0.9)).toBeLessThan(0.15)
    await service.restart()
    // Threads of all these tests' models start at once.
    await expect.poll(async () => (await decide(name, 40)).source, { timeout: 20_000 }).toBe('calibrated')
    await train(name, 20, 72)
    expect((await replayProblem(service.service().store, name)).different).toEqual([])
  })
})

test('declared reasons reach the observation model, and a replay finds the same', async () => {
  const base = problem({ kind: 'constant', value: 1 })
  const reasons = { 'pipeline failure': 'random', withheld: 'context' } as const
  const definition = {
    ...base,
    covariates: { z: { ...base.covariates.z!, reasons } },
    learning: { profile: 'primo-cal', seed: 1 },
  }
  await service.ok('PUT', '/v1/problems/reasons', definition)
  for (let k = 0; k < 70; k++) {
    const age = 20 + ((7 * k) % 60)
    const why = k % 4 === 0 ? 'pipeline failure' : age > 60 && k % 3 > 0 ? 'withheld' : null
    const body = {
      context: { age, smoker: false, town: 'east' },
      covariates: { z: why === null ? 0.5 + age / 100 : null },
      ...(why === null ? {} : { missing: { z: why } }),
    }
    const reply = await service.ok('POST', '/v1/problems/reasons/decisions', body)
    await service.ok('POST', `/v1/problems/reasons/decisions/${reply.decisionId}/reward`, { value: k % 2 })
    if (k % 8 === 7) await service.learnt('reasons')
  }
  const { epochs } = await service.ok('GET', '/v1/problems/reasons/epochs')
  const [fold] = epochs.at(-1).report.covariates[0].calibration.folds
  expect(fold.observation).toMatchObject({ kind: 'causes', causes: [{ reason: 'withheld' }] })
  expect((await service.summary('reasons')).covariates.z!.reasons['pipeline failure']).toBe(18)
  expect((await replayProblem(service.service().store, 'reasons')).different).toEqual([])
})

test('the last rung: a value that cannot be had, and the baseline action is played instead of the policy', async () => {
  const base = problem(http({ limits: { budget: 200, timeout: 250, cache: { size: 0 } } }))
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
    return service.ok('POST', '/v1/problems/last-rung/decisions', body)
  }
  expect((await ask()).covariates.z.source).toBe('pretrained')
  server.behave({ kind: 'status', status: 500 })
  for (let k = 0; k < 4; k++) {
    const reply = await ask()
    expect(reply).toMatchObject({ action: 'b', propensity: 1 })
    expect(reply.covariates.z).toMatchObject({
      status: 'fallback',
      source: 'baseline',
      reason: expect.stringMatching(/500/),
    })
    expect(reply.ranking.map(({ propensity }: { propensity: number }) => propensity).sort()).toEqual([0, 1])
    expect(reply.holdout).toBeUndefined()
  }
  // Where the baseline is not eligible, and where the value is there, the policy decides.
  expect(await ask({ excluded: ['b'] })).toMatchObject({ action: 'a', covariates: { z: { source: 'constant' } } })
  expect((await ask({ covariates: { z: 1 } })).covariates.z.source).toBe('request')
  expect((await service.summary('last-rung')).covariates.z!.rungs).toMatchObject({
    pretrained: 1,
    baseline: 4,
    constant: 1,
  })
  const changed = { ...definition, covariates: { z: base.covariates.z! } }
  expect(await service.ok('PUT', '/v1/problems/last-rung', changed)).toMatchObject({ change: 'updated' })
  expect((await ask()).covariates.z.source).toBe('constant')
})

test('problems of data alone have no stage to pass', async () => {
  const name = await define({ kind: 'linear', intercept: 1, coefficients: { age: 0.001 } })
  expect((await service.service().host.problem(name)).imputers).toBeNull()
  expect((await decide(name, 40)).value).toBeCloseTo(1.04, 9)
})

test('a definition that cannot work is refused with its field and value', async () => {
  const cases: [Imputer, RegExp][] = [
    [{ kind: 'forest' }, /imputer\.kind must be one of .*onnx.*"forest"/],
    [{ kind: 'module', file: '../package.json' }, /file must be a file in the models folder/],
    [{ kind: 'module', file: 'outside.js' }, /file must be a file in the models folder/],
    [{ kind: 'module', file: 'absent.js' }, /file must be a file in the models folder/],
    [{ kind: 'module', file: 'nothing.js' }, /must export predict/],
    [{ kind: 'onnx', file: 'one.js', inputs: { columns: 'age' } }, /a model that can be used/],
    [{ kind: 'onnx', file: 'trees.onnx', inputs: { columns: ['age', 'smoker'] } }, /must have 5 columns, got 2/],
    [{ kind: 'onnx', file: 'trees.onnx', inputs: { features: COLUMNS } }, /the model's input "columns"/],
    [
      { kind: 'onnx', file: 'linear.onnx', inputs: { age: 'age', smoker: 'smoker', town: 'age' } },
      /town must be string/,
    ],
    [{ kind: 'onnx', file: 'trees.onnx', inputs: { columns: ['ages'] } }, /columns of the context.*"ages"/],
    [{ kind: 'onnx', file: 'trees.onnx', inputs: { columns: COLUMNS }, output: 'z' }, /\(alleles\), got \\?"z/],
    [{ kind: 'onnx', file: 'trees.onnx', input: {} }, /without fields other than.*"input"/],
    [{ kind: 'http', url: 'file:///etc/passwd' }, /url must be an http or https address/],
    [http({ request: { years: '{years}' } }), /request\.years must be a template over age.*"years"/],
    [http({ headers: { key: '{env:PRIMO_NOT_THERE}' } }), /an environment variable that the service has/],
    [http({ limits: { budget: 0 } }), /limits\.budget must be a whole number >= 1, got 0/],
    [http({ limits: { budjet: 1 } }), /limits must be without fields other than.*"budjet"/],
    [llm({ prompt: '{years}' }), /prompt must be a template over/],
    [llm({ key: 'PRIMO_NOT_THERE' }), /an environment variable that the service has/],
    [{ kind: 'ensemble', members: { a: http(), b: { kind: 'ensemble', members: {} } } }, /members\.b\.kind/],
    [{ kind: 'ensemble', members: { a: http() } }, /at least two imputers/],
  ]
  for (const [imputer, sentence] of cases) {
    const { status, body } = await service.call('PUT', '/v1/problems/refused', problem(imputer))
    expect([status, body.detail]).toEqual([422, expect.stringMatching(sentence)])
  }
})
