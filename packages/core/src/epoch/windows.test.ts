// Sliding windows against a plain weighted ridge over the same rounds.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../engine/engine.js'
import { initialState } from '../engine/epoch-state.js'
import type { LinearModel } from '../oracle/linear-model.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { RoundStatus, RoundTable } from '../rounds/round-table.js'
import { endEpoch } from './end-epoch.js'

const problem: Problem = {
  context: { x: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
}
const ROUNDS = 6000

/** Rounds whose slope in x turns over time; every value observed. */
function rounds(): RoundTable {
  const random = Random.fromSeed(4)
  const table = new RoundTable({ contextWidth: 1, covariateWidth: 1, covariateCount: 1 })
  for (let t = 0; t < ROUNDS; t++) {
    table.append()
    const block = table.block(t)
    const row = t % 4096
    block.context[row] = 2 * random.uniform() - 1
    block.covariates[row] = 2 * random.uniform() - 1
    block.pretrained[row] = 0
    block.observed[row] = 1
    block.action[row] = random.integer(2)
    block.reward[row] = 0.5 + (0.4 - (0.8 * t) / ROUNDS) * block.context[row]! + 0.1 * random.normal()
    block.status[row] = RoundStatus.closed
  }
  return table
}

/** Weighted ridge 0.05 around the weighted mean, written plainly. */
function naive(table: RoundTable, weight: (t: number) => number): number[][] {
  const rows = Array.from({ length: ROUNDS }, (_, t) => {
    const block = table.block(t)
    const row = t % 4096
    return {
      phi: [1, block.context[row]!, block.covariates[row]!],
      r: block.reward[row]!,
      a: block.action[row]!,
      w: weight(t),
    }
  })
  const mean = rows.reduce((sum, { r, w }) => sum + w * r, 0) / rows.reduce((sum, { w }) => sum + w, 0)
  return [0, 1].map((a) => {
    const own = rows.filter((row) => row.a === a)
    const m = [0, 1, 2].map((i) => [
      ...[0, 1, 2].map((j) => own.reduce((sum, { phi, w }) => sum + w * phi[i]! * phi[j]!, i === j ? 0.05 : 0)),
      own.reduce((sum, { phi, w, r }) => sum + w * phi[i]! * (r - mean), 0),
    ])
    for (let k = 0; k < 3; k++) {
      const head = m[k]![k]!
      m[k] = m[k]!.map((value) => value / head)
      for (let i = 0; i < 3; i++) if (i !== k) m[i] = m[i]!.map((value, j) => value - m[i]![k]! * m[k]![j]!)
    }
    return m.map((row, i) => row[3]! + (i === 0 ? mean : 0))
  })
}

function fitted(options: EngineOptions) {
  const engine = createEngine(problem, { profile: 'robust', oracle: { interactions: 'none' }, ...options })
  return endEpoch(initialState(1), rounds(), engine, ROUNDS, Random.fromSeed(1)).rewardModel as LinearModel
}

describe('which rounds count', () => {
  it.each([100, 2000, 5000])('a window of %d rounds uses those and no others', (size) => {
    const model = fitted({ window: { rounds: size } })
    naive(rounds(), (t) => (t >= ROUNDS - size ? 1 : 0)).forEach((theta, a) => {
      theta.forEach((value, k) => {
        expect(model.coefficients[a]![k]).toBeCloseTo(value, 9)
      })
    })
    expect(model.weight).toBe(size)
  })

  it('follows a world that turns: the newest slope, not the mean over time', () => {
    // The slope ends at -.4; over all rounds it averages 0.
    expect(fitted({}).coefficients[0]![1]).toBeCloseTo(0, 1)
    expect(fitted({ window: { rounds: 400 } }).coefficients[0]![1]).toBeLessThan(-0.3)
  })

  it('refuses what is none', () => {
    expect(() => fitted({ window: { rounds: 0 } })).toThrow('window.rounds must be a whole number >= 1, got 0')
    expect(() => fitted({ window: 'week' as 'all' })).toThrow('"week"')
  })
})
