import { PrimoError, Random } from '@primo/numeric'
import { estimateLipschitz, estimateNoiseBound } from '@primo/theory'
import { expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import { diagnoseOverlap } from '../diagnostics/overlap.js'

test('lambda is the largest residual, with a quantile and sigma beside it', () => {
  const random = Random.fromSeed(1)
  const residuals = Float64Array.from({ length: 5000 }, () => 0.6 * (random.uniform() - 0.5))
  const bound = estimateNoiseBound({ residuals })
  expect(bound.lambda).toBeGreaterThan(0.299)
  expect(bound.lambda).toBeLessThanOrEqual(0.3)
  expect(bound.quantile).toBeCloseTo(0.297, 2)
  expect(bound.sigma).toBeCloseTo(0.3 / Math.sqrt(3), 2)
  expect(estimateNoiseBound({ residuals: [3, -4], degreesOfFreedom: 2 }).sigma).toBe(5)
  expect(estimateNoiseBound({ residuals: [1, 2, 3, 4], quantile: 0.5 }).quantile).toBe(2)
  expect(() => estimateNoiseBound({ residuals: [] })).toThrow('residuals must be a list with at least one number')
  expect(() => estimateNoiseBound({ residuals: [Number.NaN] })).toThrow(PrimoError)
})

test('L_Z of the fit is the largest slope, and of the version space the largest any of its members has', () => {
  const random = Random.fromSeed(2)
  const gradients = Float64Array.from({ length: 60 }, () => random.normal())
  const center = Float64Array.of(0.5, -0.2)
  const information = Float64Array.of(5, 1, 1, 3)
  const plain = estimateLipschitz({ gradients, columns: 2, coefficients: [center, Float64Array.of(0, 0)] })
  let expected = 0
  for (let at = 0; at < 60; at += 2)
    expected = Math.max(expected, Math.abs(0.5 * gradients[at]! - 0.2 * gradients[at + 1]!))
  expect(plain.lipschitz).toBeCloseTo(expected, 12)
  expect(plain.perAction[1]).toBe(0)
  const wide = estimateLipschitz({
    gradients,
    columns: 2,
    coefficients: [center],
    information: [information],
    radius: 0.7,
  })
  let searched = 0
  for (let k = 0; k < 20000; k++) {
    const c = Math.cos((2 * Math.PI * k) / 20000)
    const s = Math.sin((2 * Math.PI * k) / 20000)
    const scale = 0.7 / Math.sqrt(5 * c * c + 2 * c * s + 3 * s * s)
    for (let at = 0; at < 60; at += 2) {
      const slope = (0.5 + scale * c) * gradients[at]! + (-0.2 + scale * s) * gradients[at + 1]!
      searched = Math.max(searched, Math.abs(slope))
    }
  }
  expect(wide.lipschitz).toBeCloseTo(searched, 6)
})

test('overlap is reported against the floor the user chose and never moves it', () => {
  const overlap = diagnoseOverlap({ probabilities: [0.02, 0.1, 0.5, 0.9], floor: 0.1 })
  expect(overlap).toMatchObject({ floor: 0.1, smallest: 0.02, shareAtFloor: 0.5, rows: 4 })
  expect(overlap.warnings[0]!.code).toBe('overlap-below-floor')
  expect(diagnoseOverlap({ probabilities: [0.5, 0.6] }).warnings).toEqual([])
})

test('bad input is refused by field', () => {
  const cases: [() => unknown, string][] = [
    [() => diagnoseOverlap({ probabilities: [] }), 'probabilities'],
    [() => diagnoseOverlap({ probabilities: [2] }), 'probabilities[0]'],
    [() => diagnoseOverlap({ probabilities: [0.5], floor: 0 }), 'floor'],
    [() => estimateLipschitz({ gradients: new Float64Array(0), columns: 1, coefficients: [] }), 'gradients'],
    [() => estimateLipschitz({ gradients: new Float64Array(2), columns: 1, coefficients: [] }), 'coefficients'],
    [
      () =>
        estimateLipschitz({
          gradients: new Float64Array(2),
          columns: 1,
          coefficients: [new Float64Array(1)],
          radius: 1,
        }),
      'information',
    ],
  ]
  for (const [call, field] of cases) {
    expect(errorOf(call), field).toMatchObject({ facts: { field } })
  }
})
