// Imputers as they are defined: another model in the place of one, reasons of missing values, and what is refused.

import type { DecisionReply, Epochs } from '@primo/contract'
import type { EpochState } from '@primo/core/engine'
import { describe, expect, it, test } from 'vitest'
import { replayProblem } from '../../dist/index.js'
import { COLUMNS, type Imputer, PATIENT, problem, servedImputers } from './served-imputers.fixture.js'

const { service, define, decide, http, llm } = await servedImputers()

/** What the newest end of an epoch says of itself. */
async function newestReport(name: string): Promise<EpochState['reports'][number]> {
  const { epochs } = await service.ok<Epochs>('GET', `/v1/problems/${name}/epochs`)
  return epochs.at(-1)!.report as EpochState['reports'][number]
}

describe('another model of the same covariate', () => {
  /** Rounds whose truth is 0.5 + age/100 for smokers and non-smokers alike; every second one shows it. */
  async function train(name: string, rounds: number, from = 0) {
    for (let k = from; k < from + rounds; k++) {
      const age = 20 + ((7 * k) % 60)
      const z = k % 2 === 0 ? 0.5 + age / 100 : null
      const body = { context: { age, smoker: k % 3 === 0, town: 'east' }, covariates: { z } }
      const reply = await service.ok<DecisionReply>('POST', `/v1/problems/${name}/decisions`, body)
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
    const report = await newestReport(name)
    expect(report.covariates[0]!.model).toMatchObject({ version: 'new', since: 61 })
    expect(report.learnt).toBe(60)
    await train(name, 30, 60)
    expect((await replayProblem(service.service().store, name)).different).toEqual([])
  })

  it('that cannot be asked for old contexts leaves them to rewards, and is calibrated from its own rounds on', async () => {
    const name = await define(linear(0.01, 'old'))
    await train(name, 40)
    await service.ok('PUT', `/v1/problems/${name}`, problem({ kind: 'module', file: 'one.js', limits: PATIENT }))
    await service.learnt(name)
    const last = await newestReport(name)
    expect(last).toMatchObject({ learnt: 40, reward: { sigma: expect.any(Number) } })
    expect(last.covariates[0]).toMatchObject({ model: { since: 40 } })
    // The policy knows rewards; the new model speaks for itself until it has been seen often enough.
    expect(await decide(name, 40)).toMatchObject({ source: 'pretrained', value: expect.closeTo(0.4, 9) })
    await train(name, 30, 41)
    // 0.4 of its own, 0.5 added by some 15 rows against a ridge of 1.
    const use = await decide(name, 40)
    expect(use.source).toBe('calibrated')
    expect(Math.abs(Number(use.value) - 0.9)).toBeLessThan(0.15)
    await service.restart()
    // The thread of its model starts anew.
    expect((await decide(name, 40)).source).toBe('calibrated')
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
    const reply = await service.ok<DecisionReply>('POST', '/v1/problems/reasons/decisions', body)
    await service.ok('POST', `/v1/problems/reasons/decisions/${reply.decisionId}/reward`, { value: k % 2 })
    if (k % 8 === 7) await service.learnt('reasons')
  }
  const [fold] = (await newestReport('reasons')).covariates[0]!.calibration!.folds
  expect(fold!.observation).toMatchObject({ kind: 'causes', causes: [{ reason: 'withheld' }] })
  expect((await service.summary('reasons')).covariates.z!.reasons['pipeline failure']).toBe(18)
  expect((await replayProblem(service.service().store, 'reasons')).different).toEqual([])
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
    [{ kind: 'onnx', file: 'trees.onnx', input: {} }, /only the fields .*"input"/],
    [{ kind: 'http', url: 'file:///etc/passwd' }, /url must be an http or https address/],
    [http({ request: { years: '{years}' } }), /request\.years must be a template over age.*"years"/],
    [
      http({ headers: { key: '{env:PRIMO_NOT_THERE}' } }),
      /an environment variable of the service that begins with PRIMO_IMPUTER_/,
    ],
    [http({ limits: { budget: 0 } }), /limits\.budget must be a whole number >= 1, got 0/],
    [http({ limits: { budjet: 1 } }), /limits must have only the fields .*"budjet" \(did you mean "budget"/],
    [llm({ prompt: '{years}' }), /prompt must be a template over/],
    [llm({ key: 'PRIMO_NOT_THERE' }), /an environment variable of the service that begins with PRIMO_IMPUTER_/],
    [{ kind: 'ensemble', members: { a: http(), b: { kind: 'ensemble', members: {} } } }, /members\.b\.kind/],
    [{ kind: 'ensemble', members: { a: http() } }, /at least two imputers/],
  ]
  for (const [imputer, sentence] of cases) {
    const { status, body } = await service.call('PUT', '/v1/problems/refused', problem(imputer))
    expect([status, body.detail]).toEqual([422, expect.stringMatching(sentence)])
  }
})
