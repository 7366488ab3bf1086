// What a problem exported is imported by another, with all that its models said.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DecisionExplained, DecisionList, DecisionReply, History, ProblemDefinition } from '@primo/contract'
import { type LogRow, logFormats, logHeader, openLog } from '@primo/lab/log'
import { expect, it } from 'vitest'
import { definitionOfLog, importCommands } from '../../dist/index.js'
import { type Running, running, START, temporaryFolder } from '../running.fixture.js'

const range = { type: 'number', min: -3, max: 5 } as const
const problem: ProblemDefinition = {
  context: { x: { type: 'number', min: 0, max: 1 } },
  covariates: {
    z: { ...range, imputer: { kind: 'column' } },
    both: { ...range, imputer: { kind: 'ensemble', members: { one: { kind: 'column' }, two: { kind: 'column' } } } },
    wet: { type: 'boolean', imputer: { kind: 'column' } },
  } as ProblemDefinition['covariates'],
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
}

/** Predictions of z in every way, with the sd of each. */
const said = [
  { z: { value: 1.25, sd: 0.3 }, sd: 0.3 },
  { z: 2, sd: null },
  { z: { value: 0.1, sd: 0 }, sd: 0 },
  { z: { quantiles: { 0.1: 1, 0.9: 3 } }, sd: 1 / 1.2815515655446004 },
  { z: null, sd: null },
  { z: { value: 9, sd: 1 }, sd: null },
] as const

async function exported(service: Running, name: string, format: string): Promise<{ file: string; rows: LogRow[] }> {
  const file = join(service.folder, `${name}.${format}`)
  const { rawPayload } = await service
    .service()
    .server.inject({ method: 'GET', url: `/v1/problems/${name}/log?format=${format}` })
  writeFileSync(file, rawPayload)
  const rows: LogRow[] = []
  for await (const row of (await openLog(file)).rows()) rows.push(row)
  return { file, rows }
}

it('a log of a problem whose reveals are random makes a problem that takes it', async () => {
  const service = await running({}, temporaryFolder())
  const z = { ...range, imputer: { kind: 'constant', value: 0 }, reveals: 'random', audit: { share: 1 } }
  await service.ok('PUT', '/v1/problems/first', { ...problem, covariates: { z } })
  const { decisionId } = await service.ok<DecisionReply>('POST', '/v1/problems/first/decisions', { context: { x: 0 } })
  await service.ok('POST', `/v1/problems/first/decisions/${decisionId}/reveal`, { covariates: { z: 1 } })
  const { file, rows } = await exported(service, 'first', 'jsonl')
  const { header } = await openLog(file)
  await service.ok('PUT', '/v1/problems/second', definitionOfLog(header))
  const { host, store } = service.service()
  await store.commit(importCommands(await host.problem('second'), header, rows))
  expect((await exported(service, 'second', 'jsonl')).rows).toStrictEqual(rows)
  expect(rows[0]).toMatchObject({ 'revealed.z': 1 })
})

it.each(logFormats)('a log as %s keeps the standard deviations that models gave', async (format) => {
  const service = await running({}, temporaryFolder())
  for (const name of ['first', 'second']) await service.ok('PUT', `/v1/problems/${name}`, problem)
  for (let k = 0; k < 2 * said.length; k++) {
    const reply = await service.ok<DecisionReply>('POST', '/v1/problems/first/decisions', {
      context: { x: k / 20 },
      // Each once observed and once missing.
      covariates: { z: k < said.length ? 1 : null },
      predictions: {
        z: said[k % said.length]!.z,
        both: { members: { one: { value: 1, sd: 0.5 }, two: 2 } },
        wet: 0.25,
      },
    })
    await service.ok('POST', `/v1/problems/first/decisions/${reply.decisionId}/reward`, { value: k % 2 })
  }
  const { file, rows } = await exported(service, 'first', format)
  rows.forEach((row, k) => {
    const { sd } = said[k % said.length]!
    if (sd === null) expect(row['modelSd.z']).toBe(null)
    else expect(row['modelSd.z']).toBeCloseTo(sd, 12)
    expect(row['modelSd.both']).toBe(null)
    expect(row).not.toHaveProperty(['modelSd.wet'])
  })

  const { host, store } = service.service()
  const { header } = await openLog(file)
  await store.commit(importCommands(await host.problem('second'), header, rows))
  const id = (await store.problem('second'))!.id
  const predictions = (await store.readLog(id, 0, 1000))
    .filter(({ kind }) => kind === 'decision')
    .map(({ body }) => JSON.parse(body).learning.predictions)
  expect(predictions).toHaveLength(rows.length)
  rows.forEach((row, k) => {
    const value = row['pretrained.z']
    const sd = row['modelSd.z']
    expect(predictions[k].z).toEqual(sd === null ? (value ?? undefined) : { value, sd })
    expect(predictions[k].both).toBe(1.5)
  })
  expect((await exported(service, 'second', format)).rows).toStrictEqual(rows)
})

it('an imported decision keeps its times, and is not said to be a decision of the service', async () => {
  const service = await running({}, temporaryFolder())
  const definition = { ...problem, covariates: { z: { ...range, imputer: { kind: 'column' } } } } as ProblemDefinition
  await service.ok('PUT', '/v1/problems/p', definition)
  const time = START - 86_400_000
  const header = logHeader({ ...definition, covariates: { z: range } } as Parameters<typeof logHeader>[0])
  const row = (id: string, given: LogRow): LogRow => ({
    ...{ decisionId: id, action: 'a', reward: 1, rewardStatus: 'closed', time, rewardTime: time + 5000 },
    ...{ 'context.x': 0.5, 'covariate.z': null, 'pretrained.z': 1, ...given },
  })
  const { host, store } = service.service()
  const rows = [row('known', { propensity: 0.7, 'covariate.z': 2 }), row('unknown', { propensity: null })]
  await store.commit(importCommands(await host.problem('p'), header, rows))

  const unknown = await service.ok<DecisionExplained>('GET', '/v1/problems/p/decisions/unknown')
  expect(unknown).toMatchObject({ time, imported: { propensity: null }, sweep: {}, rewards: [{ time: time + 5000 }] })
  expect(unknown.bounds).toBeUndefined()
  expect(await service.ok('GET', '/v1/problems/p/decisions/known')).toMatchObject({ imported: { propensity: 0.7 } })
  const { decisions } = await service.ok<DecisionList>('GET', '/v1/problems/p/decisions')
  expect(decisions).toMatchObject([
    { decisionId: 'unknown', time, propensity: null, missing: ['z'], sources: { z: 'imported' } },
    { decisionId: 'known', time, propensity: 0.7, missing: [], sources: {} },
  ])
  const { buckets } = await service.ok<History>('GET', '/v1/problems/p/history')
  expect(buckets.map((bucket) => bucket.decisions)).toEqual([2, 0])
  expect(buckets[0]).toMatchObject({ time, covariates: { z: { missing: 1 } }, value: { played: { count: 0 } } })
})
