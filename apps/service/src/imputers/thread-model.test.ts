// Models in files, which run in real threads: modules and ONNX.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DecisionReply } from '@primo/contract'
import { describe, expect, it } from 'vitest'
import { replayProblem } from '../../dist/index.js'
import { COLUMNS, PATIENT, problem, servedImputers } from './served-imputers.fixture.js'

const { files, service, define, decide } = await servedImputers()

describe('models in threads', () => {
  const limits = PATIENT

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

  it('a module that throws or gives nonsense fails for its row, and answers the next', async () => {
    const breaker = { failures: 100 }
    const name = await define({ kind: 'module', file: 'odd.js', limits: { ...limits, breaker } })
    const reasons = [/not at twenty/, /predicted NaN/, /outside 0 to 2/, /gave nothing/, /predicted an object/]
    for (const [k, reason] of reasons.entries()) {
      const use = await decide(name, 20 + k)
      expect(use).toMatchObject({ status: 'fallback', source: 'constant' })
      expect(use.reason).toMatch(reason)
    }
    expect((await decide(name, 40)).value).toBe(1)
  })

  it('a module that never ends is ended after its timeout, and a new thread answers the next', async () => {
    const name = await define({
      kind: 'module',
      file: 'odd.js',
      limits: { budget: 100, timeout: 200, breaker: { failures: 100 } },
    })
    expect((await decide(name, 25)).reason).toMatch(/did not answer within 100 ms/)
    // A busy machine may need more than one budget.
    await expect.poll(async () => (await decide(name, 40)).value, { timeout: 60_000 }).toBe(1)
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
      const reply = await service.ok<DecisionReply>('POST', `/v1/problems/${name}/decisions`, body)
      expect(reply.covariates.z).toMatchObject({ version: 'v1', fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) })
      if (z !== null) expect(reply.covariates.z!.pretrained).toBeGreaterThan(0)
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
    const again = await service.ok<{ change: string }>(
      'PUT',
      `/v1/problems/${name}`,
      problem({ ...imputer, limits: { budget: 1500 } }),
    )
    expect(again.change).toBe('updated')
  })
})
