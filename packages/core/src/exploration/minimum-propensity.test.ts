import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inverseGapWeighting } from './inverse-gap-weighting.js'
import { raiseToMinimum } from './minimum-propensity.js'

const instance = fc.record({
  scores: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 }),
  gamma: fc.double({ min: 0, max: 1e5, noNaN: true }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
})

it('gives every action the minimum, sums to one and keeps the order of the actions', () => {
  fc.assert(
    fc.property(instance, ({ scores, gamma, share }) => {
      const before = new Float64Array(scores.length)
      inverseGapWeighting(Float64Array.from(scores), scores.length, gamma, before)
      const minimum = share / scores.length
      const after = Float64Array.from(before)
      raiseToMinimum(after, scores.length, minimum)
      expect(after.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12)
      after.forEach((p, a) => {
        expect(p).toBeGreaterThanOrEqual(minimum * (1 - 1e-12))
        before.forEach((q, b) => {
          if (before[a]! > q) expect(p).toBeGreaterThanOrEqual(after[b]!)
        })
      })
    }),
  )
})

it('changes nothing when every action already has the minimum', () => {
  const p = Float64Array.of(0.5, 0.3, 0.2)
  raiseToMinimum(p, 3, 0.2)
  expect([...p]).toEqual([0.5, 0.3, 0.2])
})

it('is uniform at minimum 1/K', () => {
  const p = Float64Array.of(0.97, 0.02, 0.01, 0)
  raiseToMinimum(p, 4, 0.25)
  for (const value of p) expect(value).toBeCloseTo(0.25, 15)
})
