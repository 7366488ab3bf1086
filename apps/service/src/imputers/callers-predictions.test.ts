// Predictions of callers against the real service: logged as theirs, and replayed.

import type { CovariateReply, DecisionExplained, DecisionReply, ProblemDefinition } from '@primo/contract'
import { expect, test } from 'vitest'
import { replayProblem } from '../../dist/index.js'
import { running, smallProblem } from '../running.fixture.js'

const { ok, call, summary, service } = await running()
type Imputer = ProblemDefinition['covariates'][string]['imputer']
const define = (name: string, imputer: Imputer) =>
  ok('PUT', `/v1/problems/${name}`, smallProblem({ covariates: { z: { type: 'number', min: 0, max: 1, imputer } } }))

/** What the log says of the covariate. */
async function use(problem: string, body: object): Promise<CovariateReply> {
  const asked = { context: { x: 0.5 }, ...body }
  const { decisionId } = await ok<DecisionReply>('POST', `/v1/problems/${problem}/decisions`, asked)
  const { reply } = await ok<DecisionExplained>('GET', `/v1/problems/${problem}/decisions/${decisionId}`)
  return reply.covariates.z!
}

test('a prediction in place of the model of the problem is the caller’s, in reply, log and summary', async () => {
  await define('own', { kind: 'constant', value: 0.5, version: 'v1' })
  const model = { status: 'imputed', value: 0.5, source: 'pretrained', version: 'v1', fingerprint: expect.any(String) }
  expect(await use('own', {})).toMatchObject(model)
  const callers = await use('own', { predictions: { z: 0.25 } })
  expect(callers).toMatchObject({ status: 'imputed', value: 0.25, source: 'caller', version: 'caller' })
  expect(callers).not.toHaveProperty('fingerprint')
  const beside = await use('own', { covariates: { z: 0.75 }, predictions: { z: 0.25 } })
  expect(beside).toMatchObject({
    status: 'observed',
    value: 0.75,
    pretrained: 0.25,
    source: 'request',
    version: 'caller',
  })
  expect(beside).not.toHaveProperty('fingerprint')
  expect(await use('own', { predictions: { z: null } })).toMatchObject({ status: 'fallback', version: 'caller' })
  expect((await summary('own')).covariates.z!.rungs).toMatchObject({ pretrained: 1, caller: 1, constant: 1 })
  const log = (await call('GET', '/v1/problems/own/log')).text.trim().split('\n')
  expect(log.map((line) => (JSON.parse(line) as Record<string, unknown>)['version.z'])).toEqual([
    'v1',
    'caller',
    'caller',
    'caller',
  ])
  expect((await replayProblem(service().store, 'own')).different).toEqual([])
})

test('a prediction that the problem asks callers for is that of its model', async () => {
  await define('column', { kind: 'column', version: 'v7' })
  const asked = { source: 'pretrained', version: 'v7', fingerprint: expect.any(String) }
  expect(await use('column', { predictions: { z: 0.25 } })).toMatchObject(asked)
  const members = { mine: { kind: 'column' }, ours: { kind: 'constant', value: 0.5 } }
  await define('both', { kind: 'ensemble', members, version: 'v2' })
  expect(await use('both', { predictions: { z: { members: { mine: 0.25 } } } })).toMatchObject({ version: 'v2' })
  expect(await use('both', { predictions: { z: { members: { ours: 0.25 } } } })).toMatchObject({ version: 'caller' })
})
