// Where old rounds are forgotten, refits, calibrations and looks at rewards go on at the pace of what counts.

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
const calibrations = ({ reports }: EpochState) =>
  reports.filter(({ covariates }) => covariates[0]!.ladder !== null).map(({ window }) => window.to)
const looks = ({ reports }: EpochState) =>
  reports.filter(({ covariates }) => covariates[0]!.guard !== null).map(({ window }) => window.to)
const longestGap = (list: readonly number[], rounds: number) =>
  Math.max(...[...list, rounds].map((to, k) => to - (list[k - 1] ?? 0)))

describe('memory', () => {
  it('is the window, the total weight of a half-life, or without end', () => {
    expect(memoryOf({ window: 'all', halfLife: null })).toBe(Number.POSITIVE_INFINITY)
    expect(memoryOf({ window: { rounds: 500 }, halfLife: null })).toBe(500)
    const weights = Array.from({ length: 100_000 }, (_, age) => 2 ** (-age / 700)).reduce((sum, w) => sum + w, 0)
    expect(memoryOf({ window: 'all', halfLife: 700 }) / weights).toBeCloseTo(1, 2)
    expect(memoryOf({ window: { rounds: 100 }, halfLife: 700 })).toBe(100)
  })

  it.each<[string, EngineOptions, number]>([
    ['a window of 600 rounds', { window: { rounds: 600 } }, 600],
    ['a half-life of 400 rounds', { halfLife: 400 }, 577],
  ])(
    '%s refits at a tenth, calibrates at a quarter and asks rewards at the whole of what counts',
    (_, options, memory) => {
      const rounds = 5000
      const state = learnt(options, rounds)
      expect(longestGap(ends(state), rounds)).toBeLessThanOrEqual(Math.ceil(memory / 10))
      expect(longestGap(calibrations(state), rounds)).toBeLessThanOrEqual(Math.ceil(0.25 * memory + memory / 10))
      expect(longestGap(looks(state), rounds)).toBeLessThanOrEqual(Math.ceil(1.35 * memory))
    },
  )

  it('nothing forgotten: epochs grow with the rounds, and rewards are asked at doublings', () => {
    const state = learnt({}, 5000)
    expect(longestGap(ends(state), 5000)).toBeGreaterThan(300)
    const asked = looks(state)
    asked.slice(1).forEach((to, k) => {
      expect(to).toBeGreaterThanOrEqual(2 * asked[k]!)
    })
  })

  it('a longest epoch of the user wins', () => {
    const schedule = { kind: 'growth', factor: 1.1, counted: 'closed', longest: 25 } as const
    expect(longestGap(ends(learnt({ schedule, halfLife: 400 }, 1000)), 1000)).toBe(25)
    expect(() => createEngine(problem, { profile: 'robust', schedule: { ...schedule, longest: 0 } })).toThrow(
      'schedule.longest must be a whole number >= 1, got 0',
    )
  })
})
