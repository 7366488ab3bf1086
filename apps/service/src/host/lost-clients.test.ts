// Lost clients: 30% of the callers time out and void their decision: after it was made, while others go on, or before it
// arrives (`unseen`). What is learnt is what would be learnt had those rounds never been decided.

import type { DecisionReply } from '@primo/contract'
import { createRoundWriter, type EpochState, endEpoch, initialState } from '@primo/core/engine'
import { Random, seedKey } from '@primo/numeric'
import { expect, test } from 'vitest'
import { createFollower } from '../../dist/learning/follower.js'
import { engineOf } from '../../dist/learning/problem-engine.js'
import { dice } from '../dice.fixture.js'
import { type Running, running, smallProblem } from '../running.fixture.js'

const ROUNDS = 400

async function play(service: Running, name: string, seed: number): Promise<{ lost: Set<string>; kept: number }> {
  const d = dice(seed)
  const lost = new Set<string>()
  const base = `/v1/problems/${name}`
  let later: string[] = []
  let kept = 0
  for (let t = 0; t < ROUNDS; t += 10) {
    const turn = Array.from({ length: 10 }, async (_, j) => {
      const eventId = `${name}-${t + j}`
      const x = d.next()
      const z = d.next()
      const request = { eventId, context: { x }, covariates: { z: d.chance(0.5) ? z : null } }
      const isLost = d.chance(0.3)
      const fate = d.below(3)
      const noise = d.next() / 4
      if (isLost && fate === 0) {
        lost.add(eventId)
        expect(await service.ok('POST', `${base}/decisions/${eventId}/void`, { unseen: true })).toMatchObject({
          status: 'accepted',
        })
        expect(await service.call('POST', `${base}/decisions`, request)).toMatchObject({
          status: 409,
          body: { code: 'event-voided' },
        })
        return
      }
      const { action } = await service.ok<DecisionReply>('POST', `${base}/decisions`, request)
      if (!isLost) {
        kept++
        await service.ok('POST', `${base}/decisions/${eventId}/reward`, {
          value: noise + 0.7 * (action === 'a' ? z : x),
        })
        return
      }
      lost.add(eventId)
      if (fate === 1) await service.ok('POST', `${base}/decisions/${eventId}/void`, { unseen: true })
      else later.push(eventId)
    })
    await Promise.all(turn)
    if (d.chance(0.2)) {
      await Promise.all(later.map((eventId) => service.ok('POST', `${base}/decisions/${eventId}/void`, {})))
      later = []
    }
    await service.learnt(name)
  }
  await Promise.all(later.map((eventId) => service.ok('POST', `${base}/decisions/${eventId}/void`, {})))
  return { lost, kept }
}

/** What was learnt; of places in the table, one counts rounds that are skipped and the other those that were closed. */
function learntBy({ reports: _, start: __, streams, ...learnt }: EpochState): string {
  return JSON.stringify({ ...learnt, streams: { ...streams, closings: null } })
}

test.each(['primo', 'primo-cal', 'robust'])(
  'what %s learns is what it learns without the lost rounds',
  async (profile) => {
    const service = await running()
    const schedule = { kind: 'growth', first: 20, factor: 1.5, counted: 'closed' }
    await service.ok('PUT', '/v1/problems/p', smallProblem({ learning: { profile, seed: 3, schedule } as object }))
    const { lost, kept } = await play(service, 'p', 17)
    expect(lost.size / ROUNDS).toBeGreaterThan(0.2)
    const summary = await service.summary('p')
    expect(summary).toMatchObject({ closed: kept, open: 0, dropped: 0, lateRewards: 0 })
    expect(summary.learning.learntVersion).toBeGreaterThan(4)

    // The same log with the lost rounds cut out of it.
    const { store } = service.service()
    const row = (await store.problem('p'))!
    const log = await store.readLog(row.id, 0, 1_000_000)
    const gone = new Set(
      log
        .filter(({ kind, body }) => kind === 'decision' && lost.has((JSON.parse(body) as { eventId: string }).eventId))
        .map(({ round }) => round),
    )
    expect(gone.size).toBe(summary.voided)
    const follower = createFollower(0)
    let state: EpochState | null = null
    for (const entry of log.filter(({ round }) => round === null || !gone.has(round))) {
      follower.take(entry)
      if (entry.kind !== 'epoch') continue
      // The cut counts every round decided by then: a lost one at the very end leaves its number.
      state = follower.learn(state)
      const stored = (await store.snapshot(row.id, 1, state.version))!
      expect(learntBy(state)).toBe(learntBy(JSON.parse(stored.state) as EpochState))
    }
    expect(state!.version).toBe(summary.learning.learntVersion)
  },
)

test('and the same coefficients come from a table in which they have no place at all', async () => {
  const service = await running()
  const learning = {
    profile: 'primo',
    window: 'all',
    seed: 3,
    schedule: { kind: 'fixed', length: 100, counted: 'closed' },
  }
  await service.ok('PUT', '/v1/problems/p', smallProblem({ learning: learning as object }))
  const { lost } = await play(service, 'p', 23)
  const { store } = service.service()
  const row = (await store.problem('p'))!
  const snapshot = (await store.snapshot(row.id, 1, row.book.learnt))!
  const engine = engineOf(row.definition)
  const writer = createRoundWriter(engine as never)
  const at = new Map<number, number>()
  for (const { kind, body, round, seq } of await store.readLog(row.id, 0, 1_000_000)) {
    if (seq > snapshot.cut || round === null) continue
    const record = JSON.parse(body)
    if (kind === 'decision' && !lost.has(record.eventId)) {
      const { context, covariates } = record.request
      at.set(round, writer.append({ context, covariates, ...record.learning }))
    } else if (kind === 'reward' && record.closes !== undefined) writer.close(at.get(round)!, record.closes)
  }
  const closed = (JSON.parse(snapshot.state) as EpochState).reports.at(-1)!.learnt
  const state = endEpoch(initialState(1), writer.table, engine as never, closed, new Random(seedKey(3)))
  const coefficients = ({ rewardModel }: EpochState) =>
    (rewardModel as unknown as { coefficients: readonly (readonly number[])[] }).coefficients.flat()
  const dense = coefficients(state)
  coefficients(JSON.parse(snapshot.state) as EpochState).forEach((value, k) => {
    expect(value).toBeCloseTo(dense[k]!, 9)
  })
  expect(dense.some((value) => Math.abs(value) > 0.1)).toBe(true)
})
