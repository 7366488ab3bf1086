import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createLearner, restoreLearner } from '../learner/learner.js'
import { replayLog } from '../learner/replay.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import type { LogRecord } from '../rounds/log.js'
import { fitModelSd, modelSdTerm } from './model-sd.js'
import { spreadScale } from './residual-moments.js'

/** Residuals whose spread is one of two, and sds that a model gives with them. */
function rowsOf(seed: number, rows: number, say: (spread: number, random: Random) => number) {
  const random = Random.fromSeed(seed)
  const sds = new Float64Array(rows)
  const squares = Float64Array.from({ length: rows }, (_, i) => {
    const spread = random.uniform() < 0.5 ? 0.1 : 0.3
    sds[i] = say(spread, random)
    return (spread * random.normal()) ** 2
  })
  const variance = squares.reduce((sum, value) => sum + value, 0) / rows
  return { squares, sds, variance }
}

describe('how far the sd of a model is believed', () => {
  it.each([1, 3, 0.2])('a model that is right up to the factor %f gets the right variance', (factor) => {
    const { squares, sds, variance } = rowsOf(1, 4000, (spread) => factor * spread)
    const bySd = fitModelSd(squares, sds, variance)!
    // Standard error of the slope: sqrt(2/4000) over the sd 1.1 of 2 log s, that is 0.02.
    expect(Math.abs(bySd.slope - 1)).toBeLessThan(0.06)
    for (const spread of [0.1, 0.3]) {
      const sd = Math.sqrt(variance * Math.exp(modelSdTerm(bySd, factor * spread)))
      expect(sd / spread).toBeGreaterThan(0.94)
      expect(sd / spread).toBeLessThan(1.06)
    }
  })

  it('noise is hardly believed: over 20 seeds of 500 rows a slope beyond 0.2 at most once, and half of the time none', () => {
    // The sd of 2 log s is 0.65 here and squares vary beyond a normal's, so the standard error is 0.08 to 0.1: 0.2 is two of them.
    const slopes = Array.from({ length: 20 }, (_, seed) => {
      const { squares, sds, variance } = rowsOf(seed, 500, (_, random) => 0.1 * 3 ** (random.uniform() ** 2))
      return fitModelSd(squares, sds, variance)?.slope ?? 0
    })
    expect(slopes.filter((slope) => slope > 0.2).length).toBeLessThanOrEqual(1)
    expect(slopes.filter((slope) => slope === 0).length).toBeGreaterThanOrEqual(10)
  })

  it('the opposite of the truth is not believed', () => {
    const { squares, sds, variance } = rowsOf(2, 1000, (spread) => 0.03 / spread)
    expect(fitModelSd(squares, sds, variance)).toBeNull()
  })

  it('a handful of rows, or one sd for all, says nothing', () => {
    const few = rowsOf(3, 31, (spread) => spread)
    expect(fitModelSd(few.squares, few.sds, few.variance)).toBeNull()
    const same = rowsOf(3, 500, () => 0.2)
    expect(fitModelSd(same.squares, same.sds, same.variance)).toBeNull()
  })

  it('a row without an sd has the variance of all, and an sd of 0 stays finite', () => {
    const { squares, sds, variance } = rowsOf(4, 1000, (spread) => spread)
    const bySd = fitModelSd(squares, sds, variance)!
    expect(spreadScale({ bySd }, new Float64Array(0), 0)).toBe(1)
    expect(spreadScale({ bySd }, new Float64Array(0), 0, Number.NaN)).toBe(1)
    expect(spreadScale({ bySd }, new Float64Array(0), 0, 0)).toBe(0.25)
  })
})

describe('a learner whose model says how sure it is', () => {
  const problem: Problem = {
    context: { x: number({ min: -1, max: 1 }) },
    covariates: { z: { ...number({ min: -10, max: 10 }), imputer: { kind: 'column' } } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  }

  function play(interactions: readonly (readonly string[])[] | 'none', say: (spread: number) => object, rounds = 300) {
    const log: LogRecord[] = []
    const options = { profile: 'robust', seed: 3, oracle: { interactions } } as const
    const learner = createLearner(problem, { ...options, onRecord: (record) => log.push(record) })
    const random = Random.fromSeed(9)
    const decisions = Array.from({ length: rounds }, () => {
      const x = 2 * random.uniform() - 1
      const spread = random.uniform() < 0.5 ? 0.5 : 3
      const z = 2 * x + spread * Math.sqrt(3) * (2 * random.uniform() - 1)
      const seen = random.uniform() < 0.5
      const decision = learner.decide({
        context: { x },
        covariates: { z: seen ? z : null },
        predictions: { z: { value: 2 * x, ...say(spread) } },
      })
      const mean = decision.action === 'a' ? 0.3 : Math.min(1, 0.02 * z * z)
      learner.reward(decision.id, random.uniform() < mean ? 1 : 0)
      return { decision, spread }
    })
    return { learner, log, options, decisions }
  }
  const right = (spread: number) => ({ sd: spread })

  it('leaves more open where the model is less sure, in the user’s units', () => {
    const { decisions } = play([['z', 'z']], right)
    const late = decisions.slice(200).flatMap(({ decision: { covariates }, spread }) => {
      const { status, sd, modelSd } = covariates.z!
      expect(modelSd).toBeCloseTo(spread, 10)
      return status === 'imputed' ? [sd! / spread] : []
    })
    expect(late.length).toBeGreaterThan(20)
    for (const ratio of late) {
      expect(ratio).toBeGreaterThan(0.6)
      expect(ratio).toBeLessThan(1.7)
    }
  })

  it('decides exactly as without it where the reward is linear in z', () => {
    const actions = (say: (spread: number) => object) =>
      play('none', say).decisions.map(({ decision: { action, propensity } }) => [action, propensity])
    expect(actions(right)).toEqual(actions(() => ({})))
  })

  it('takes quantiles as it takes an sd', () => {
    const propensities = (say: (spread: number) => object) =>
      play([['z', 'z']], say, 120).decisions.map(({ decision }) => decision.propensity)
    const quantiles = (spread: number) => ({ quantiles: { '0.25': 5 - spread, '0.75': 5 + spread } })
    const sd = (spread: number) => ({ sd: spread / 0.6744897501960817 })
    const expected = propensities(sd)
    propensities(quantiles).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i]!, 9)
    })
  })

  it('comes back from snapshot and log to the bit', () => {
    const { learner, log, options } = play([['z', 'z']], right)
    const saved = JSON.parse(JSON.stringify(learner.snapshot()))
    expect(JSON.stringify(saved.state.corrections[0].bySd.slope)).toMatch(/^[01]\.\d+$/)
    expect(JSON.stringify(restoreLearner(problem, saved).snapshot())).toBe(JSON.stringify(saved))
    const again = replayLog(problem, options, JSON.parse(JSON.stringify(log)))
    expect(JSON.stringify(again.snapshot())).toBe(JSON.stringify(saved))
  })
})
