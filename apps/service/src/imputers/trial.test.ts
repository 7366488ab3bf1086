// Imputers are tried when a problem is defined, presets speak what servers publish, and failures are counted by reason.

import type { DecisionReply, DefinitionPlan } from '@primo/contract'
import { afterAll, describe, expect, it, test } from 'vitest'
import { running } from '../running.fixture.js'
import { modelFolder } from './model-files.fixture.js'
import { predicted } from './model-server.fixture.js'
import { publishedServers } from './published-servers.fixture.js'
import { type Imputer, PATIENT, patients } from './served-imputers.fixture.js'

const server = await publishedServers()
afterAll(() => server.close())
const host = new URL(server.url).host
const service = await running({ models: modelFolder(), imputerHosts: [host, '127.0.0.1:9'] })
const { call, ok } = service

const mlflow: Imputer = { kind: 'http', preset: 'mlflow', url: server.url, limits: PATIENT }
const tensors: Imputer = {
  kind: 'http',
  preset: 'open-inference-v2',
  url: server.url,
  model: 'alleles',
  datatype: 'FP64',
  inputs: { numbers: ['age', 'smoker'], town: 'town' },
  output: 'alleles',
  limits: PATIENT,
}
type Put = { readonly change?: string; readonly warnings: readonly string[]; readonly detail?: string }
const put = (name: string, imputer: Imputer, query = '') =>
  call<Put>('PUT', `/v1/problems/${name}${query}`, patients(imputer))

describe('a preset', () => {
  const presets: [string, Imputer][] = [
    ['mlflow', mlflow],
    [
      'mlflow with named outputs',
      { ...mlflow, url: `${server.url}/records/invocations`, output: 'alleles', sd: 'spread' },
    ],
    ['mlflow with columns of its own', { ...mlflow, inputs: { age: 'age', smoker: 'smoker', town: 'town' } }],
    ['open-inference-v2', tensors],
  ]
  it.each(presets)('%s asks as its server wants to be asked, row by row and together', async (name, imputer) => {
    const problem = name.replaceAll(' ', '-')
    expect((await put(problem, imputer)).body).toMatchObject({ change: 'created', warnings: [] })
    const ages = Array.from({ length: 30 }, (_, k) => 20 + k)
    const decisions = ages.map((age) => ({ context: { age, smoker: true, town: 'east' } }))
    const before = server.requests()
    const { results } = await ok<{ results: DecisionReply[] }>('POST', `/v1/problems/${problem}/decisions/batch`, {
      decisions,
    })
    results.forEach(({ covariates }, k) => {
      expect(covariates.z!.value).toBeCloseTo(predicted(ages[k]!), 9)
    })
    expect(server.requests() - before).toBeLessThan(20)
    if ('sd' in imputer) expect(results[0]!.covariates.z!.modelSd).toBeCloseTo(0.3, 12)
  })

  it('has its fields checked', async () => {
    for (const [imputer, sentence] of [
      [{ ...mlflow, preset: 'mlfow' }, 'preset must be "open-inference-v2" or "mlflow", got "mlfow"'],
      [{ ...mlflow, model: 'm' }, 'model must be absent with preset "mlflow", got "m"'],
      [{ ...tensors, datatype: 'float' }, 'datatype must be one of FP32, FP64, INT32, INT64, got "float"'],
    ] as [Imputer, string][])
      expect(await put('wrong', imputer)).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining(sentence) },
      })
  })
})

describe('an imputer is tried when it is defined', () => {
  const url = `${server.url}/invocations`
  const request = { dataframe_split: { columns: ['age', 'smoker', 'town'], data: [['{age}', '{smoker}', '{town}']] } }
  const plain: Imputer = { kind: 'http', url, request, response: 'predictions.0' }
  const wrong: [string, Imputer, string][] = [
    ['a wrong response path', { ...plain, response: 'prediction' }, 'the answer has nothing at prediction'],
    ['an address without a model', { ...plain, url: `${server.url}/nothing` }, 'the model answered 404'],
    [
      'an address that nobody listens at',
      { ...plain, url: 'http://127.0.0.1:9/' },
      'the model failed: connect ECONNREFUSED',
    ],
    ['inputs that the model does not take', { ...tensors, datatype: 'FP32' }, 'the model answered 400'],
  ]
  it.each(wrong)('%s is said in the reply, or refused', async (name, imputer, sentence) => {
    const problem = name.replaceAll(' ', '-')
    const said = expect.stringMatching(
      /^covariates\.z\.imputer failed for \{"age":56\.5,"smoker":false,"town":"north"\}: /,
    )
    expect((await put(problem, imputer, '?check=refuse')).body).toMatchObject({ detail: said })
    expect((await put(problem, imputer, '?check=refuse')).body.detail).toContain(sentence)
    expect((await call('GET', `/v1/problems/${problem}`)).status).toBe(404)
    const plan = (await put(problem, imputer, '?dryRun=true')).body as unknown as DefinitionPlan
    expect(plan).toMatchObject({ change: 'created', warnings: [said] })
    expect(await put(problem, imputer)).toMatchObject({ status: 201, body: { warnings: [said] } })
    expect((await put(problem, imputer, '?check=none')).body).toMatchObject({ change: 'unchanged', warnings: [] })
  })

  it('a model that answers gives no warning; files are always tried', async () => {
    expect((await put('well', plain, '?check=refuse')).body).toMatchObject({ change: 'created', warnings: [] })
    const missing = await put('file', { kind: 'onnx', file: 'nowhere.onnx' }, '?check=none')
    expect(missing.body.detail).toContain('covariates.z.imputer.file must be a file in the models folder')
  })
})

test('the summary counts failures by reason, and the log has the reason of each', async () => {
  const limits = { ...PATIENT, breaker: { failures: 1000 }, cache: { size: 0 } }
  await put('failing', { kind: 'http', url: `${server.url}/nothing`, limits }, '?check=none')
  const decisions = Array.from({ length: 10 }, (_, k) => ({
    context: { age: 20 + k, smoker: false, town: 'east' },
    covariates: { z: k < 4 ? 1 : null },
    ...(k === 9 ? { missing: { z: 'withheld' } } : {}),
  }))
  await ok('POST', '/v1/problems/failing/decisions/batch', { decisions })
  const { z } = (await service.summary('failing')).covariates
  expect(z).toMatchObject({
    missing: 6,
    reasons: { withheld: 1 },
    failures: { 'the model failed: the model answered 404': 6 },
  })
  expect(z!.failureShare).toBe(1)
  const rows = (await call('GET', '/v1/problems/failing/log')).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows.map((row) => row['reason.z'] ?? null)).toEqual([
    ...Array(4).fill(null),
    ...Array(6).fill('the model failed: the model answered 404'),
  ])
})
