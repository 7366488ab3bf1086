import { readFileSync } from 'node:fs'
import { normalDistribution } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logistic } from '../regression/log-odds.js'
import { type ObservationModel, observationProbability, observationSettings } from './observation-model.js'

const fixture: { logistic: { t: readonly number[]; value: readonly number[] } } = JSON.parse(
  readFileSync(new URL('../../fixtures/missingness.json', import.meta.url), 'utf8'),
)

describe('observationSettings', () => {
  test('are a logit by squared loss with floor 0.05 unless told otherwise', () => {
    expect(observationSettings()).toEqual({ model: 'logit', loss: 'squared', floor: 0.05, recalibration: 'none' })
    expect(observationSettings({ model: 'probit', loss: 'likelihood', floor: 1 })).toEqual({
      model: 'probit',
      loss: 'likelihood',
      floor: 1,
      recalibration: 'none',
    })
  })

  test.each([0, -0.1, 1.0001, Number.NaN, Number.POSITIVE_INFINITY])('refuse the floor %d', (floor) => {
    expect(() => observationSettings({ floor })).toThrow(
      expect.objectContaining({
        code: 'invalid-option',
        message: `observation.floor (eps0) must be in (0, 1], got ${floor}`,
        facts: expect.objectContaining({ value: floor }),
      }),
    )
  })

  test('refuse an unknown model and an unknown loss by name', () => {
    expect(() => observationSettings({ model: 'tobit' as 'logit' })).toThrow(
      expect.objectContaining({
        code: 'invalid-option',
        message: 'observation.model must be "constant", "logit", "probit" or a function class, got "tobit"',
      }),
    )
    expect(() => observationSettings({ loss: 'absolute' as 'squared' })).toThrow(
      expect.objectContaining({
        code: 'invalid-option',
        message: 'observation.loss must be "squared" or "likelihood", got "absolute"',
      }),
    )
  })
})

describe('logistic', () => {
  test('agrees with mpmath to 1e-15 relative, in both tails', () => {
    fixture.logistic.t.forEach((t, i) => {
      const expected = fixture.logistic.value[i]!
      // 5e-324: the last bit of a subnormal number.
      expect(Math.abs(logistic(t) - expected)).toBeLessThanOrEqual(1e-15 * expected + 5e-324)
    })
  })

  test('is symmetric', () => {
    fc.assert(
      fc.property(fc.double({ min: -50, max: 50, noNaN: true }), (t) => {
        expect(Math.abs(logistic(t) + logistic(-t) - 1)).toBeLessThanOrEqual(2.3e-16)
      }),
    )
  })
})

describe('observationProbability', () => {
  const floor = fc.double({ min: 1e-6, max: 1, noNaN: true })
  const weights = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 4, maxLength: 4 })
  const link = fc.record({ kind: fc.constantFrom('logit' as const, 'probit' as const), weights, floor })
  const constant = fc.record({
    kind: fc.constant('constant' as const),
    probability: fc.double({ min: 0, max: 1, noNaN: true }),
    floor,
  })
  const contexts = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 3, maxLength: 3 })

  test('is in [floor, 1] for any weights and any context', () => {
    fc.assert(
      fc.property(fc.oneof(link, constant), contexts, (model, context) => {
        const value = observationProbability(model, Float64Array.from(context), 0)
        expect(value).toBeGreaterThanOrEqual(model.floor)
        expect(value).toBeLessThanOrEqual(1)
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['logit', (t: number) => 1 / (1 + Math.exp(-t))],
    ['probit', normalDistribution],
  ] as const)('is the %s link of intercept and weights, read at the offset', (kind, linkOf) => {
    const model: ObservationModel = { kind, weights: [0.3, -1, 2], floor: 0.05 }
    const contexts = Float64Array.of(99, 0.5, 0.25, -1, 0)
    expect(observationProbability(model, contexts, 1)).toBeCloseTo(linkOf(0.3 - 0.5 + 0.5), 15)
    expect(observationProbability(model, contexts, 3)).toBeCloseTo(linkOf(0.3 + 1), 15)
  })

  test('is the constant of a constant model, lifted to the floor', () => {
    const contexts = Float64Array.of(1, 2)
    expect(observationProbability({ kind: 'constant', probability: 0.6, floor: 0.05 }, contexts, 0)).toBe(0.6)
    expect(observationProbability({ kind: 'constant', probability: 0.01, floor: 0.05 }, contexts, 0)).toBe(0.05)
  })

  test('rises with the index where the floor does not bind', () => {
    for (const kind of ['logit', 'probit'] as const) {
      const model: ObservationModel = { kind, weights: [0, 1], floor: 0.05 }
      let last = 0
      for (let t = -1.5; t < 3; t += 0.25) {
        const value = observationProbability(model, Float64Array.of(t), 0)
        expect(value).toBeGreaterThan(last)
        last = value
      }
    }
  })
})
