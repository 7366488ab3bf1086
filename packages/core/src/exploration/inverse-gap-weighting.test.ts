import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inverseGapWeighting } from './inverse-gap-weighting.js'

const score = fc.double({ min: 0, max: 1, noNaN: true })
const scoresAndGamma = fc.tuple(
  fc.array(score, { minLength: 1, maxLength: 24 }),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
)

function weigh(scores: readonly number[], gamma: number): Float64Array {
  const out = new Float64Array(scores.length)
  inverseGapWeighting(Float64Array.from(scores), scores.length, gamma, out)
  return out
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)

describe('inverse gap weighting', () => {
  it('sums to one', () => {
    fc.assert(fc.property(scoresAndGamma, ([scores, gamma]) => Math.abs(sum(weigh(scores, gamma)) - 1) < 1e-12))
  })

  it('gives the best action at least 1/K and every other action between 0 and 1/K', () => {
    fc.assert(
      fc.property(scoresAndGamma, ([scores, gamma]) => {
        const p = weigh(scores, gamma)
        const best = scores.indexOf(Math.max(...scores))
        expect(p[best]!).toBeGreaterThanOrEqual(1 / scores.length - 1e-12)
        p.forEach((value, a) => {
          if (a === best) return
          expect(value).toBeGreaterThan(0)
          expect(value).toBeLessThanOrEqual(1 / scores.length + 1e-15)
        })
      }),
    )
  })

  it('gives every action exactly 1/(K + gamma * gap), the best one what is left', () => {
    const p = weigh([0.5, 0.9, 0.4, 0.9], 10)
    expect(p[0]).toBe(1 / (4 + 10 * (0.9 - 0.5)))
    expect(p[2]).toBe(1 / (4 + 10 * (0.9 - 0.4)))
    expect(p[3]).toBe(1 / 4)
    expect(p[1]).toBeCloseTo(1 - p[0]! - p[2]! - p[3]!, 15)
  })

  it('takes the smallest index among tied best actions', () => {
    const p = weigh([0.2, 0.7, 0.7, 0.1], 50)
    expect(p[1]).toBeGreaterThan(p[2]!)
  })

  it('is uniform at gamma 0 and greedy with shared ties at gamma Infinity', () => {
    for (const value of weigh([0.1, 0.7, 0.3], 0)) expect(value).toBeCloseTo(1 / 3, 15)
    expect([...weigh([0.1, 0.7, 0.3], Number.POSITIVE_INFINITY)]).toEqual([0, 1, 0])
    expect([...weigh([0.7, 0.7, 0.3, 0.1], Number.POSITIVE_INFINITY)]).toEqual([0.75, 0.25, 0, 0])
  })

  it('plays the only action with propensity 1', () => {
    expect([...weigh([0.3], 7)]).toEqual([1])
  })

  it('does not increase a propensity when the gap grows', () => {
    fc.assert(
      fc.property(scoresAndGamma, ([scores, gamma]) => {
        const p = weigh(scores, gamma)
        const best = scores.indexOf(Math.max(...scores))
        for (let a = 0; a < scores.length; a++) {
          for (let b = 0; b < scores.length; b++) {
            if (a !== best && b !== best && scores[a]! > scores[b]!) expect(p[a]!).toBeGreaterThanOrEqual(p[b]!)
          }
        }
      }),
    )
  })

  it('has estimated regret at most (K - 1)/gamma, and comes close to it for small gaps and large gamma', () => {
    fc.assert(
      fc.property(scoresAndGamma, ([scores, gamma]) => {
        if (gamma === 0) return
        const top = Math.max(...scores)
        const regret = sum(weigh(scores, gamma).map((p, a) => p * (top - scores[a]!)))
        expect(regret).toBeLessThanOrEqual(((scores.length - 1) / gamma) * (1 + 1e-9))
      }),
    )
    const p = weigh([1, 0, 0, 0, 0], 1e5)
    expect((sum([...p].slice(1)) * 1e5) / 4).toBeGreaterThan(0.999)
  })

  it('keeps the decision-estimation inequality 2K/gamma + (gamma/4) sum p (v - f)^2 for every f in [0,1]^K', () => {
    const instance = fc.integer({ min: 1, max: 12 }).chain((actions) =>
      fc.record({
        scores: fc.array(score, { minLength: actions, maxLength: actions }),
        truth: fc.array(score, { minLength: actions, maxLength: actions }),
        gamma: fc.double({ min: 1e-3, max: 1e5, noNaN: true }),
      }),
    )
    fc.assert(
      fc.property(instance, ({ scores, truth, gamma }) => {
        const p = weigh(scores, gamma)
        const top = Math.max(...truth)
        const regret = sum(p.map((value, a) => value * (top - truth[a]!)))
        const error = sum(p.map((value, a) => value * (scores[a]! - truth[a]!) ** 2))
        expect(regret).toBeLessThanOrEqual((2 * scores.length) / gamma + (gamma / 4) * error + 1e-12)
      }),
      { numRuns: 5000 },
    )
  })
})
