import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DecisionReply } from '@primo/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ModelServer, predicted, startModelServer } from '../../apps/service/src/imputers/model-server.fixture.js'
import { type Running, running } from '../../apps/service/src/running.fixture.js'
import { ensembleImputer } from './ensemble.js'
import { httpImputers } from './http.js'
import { llmImputer } from './llm.js'
import { moduleImputer } from './module.js'
import { onnxImputers } from './onnx.js'
import { pureKinds } from './pure-kinds.js'

let service: Running
let models: ModelServer
const folder = join(import.meta.dirname, '../models')

beforeAll(async () => {
  models = await startModelServer()
  service = await running({ models: folder, imputerHosts: [new URL(models.url).host] })
})
afterAll(() => models.close())
const url = () => service.service().url

it('the pure kinds predict as they say, with a fingerprint each', () => {
  const uses = pureKinds()
  const value = Object.fromEntries(Object.entries(uses).map(([kind, use]) => [kind, use.value]))
  expect(value.constant).toBeCloseTo(0.9, 9)
  expect(value.linear).toBeCloseTo(1.3 - 0.006 * 63 + 0.5 + 0.2, 9)
  expect(value.column).toBeCloseTo(1.25, 9)
  expect(value.table).toBeCloseTo(1.5, 9)
  expect(value.function).toBeCloseTo(1.3 - 0.006 * 63, 9)
  expect(value.ensemble).toBeCloseTo((1.3 - 0.006 * 63 + 1) / 2, 9)
  expect(uses.function!.version).toBe('spring')
  expect(new Set(Object.values(uses).map(({ fingerprint }) => fingerprint)).size).toBe(6)
})

it('the module example runs the user’s file in a thread', async () => {
  const use = await moduleImputer(url())
  expect(use).toMatchObject({ status: 'imputed', source: 'pretrained', version: '2026-11', modelSd: 0.3 })
  expect(use.value).toBeCloseTo(1.3 - 0.006 * 63 + 0.5, 9)
  expect(use.fingerprint).toMatch(/^[0-9a-f]{16}$/)
})

it('the onnx examples give what their producer predicts', async () => {
  const uses = await onnxImputers(url())
  const rows = JSON.parse(readFileSync(join(folder, 'predictions.json'), 'utf8'))
  for (const [name, use] of Object.entries(uses)) {
    expect(use).toMatchObject({ status: 'imputed', source: 'pretrained' })
    for (const row of rows.slice(0, 10)) {
      const body = { context: row.context }
      const { covariates } = await service.ok<DecisionReply>('POST', `/v1/problems/dose-by-${name}/decisions`, body)
      expect(Math.abs(Number(covariates.alleles!.value) - row[name])).toBeLessThan(1e-5)
    }
  }
})

it('the http and llm examples ask over real sockets', async () => {
  const { template, inference } = await httpImputers(url(), models.url)
  expect(template.reason).toBeUndefined()
  expect(template.value).toBeCloseTo(predicted(63), 6)
  expect(template.modelSd).toBe(0.3)
  // The first call tried the model when it was defined.
  expect(models.calls[0]!.body).toEqual({ age: 56.5, note: 'lives in the north' })
  expect(models.calls[1]!.body).toEqual({ age: 63, note: 'lives in the south' })
  expect(inference.value).toBeCloseTo(predicted(63), 6)
  const llm = await llmImputer(url(), models.url)
  expect(llm.value).toBeCloseTo(predicted(63), 6)
  const { body } = models.calls.at(-1)!
  expect(body).toMatchObject({ temperature: 0, model: 'any-small-model', response_format: { type: 'json_schema' } })
  expect(body.response_format.json_schema.schema.properties.value).toEqual({ type: 'number', minimum: 0, maximum: 2 })
})

it('the ensemble example comes to believe the models that know something', async () => {
  const epochs = await ensembleImputer(url(), models.url, service.learnt)
  type Report = { covariates: { ensemble?: { weights: Record<string, number> } }[] }
  const judged = epochs.map(({ report }) => (report as Report).covariates[0]?.ensemble)
  const weights = judged.findLast((one) => one !== undefined)!.weights
  expect(weights.trees).toBeGreaterThan(0.8)
  expect(weights.guess).toBeLessThan(0.1)
})
