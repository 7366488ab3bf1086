import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { createLearner, number, type Problem } from '../index.js'
import { meanPower, spreadScale } from './residual-moments.js'
import { fitLogVariance } from './residual-variance.js'

describe('a variance that depends on the context', () => {
  it('is recovered from squared residuals, with a factor of mean 1', () => {
    const random = Random.fromSeed(1)
    const rows = 4000
    const x = Float64Array.from({ length: 2 * rows }, () => 2 * random.uniform() - 1)
    const squares = Float64Array.from({ length: rows }, (_, i) => {
      const v = -1 + 1.2 * x[2 * i]! - 0.6 * x[2 * i + 1]!
      return Math.exp(v) * random.normal() ** 2
    })
    const fitted = fitLogVariance(squares, x, 2)!
    // Standard errors: sqrt(2 / 4000) over the columns' standard deviation 0.58, that is 0.04.
    expect(Math.abs(fitted[1]! - 1.2)).toBeLessThan(0.13)
    expect(Math.abs(fitted[2]! + 0.6)).toBeLessThan(0.13)
    let mean = 0
    for (let i = 0; i < rows; i++) mean += spreadScale({ logVariance: fitted }, x, 2 * i) ** 2 / rows
    expect(mean).toBeCloseTo(1, 2)
  })

  it('is flat where it is constant, and not fitted on a handful of rows', () => {
    const random = Random.fromSeed(2)
    const x = Float64Array.from({ length: 2000 }, () => 2 * random.uniform() - 1)
    const squares = Float64Array.from({ length: 2000 }, () => random.normal() ** 2)
    expect(Math.abs(fitLogVariance(squares, x, 1)![1]!)).toBeLessThan(0.18)
    expect(fitLogVariance(squares.slice(0, 7), x.slice(0, 7), 1)).toBeNull()
  })

  it('scales the moments of a power', () => {
    const eta = [-0.6, 0.1, 0.5]
    const moments = [0, 1, 2, 3].map((k) => eta.reduce((sum, value) => sum + value ** k, 0) / 3)
    const direct = eta.reduce((sum, value) => sum + (0.4 + 1.7 * value) ** 3, 0) / 3
    expect(meanPower(0.4, 3, moments, 1.7)).toBeCloseTo(direct, 12)
  })

  it('shows in a reply: a wider residual where the context says so', () => {
    const problem: Problem = {
      context: { x: number({ min: -1, max: 1 }) },
      covariates: { z: { ...number({ min: -6, max: 6 }), imputer: { kind: 'constant', value: 0 } } },
      actions: ['a', 'b'],
      reward: { min: -9, max: 9 },
    }
    const sdAt = (residuals: 'constant' | 'log-linear') => {
      const learner = createLearner(problem, { profile: 'robust', seed: 1, calibration: { residuals } })
      const random = Random.fromSeed(3)
      for (let t = 0; t < 1500; t++) {
        const x = 2 * random.uniform() - 1
        const z = Math.max(-6, Math.min(6, Math.exp(0.8 * x) * random.normal()))
        const decision = learner.decide({ context: { x }, covariates: { z: t % 2 === 0 ? z : null } })
        learner.reward(decision.id, decision.action === 'a' ? z : 0)
      }
      return [-0.9, 0.9].map(
        (x) => learner.decide({ context: { x }, covariates: { z: null } }).covariates.z as { sd: number },
      )
    }
    const [low, high] = sdAt('log-linear')
    expect(low!.sd).toBeLessThan(0.8)
    expect(high!.sd).toBeGreaterThan(1.5)
    const [same, alike] = sdAt('constant')
    expect(same!.sd).toBe(alike!.sd)
  })
})
