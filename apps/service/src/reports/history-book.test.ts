// What the history says, against a naive recomputation from the exported log.

import type { DecisionReply, History, HistoryBucket } from '@primo/contract'
import { describe, expect, it } from 'vitest'
import { dice } from '../dice.fixture.js'
import { running, START, smallProblem } from '../running.fixture.js'

const SECOND = 1000

/** Decides `count` times over some minutes; most rewards come a few seconds later, some never, a few are voided. */
async function live(service: Awaited<ReturnType<typeof running>>, count: number): Promise<void> {
  const draw = dice(3).next
  const due: { at: number; id: string; value: number }[] = []
  for (let i = 0; i < count; i++) {
    service.clock.now += Math.floor(draw() * 1500)
    const missing = draw() < 0.4
    const reply = await service.ok<DecisionReply>('POST', '/v1/problems/p/decisions', {
      context: { x: draw() },
      covariates: { z: missing ? null : draw() },
      ...(missing && draw() < 0.5 ? { missing: { z: draw() < 0.7 ? 'late' : 'constructor' } } : {}),
    })
    if (draw() < 0.9)
      due.push({ at: service.clock.now + Math.floor(draw() * 9000), id: reply.decisionId, value: draw() })
    else if (draw() < 0.3) await service.ok('POST', `/v1/problems/p/decisions/${reply.decisionId}/void`, {})
    for (const one of due.filter(({ at }) => at <= service.clock.now)) {
      due.splice(due.indexOf(one), 1)
      await service.ok('POST', `/v1/problems/p/decisions/${one.id}/reward`, { value: one.value })
    }
  }
}

async function logRows(service: Awaited<ReturnType<typeof running>>): Promise<Record<string, unknown>[]> {
  const { text } = await service.call('GET', '/v1/problems/p/log?format=jsonl')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((row) => typeof row.decisionId === 'string')
}

const total = (buckets: readonly HistoryBucket[], pick: (bucket: HistoryBucket) => number) =>
  buckets.reduce((sum, bucket) => sum + pick(bucket), 0)

describe('history', () => {
  it('equals a naive recomputation from the exported log, in every range and after a restart', async () => {
    const service = await running()
    await service.ok(
      'PUT',
      '/v1/problems/p',
      smallProblem({ reward: { min: 0, max: 1, window: { milliseconds: 8000 }, learnFrom: 'arrival' } }),
    )
    await live(service, 300)
    await service.service().host.tick()
    await service.learnt('p')
    const rows = await logRows(service)
    const closed = rows.filter((row) => row.rewardStatus === 'closed')
    for (const turn of ['first', 'restarted']) {
      if (turn === 'restarted') await service.restart()
      for (const range of ['all', 'day']) {
        const history = await service.ok<History>('GET', `/v1/problems/p/history?range=${range}`)
        const { buckets, width } = history
        expect(history.complete).toBe(true)
        expect(buckets.length).toBeGreaterThan(range === 'all' ? 40 : 0)
        expect(buckets.length).toBeLessThanOrEqual(240)
        expect(total(buckets, ({ decisions }) => decisions)).toBe(rows.length)
        for (const bucket of buckets) {
          const mine = rows.filter((row) => Math.floor((row.time as number) / width) * width === bucket.time)
          expect(bucket.decisions).toBe(mine.length)
          for (const action of ['a', 'b'])
            expect(bucket.actions[action] ?? 0).toBe(mine.filter((row) => row.action === action).length)
          expect(bucket.covariates.z?.missing ?? 0).toBe(mine.filter((row) => row['covariate.z'] == null).length)
          const reasons = new Map(Object.entries(bucket.covariates.z?.reasons ?? {}))
          expect(reasons.get('constructor') ?? 0).toBe(mine.filter((row) => row['reason.z'] === 'constructor').length)
          expect(bucket.joined).toBe(mine.filter((row) => row.rewardStatus === 'closed').length)
          const ended = closed.filter((row) => Math.floor((row.rewardTime as number) / width) * width === bucket.time)
          expect(bucket.reward.count).toBe(ended.length)
          expect(bucket.reward.sum).toBeCloseTo(
            ended.reduce((sum, row) => sum + (row.reward as number), 0),
            9,
          )
        }
        const { played, uniform, baseline } = buckets.at(-1)!.value
        expect(played.count).toBe(closed.length)
        expect(played.sum).toBeCloseTo(
          closed.reduce((sum, row) => sum + (row.reward as number), 0),
          9,
        )
        const weighted = closed.map((row) => (row.reward as number) / (2 * (row.propensity as number)))
        expect(uniform.gained.sum).toBeCloseTo(
          weighted.reduce((sum, value) => sum + value, 0),
          8,
        )
        expect(history.baseline).toBe('a')
        const always = closed.map((row) =>
          row.action === 'a' ? (row.reward as number) / (row.propensity as number) : 0,
        )
        expect(baseline!.gained.sum).toBeCloseTo(
          always.reduce((sum, value) => sum + value, 0),
          8,
        )
        const { ahead, behind } = baseline!
        expect(2 * ahead.sum - ahead.count).toBeCloseTo(
          closed.reduce((sum, row, i) => sum + (always[i] === 0 ? -1 : 1 / (row.propensity as number) - 1), 0) -
            (2 * behind.sum - behind.count),
          8,
        )
        expect(total(buckets, ({ dropped }) => dropped)).toBe(
          rows.filter((row) => ['dropped', 'void', 'late'].includes(String(row.rewardStatus))).length,
        )
        expect(history.latest[0]!.decisionId).toBe(rows.at(-1)!.decisionId)
      }
      const summary = await service.summary('p')
      expect(summary.closed).toBe(closed.length)
    }
  })

  it('keeps the last 15 minutes in the range "recent" and forgets what is older', async () => {
    const service = await running()
    await service.ok('PUT', '/v1/problems/p', smallProblem())
    for (const at of [0, 10 * SECOND, 3600 * SECOND, 3605 * SECOND]) {
      service.clock.now = START + at
      await service.ok('POST', '/v1/problems/p/decisions', { context: { x: 0.5 } })
    }
    const recent = await service.ok<History>('GET', '/v1/problems/p/history?range=recent')
    expect(total(recent.buckets, ({ decisions }) => decisions)).toBe(2)
    const all = await service.ok<History>('GET', '/v1/problems/p/history')
    expect(total(all.buckets, ({ decisions }) => decisions)).toBe(4)
    expect((await service.call('GET', '/v1/problems/p/history?range=year')).status).toBe(400)
  })

  it('begins anew with a new version of the problem', async () => {
    const service = await running()
    await service.ok('PUT', '/v1/problems/p', smallProblem())
    await service.ok('POST', '/v1/problems/p/decisions', { context: { x: 0.5 } })
    await service.ok('GET', '/v1/problems/p/history')
    await service.ok('PUT', '/v1/problems/p?version=new', smallProblem({ reward: { min: 0, max: 2 } }))
    const history = await service.ok<History>('GET', '/v1/problems/p/history')
    expect(history.version).toBe(2)
    expect(history.buckets).toEqual([])
  })
})
