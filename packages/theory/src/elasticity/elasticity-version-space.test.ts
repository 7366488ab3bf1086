import { PrimoError } from '@primo/numeric'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { versionSpaceElasticity, versionSpaceRadius } from './elasticity-version-space.js'

const entry = fc.integer({ min: -200, max: 200 }).map((hundredths) => hundredths / 100)

test('the supremum is attained inside the ellipsoid and no point on it, found by search, is larger', () => {
  fc.assert(
    fc.property(
      fc.tuple(entry, entry),
      fc.tuple(entry, entry, entry, entry),
      fc.tuple(entry, entry, entry, entry),
      fc.double({ min: 0.05, max: 3, noNaN: true }),
      (center, c, s, radius) => {
        const moments = product(c)
        const information = product(s)
        information[0] = information[0]! + 0.2
        information[3] = information[3]! + 0.2
        const answer = versionSpaceElasticity({ center: Float64Array.from(center), moments, information, radius })
        const [x, y] = answer.direction as [number, number]
        expect(form(moments, x, y)).toBeCloseTo(answer.supremum, 6)
        expect(form(information, x - center[0], y - center[1])).toBeLessThanOrEqual(radius ** 2 * (1 + 1e-6))
        let best = 0
        for (let k = 0; k < 4000; k++) {
          const a = Math.cos((2 * Math.PI * k) / 4000)
          const b = Math.sin((2 * Math.PI * k) / 4000)
          const scale = radius / Math.sqrt(form(information, a, b))
          best = Math.max(best, form(moments, center[0] + scale * a, center[1] + scale * b))
        }
        expect(answer.supremum).toBeGreaterThanOrEqual(best * (1 - 1e-9))
        expect(answer.supremum).toBeLessThanOrEqual(best * (1 + 1e-4) + 1e-9)
        expect(answer.supremum).toBeGreaterThanOrEqual(answer.plugIn * (1 - 1e-12))
      },
    ),
    { numRuns: 200 },
  )
})

function product([a, b, c, d]: readonly [number, number, number, number]): Float64Array {
  return Float64Array.of(a * a + b * b, a * c + b * d, a * c + b * d, c * c + d * d)
}

function form(matrix: Float64Array, x: number, y: number): number {
  return matrix[0]! * x * x + 2 * matrix[1]! * x * y + matrix[3]! * y * y
}

test('hard case: a center orthogonal to the top direction still reaches along it', () => {
  const moments = Float64Array.of(1, 0, 0, 4)
  const information = Float64Array.of(1, 0, 0, 1)
  const answer = versionSpaceElasticity({ center: Float64Array.of(0.3, 0), moments, information, radius: 2 })
  // Maximise (0.3 + u)^2 + 4 v^2 on u^2 + v^2 = 4: u = 0.1, v^2 = 3.99.
  expect(answer.hardCase).toBe(true)
  expect(answer.supremum).toBeCloseTo(0.4 ** 2 + 4 * 3.99, 10)
  expect(answer.direction[0]!).toBeCloseTo(0.4, 10)
  const centred = versionSpaceElasticity({ center: new Float64Array(2), moments, information, radius: 2 })
  expect(centred.supremum).toBeCloseTo(16, 10)
})

test('a component along the top direction too small to see is treated like none', () => {
  const moments = Float64Array.of(1, 0, 0, 4)
  const information = Float64Array.of(1, 0, 0, 1)
  for (const small of [1e-225, 1e-30, 1e-12]) {
    const answer = versionSpaceElasticity({ center: Float64Array.of(0.3, small), moments, information, radius: 2 })
    expect(answer.supremum).toBeCloseTo(0.4 ** 2 + 4 * 3.99, 9)
  }
})

test('the same center with a small radius is not the hard case', () => {
  const moments = Float64Array.of(1, 0, 0, 4)
  const information = Float64Array.of(1, 0, 0, 1)
  // At nu = 4 the length is 3/(4 - 1) = 1 > radius, so the boundary is met along the first axis alone.
  const answer = versionSpaceElasticity({ center: Float64Array.of(3, 0), moments, information, radius: 0.5 })
  expect(answer.hardCase).toBe(false)
  expect(answer.supremum).toBeCloseTo(3.5 ** 2, 10)
})

test('radius 0 is the plug-in', () => {
  const moments = Float64Array.of(1, 0.2, 0.2, 4)
  const answer = versionSpaceElasticity({
    center: Float64Array.of(1, 2),
    moments,
    information: Float64Array.of(1, 0, 0, 1),
    radius: 0,
  })
  expect(answer.supremum).toBe(answer.plugIn)
  expect(answer.plugIn).toBeCloseTo(1 + 0.8 + 16, 12)
})

test('the confidence radius is the chi-square tail bound', () => {
  const rho = versionSpaceRadius({ variance: 0.03, paramDim: 9 })
  const log = Math.log(20)
  expect(rho ** 2).toBeCloseTo(0.03 * (9 + 2 * Math.sqrt(9 * log) + 2 * log), 12)
  expect(() => versionSpaceRadius({ variance: -1, paramDim: 9 })).toThrow('variance must be >= 0, got -1')
  expect(() => versionSpaceRadius({ variance: 1, paramDim: 9, delta: 0 })).toThrow('delta must be in (0, 1), got 0')
})

test('bad input is refused', () => {
  const base = { center: Float64Array.of(1), moments: Float64Array.of(1), information: Float64Array.of(1), radius: 1 }
  expect(() => versionSpaceElasticity({ ...base, radius: -1 })).toThrow('radius must be >= 0, got -1')
  expect(() => versionSpaceElasticity({ ...base, center: new Float64Array(0) })).toThrow(PrimoError)
  expect(() => versionSpaceElasticity({ ...base, moments: new Float64Array(2) })).toThrow(
    'moments must have 1 entries, got 2',
  )
})
