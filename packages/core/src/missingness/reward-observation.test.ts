// P(the reward is seen | x, a): against Newton's method written plainly, and on which rounds it is asked.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { logistic } from '../regression/log-odds.js'
import { blockParts } from '../rounds/block-parts.js'
import { offsetOf, RoundStatus, RoundTable } from '../rounds/round-table.js'
import { observationSettings } from './observation-model.js'
import { compileRewardSeen, fitRewardObservation, rewardFates } from './reward-observation.js'

const shape = { contextWidth: 1, covariateWidth: 0, covariateCount: 0 }
const settings = observationSettings({ loss: 'likelihood', floor: 0.02 })
const seen = (x: number, a: number) => (a === 0 ? 0.85 : logistic(2 * x))

function world(seed: number, count: number): RoundTable {
  const random = Random.fromSeed(seed)
  const table = new RoundTable(shape)
  for (let t = 0; t < count; t++) {
    const round = table.append()
    const block = table.block(round)
    const row = offsetOf(round)
    block.context[row] = 2 * random.uniform() - 1
    block.action[row] = random.integer(2)
    const came = random.uniform() < seen(block.context[row]!, block.action[row]!)
    block.status[row] = came ? RoundStatus.closed : RoundStatus.dropped
  }
  return table
}

/** Two coefficients of a logit with ridge 0.5, by plain Newton steps. */
function naive(rows: readonly { x: number; y: number }[]): [number, number] {
  let [a, b] = [0, 0]
  for (let step = 0; step < 60; step++) {
    let [ga, gb, haa, hab, hbb] = [-0.5 * a, -0.5 * b, 0.5, 0, 0.5]
    for (const { x, y } of rows) {
      const p = logistic(a + b * x)
      ga += y - p
      gb += (y - p) * x
      haa += p * (1 - p)
      hab += p * (1 - p) * x
      hbb += p * (1 - p) * x * x
    }
    const det = haa * hbb - hab * hab
    a += (hbb * ga - hab * gb) / det
    b += (haa * gb - hab * ga) / det
  }
  return [a, b]
}

describe('P(the reward is seen)', () => {
  const table = world(1, 800)
  const fates = rewardFates([...blockParts(table, { from: 0, to: table.count })], shape)!

  it('is the mixture of the logit of all actions and that of the action', () => {
    const seenBy = compileRewardSeen(fitRewardObservation(fates, 2, settings), shape)
    const rows = fates.batches.flatMap(({ context, observed, action }) =>
      Array.from(action, (a, i) => ({ x: context[i]!, y: observed[i]!, a })),
    )
    const pooled = naive(rows)
    for (const a of [0, 1]) {
      const own = rows.filter((row) => row.a === a)
      const came = own.filter(({ y }) => y === 1).length
      const like = own.reduce((sum, { x }) => sum + logistic(pooled[0] + pooled[1] * x), 0)
      const fewer = Math.max(Math.min(came, own.length - came), Math.min(like, own.length - like))
      const trust = fewer / (fewer + 10)
      const [c, d] = naive(own)
      const round = Array.from({ length: 50 }, (_, t) => t).find((t) => table.block(0).action[t] === a)!
      const x = table.block(0).context[round]!
      const expected = trust * logistic(c + d * x) + (1 - trust) * logistic(pooled[0] + pooled[1] * x)
      expect(seenBy(table.block(0), round)).toBeCloseTo(expected, 5)
    }
  })

  it('is nearly 1 for an action whose rewards all come, although those of others do not', () => {
    const other = world(2, 2000)
    const block = other.block(0)
    for (let row = 0; row < 2000; row++) if (block.action[row] === 0) block.status[row] = RoundStatus.closed
    const found = rewardFates([...blockParts(other, { from: 0, to: other.count })], shape)!
    const seenBy = compileRewardSeen(fitRewardObservation(found, 2, settings), shape)
    const rows = Array.from({ length: 2000 }, (_, row) => row).filter((row) => block.action[row] === 0)
    expect(Math.min(...rows.map((row) => seenBy(block, row)))).toBeGreaterThan(0.95)
  })

  it('asks no round after the newest one without a reward: more may come', () => {
    const last = table.block(0).status.subarray(0, 800).lastIndexOf(RoundStatus.dropped)
    expect(fates.batches.reduce((sum, { count }) => sum + count, 0)).toBe(last + 1)
    const all = new RoundTable(shape)
    all.append()
    all.block(0).status[0] = RoundStatus.closed
    expect(rewardFates([...blockParts(all, { from: 0, to: 1 })], shape)).toBeNull()
  })
})
