import { normalQuantile, Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { encodingOf } from '../problem/encoding.js'
import { number } from '../problem/feature.js'
import { linearOracle } from './linear.js'
import type { LinearModel } from './linear-model.js'
import { type Row, rowsOf } from './oracle.laws.js'
import { rewardFences } from './reward-fences.js'

const widths = { context: 1, covariates: 0 }

/** Two actions in turn; `reward` from a uniform draw and the action. */
function rowsWith(count: number, seed: number, reward: (u: number, action: number) => number): Row[] {
  const random = Random.fromSeed(seed)
  return Array.from({ length: count }, (_, i) => ({
    x: [2 * random.uniform() - 1],
    z: [],
    action: i % 2,
    reward: reward(random.uniform(), i % 2),
  }))
}

const fencesOf = (rows: readonly Row[]) => rewardFences(rowsOf(rows, 2, widths), undefined)

/** Student's t with two degrees of freedom. */
const t2 = (u: number) => ((2 * u - 1) * Math.SQRT2) / Math.sqrt(1 - (2 * u - 1) ** 2)

describe('fences for rewards', () => {
  it('stand where tails are heavy on both sides', () => {
    for (let seed = 1; seed <= 20; seed++) {
      // About 3% are beyond: fewer than three of 1,000 on a side, less than once in 10,000 runs.
      const fences = fencesOf(rowsWith(1000, seed, (u) => 0.5 + 0.01 * t2(u)))!
      expect(fences.min).toBeGreaterThan(0.5 - 0.08)
      expect(fences.max).toBeLessThan(0.5 + 0.08)
    }
  })

  it.each<[string, (u: number, action: number) => number]>([
    ['even noise', (u) => u],
    ['successes that are rare', (u) => (u < 0.02 ? 1 : 0)],
    ['successes as often as not', (u) => (u < 0.5 ? 1 : 0)],
    ['rare large rewards over noise', (u) => (u < 0.01 ? 1 : 0.1 * u)],
    ['normal noise', (u) => 0.5 + 0.05 * normalQuantile(u)],
    ['large rewards of one action, large losses of the other', (u, a) => (u < 0.03 ? a : 0.45 + 0.1 * u)],
  ])('are not there for %s', (_, reward) => {
    for (let seed = 1; seed <= 20; seed++) expect(fencesOf(rowsWith(1000, seed, reward))).toBeUndefined()
  })

  it('stay where they were while they are about right', () => {
    const heavy = (seed: number) =>
      rowsOf(
        rowsWith(2000, seed, (u) => 0.5 + 0.01 * t2(u)),
        2,
        widths,
      )
    const first = rewardFences(heavy(1), undefined)!
    expect(rewardFences(heavy(2), first)).toBe(first)
    expect(rewardFences(heavy(2), { min: 0, max: 1 })).not.toEqual({ min: 0, max: 1 })
  })

  it('bring means of heavy-tailed rewards closer: three quarters of the squared error at most, over 40 seeds', () => {
    const encoding = encodingOf({
      context: { x: number({ min: -1, max: 1 }) },
      covariates: {},
      actions: ['a', 'b'],
      reward: { min: 0, max: 1 },
    })
    const error = (interactions: 'auto' | 'none', seed: number) => {
      const rows = rowsOf(
        rowsWith(400, seed, (u, a) => 0.5 + 0.01 * a + 0.01 * t2(u)),
        2,
        widths,
      )
      const { coefficients } = linearOracle(encoding, { interactions }).fit(rows, Random.fromSeed(0)) as LinearModel
      return (coefficients[1]![0]! - coefficients[0]![0]! - 0.01) ** 2
    }
    let auto = 0
    let none = 0
    for (let seed = 1; seed <= 40; seed++) {
      auto += error('auto', seed)
      none += error('none', seed)
    }
    expect(auto).toBeLessThan(0.75 * none)
  })
})
