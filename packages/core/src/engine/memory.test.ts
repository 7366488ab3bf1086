// With a sliding window, refits go on at the pace of the rounds that count.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { endEpoch, epochQuota } from '../epoch/end-epoch.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { RoundStatus, RoundTable } from '../rounds/round-table.js'
import { createEngine, type EngineOptions } from './engine.js'
import { type EpochState, initialState } from './epoch-state.js'
import { memoryOf } from './memory.js'

const problem: Problem = {
  context: { x: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
}

/** The state after this many rounds of uniform play, half of the values missing. */
function learnt(options: EngineOptions, rounds: number): EpochState {
  const engine = createEngine(problem, { profile: 'robust', ...options })
  const random = Random.fromSeed(9)
  const table = new RoundTable(engine.shape)
  let state = initialState(1)
  for (let t = 0; t < rounds; t++) {
    if (t >= epochQuota(state, engine)) state = endEpoch(state, table, engine, t, Random.fromSeed(t))
    table.append()
    const block = table.block(t)
    const row = t % 4096
    const z = 2 * random.uniform() - 1
    block.context[row] = 2 * random.uniform() - 1
    block.observed[row] = random.integer(2)
    block.covariates[row] = block.observed[row] === 1 ? z : 0
    block.pretrained[row] = 0.3
    block.action[row] = random.integer(2)
    block.reward[row] = 0.5 + 0.3 * z * (block.action[row] === 0 ? 1 : -1)
    block.status[row] = RoundStatus.closed
  }
  return state
}

const ends = ({ reports }: EpochState) => reports.map(({ window }) => window.to)
const longestGap = (list: readonly number[], rounds: number) =>
  Math.max(...[...list, rounds].map((to, k) => to - (list[k - 1] ?? 0)))

describe('memory', () => {
  it('is the window, or without end', () => {
    expect(memoryOf('all')).toBe(Number.POSITIVE_INFINITY)
    expect(memoryOf({ rounds: 500 })).toBe(500)
  })

  const growth = { kind: 'growth', factor: 1.1, counted: 'closed' } as const

  it('a window of 600 rounds refits at a tenth of it', () => {
    const state = learnt({ window: { rounds: 600 }, schedule: growth }, 5000)
    expect(longestGap(ends(state), 5000)).toBeLessThanOrEqual(60)
  })

  it('nothing forgotten: epochs grow with the rounds', () => {
    expect(longestGap(ends(learnt({ window: 'all', schedule: growth }, 5000)), 5000)).toBeGreaterThan(300)
  })

  it('a longest epoch of the user wins', () => {
    const schedule = { ...growth, longest: 25 }
    expect(longestGap(ends(learnt({ schedule, window: { rounds: 400 } }, 1000)), 1000)).toBe(25)
    expect(() => createEngine(problem, { profile: 'robust', schedule: { ...schedule, longest: 0 } })).toThrow(
      'schedule.longest must be a whole number >= 1, got 0',
    )
  })
})
