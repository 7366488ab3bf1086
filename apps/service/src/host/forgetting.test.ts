// Forgetting a subject, retention of a retired problem, and purging: what goes is in no row, export or file any more.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DecisionReply, SubjectForgotten } from '@primo/contract'
import type { EpochState } from '@primo/core/engine'
import { expect, test } from 'vitest'
import { replayProblem } from '../../dist/index.js'
import { openDatabase } from '../../dist/store/sqlite/database.js'
import { dice } from '../dice.fixture.js'
import type { DecisionRecord, ForgettingRecord } from '../ledger/records.js'
import { SUMMED } from '../ledger/sums.js'
import { type Running, running, smallProblem } from '../running.fixture.js'

const DAY = 86_400_000
/** Digits that occur nowhere else. */
const SECRETS = { x: 0.4142135623, z: 0.7320508075, truth: 0.2360679774 }
const SUBJECT = 'Ada-Lovelace-1815'

const learning = {
  profile: 'robust',
  seed: 5,
  schedule: { kind: 'growth', first: 20, factor: 1.5, counted: 'closed' },
} as object

async function decideMany(service: Running, seed: number, count = 40): Promise<readonly string[]> {
  const d = dice(seed)
  const decisions = Array.from({ length: count }, (_, k) => ({
    eventId: `e-${seed}-${k}`,
    subject: `somebody-${k}`,
    context: { x: d.next() },
    covariates: { z: k % 2 === 0 ? null : d.next() },
  }))
  const { results } = await service.ok<{ results: DecisionReply[] }>('POST', '/v1/problems/p/decisions/batch', {
    decisions,
  })
  const rewards = results.map(({ decisionId }) => ({ id: decisionId, value: d.next() }))
  await service.ok('POST', '/v1/problems/p/rewards/batch', { rewards })
  return results.map(({ decisionId }) => decisionId)
}

/** Three decisions about the subject: one with all values, one revealed later, one still open. */
async function decideAboutSubject(service: Running): Promise<readonly string[]> {
  const ids: string[] = []
  for (const [k, z] of [SECRETS.z, null, SECRETS.z].entries()) {
    const body = { eventId: `ada-${k}`, subject: SUBJECT, context: { x: SECRETS.x }, covariates: { z } }
    ids.push((await service.ok<DecisionReply>('POST', '/v1/problems/p/decisions', body)).decisionId)
  }
  await service.ok('POST', `/v1/problems/p/decisions/${ids[1]}/reveal`, { covariates: { z: SECRETS.truth } })
  for (const id of ids.slice(0, 2)) await service.ok('POST', `/v1/problems/p/decisions/${id}/reward`, { value: 0.5 })
  return ids
}

/** Files of the store's folder in which one of these texts occurs. */
function filesWith(folder: string, texts: readonly string[]): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const bytes = readFileSync(join(folder, name))
    return texts.some((text) => bytes.includes(text))
  })
}

const hidden = [...Object.values(SECRETS).map(String), SUBJECT]

test('a forgotten subject is in no row, export or file; counts and policies stay; learning and replay go on without it', async () => {
  const service = await running()
  const { ok, call, learnt, folder } = service
  await ok('PUT', '/v1/problems/p', smallProblem({ learning }))
  await decideMany(service, 1)
  const ids = await decideAboutSubject(service)
  await decideMany(service, 2)
  await learnt('p')
  const before = await service.summary('p')
  expect(before.learning.policyVersion).toBeGreaterThan(0)
  expect(filesWith(folder, hidden)).not.toEqual([])

  const answer = await ok<SubjectForgotten>('DELETE', `/v1/problems/p/subjects/${SUBJECT}`)
  expect(answer).toMatchObject({ problem: 'p', decisions: 3, erased: true })
  expect(answer.kept).toContain('policies')
  expect(filesWith(folder, hidden)).toEqual([])
  const { store } = service.service()
  const row = (await store.problem('p'))!
  const log = await store.readLog(row.id, 0, 10_000)
  const db = openDatabase(join(folder, 'primo.db'), { readonly: true })
  for (const table of SUMMED) {
    const { sum } = db.prepare(`select coalesce(sum(checksum), 0) as sum from ${table}`).get() as { sum: number }
    expect([table, sum | 0]).toEqual([table, row.sums[table]])
  }
  db.close()
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, k) => k + 1))
  const records = log.filter(({ kind }) => kind === 'decision').map(({ body }) => JSON.parse(body) as DecisionRecord)
  expect(records.filter(({ forgotten }) => forgotten).map(({ id }) => id)).toEqual(ids)
  const { decisions } = JSON.parse(log.at(-1)!.body) as ForgettingRecord
  expect(decisions).toHaveLength(3)
  expect((await call('GET', '/v1/problems/p/log')).text).not.toMatch(new RegExp(hidden.join('|')))
  expect((await call('GET', '/v1/problems/p/log')).text.trim().split('\n')).toHaveLength(80)

  // What was counted and learnt stays; what was open is void.
  const after = await service.summary('p')
  expect(after).toEqual({
    ...before,
    open: before.open - 1,
    voided: before.voided + 1,
    actions: after.actions,
    time: after.time,
  })
  expect(after.reward).toEqual(before.reward)
  for (const [method, path, body] of [
    ['GET', `/v1/problems/p/decisions/${ids[0]}`],
    ['POST', `/v1/problems/p/decisions/${ids[1]}/reveal`, { covariates: { z: SECRETS.truth } }],
    ['POST', '/v1/problems/p/decisions', { eventId: 'ada-0', context: { x: SECRETS.x } }],
  ] as const)
    expect(await call(method, path, body)).toMatchObject({ status: 410, body: { code: 'subject-forgotten' } })
  expect(await ok('POST', `/v1/problems/p/decisions/${ids[2]}/reward`, { value: 1 })).toMatchObject({
    status: 'inactive',
  })
  expect(await ok('DELETE', `/v1/problems/p/subjects/${SUBJECT}`)).toMatchObject({ decisions: 0 })

  // Fits go on without these rounds, in the thread that had them and in one that reads the log anew.
  await decideMany(service, 3, 60)
  await service.service().host.tick()
  await learnt('p')
  await service.restart()
  await decideMany(service, 4, 80)
  await service.service().host.tick()
  await learnt('p')
  const { policies, different, beyond } = await replayProblem(service.service().store, 'p')
  expect(different).toEqual([])
  const fittedBefore = before.learning.learntVersion
  expect(beyond).toEqual(Array.from({ length: fittedBefore }, (_, k) => `1/${k + 1}`).slice(-beyond.length))
  expect(beyond.length).toBeGreaterThan(0)
  expect(policies).toBeGreaterThan(fittedBefore)
  const last = (await service.summary('p')).learning.learntVersion
  const snapshot = await service.service().store.snapshot(row.id, 1, last)
  const { reports } = JSON.parse(snapshot!.state) as EpochState
  expect(reports.at(-1)!.learnt).toBeLessThanOrEqual(220)
  await service.close()
  expect(filesWith(folder, hidden)).toEqual([])
})

test('retention goes on for a retired problem', async () => {
  const service = await running()
  const { ok, clock, folder } = service
  await ok('PUT', '/v1/problems/p', smallProblem({ retention: { days: 2 } }))
  await decideAboutSubject(service)
  await ok('DELETE', '/v1/problems/p')
  clock.now += 3 * DAY
  await service.restart()
  await service.service().host.tick()
  const { store } = service.service()
  const row = (await store.problem('p'))!
  const kinds = (await store.readLog(row.id, 0, 100)).map(({ kind }) => kind)
  expect(kinds).toEqual(['problem', 'operation', 'retention'])
  await service.close()
  expect(filesWith(folder, hidden)).toEqual([])
})

test('a purged problem leaves nothing behind, and must be retired first', async () => {
  const service = await running()
  const { ok, call, folder } = service
  await ok('PUT', '/v1/problems/p', smallProblem())
  await ok('PUT', '/v1/problems/q', smallProblem())
  await decideAboutSubject(service)
  const purge = '/v1/problems/p?purge=true'
  expect(await call('DELETE', purge)).toMatchObject({ status: 409, body: { code: 'problem-active' } })
  await ok('DELETE', '/v1/problems/p')
  expect(await ok('DELETE', purge)).toEqual({ problem: 'p', purged: true, erased: true })
  expect(filesWith(folder, hidden)).toEqual([])
  expect((await call('GET', '/v1/problems/p')).status).toBe(404)
  expect((await call('DELETE', purge)).status).toBe(404)
  expect((await service.service().store.problems()).map(({ name }) => name)).toEqual(['q'])
  // The name is free again.
  expect((await call('PUT', '/v1/problems/p', smallProblem())).status).toBe(201)
  expect(await ok('POST', '/v1/problems/p/decisions', { eventId: 'ada-0', context: { x: 0.5 } })).toMatchObject({
    decisionId: expect.any(String),
  })
  await service.restart()
  expect(service.service().store.damage()).toEqual([])
  expect((await service.summary('p')).decisions).toBe(1)
})
