import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inverseMills, normalDensity, normalDistribution, normalLogDistribution, normalQuantile } from './normal.js'

interface Reference {
  readonly x: readonly number[]
  readonly density: readonly number[]
  readonly distribution: readonly number[]
  readonly logDistribution: readonly number[]
  readonly inverseMills: readonly number[]
  readonly p: readonly number[]
  readonly quantile: readonly number[]
}

const { normal }: { normal: Reference } = JSON.parse(
  readFileSync(new URL('../../fixtures/numeric.json', import.meta.url), 'utf8'),
)

const TOLERANCE = 1e-14

/** The largest relative error over the points, and where it is. */
function worst(
  points: readonly number[],
  expected: readonly number[],
  f: (point: number) => number,
): { at: number; error: number } {
  expect(points.length).toBe(expected.length)
  let found = { at: Number.NaN, error: 0 }
  points.forEach((point, i) => {
    const error = Math.abs(f(point) / expected[i]! - 1)
    if (!(error <= found.error)) found = { at: point, error }
  })
  return found
}

describe('the standard normal', () => {
  test.each([
    ['density', normalDensity, normal.density],
    ['distribution', normalDistribution, normal.distribution],
    ['log distribution', normalLogDistribution, normal.logDistribution],
    ['inverse Mills ratio', inverseMills, normal.inverseMills],
  ])('%s agrees with mpmath to 1e-14 relative for x from -37 to 37', (_, f, expected) => {
    expect(normal.x[0]).toBe(-37)
    expect(normal.x.at(-1)).toBe(37)
    expect(worst(normal.x, expected, f).error).toBeLessThanOrEqual(TOLERANCE)
  })

  test('quantile agrees with mpmath to 1e-14 relative for p from 1e-300 to 1 - 1e-15, also beside the median', () => {
    expect(normal.p[0]).toBe(1e-300)
    expect(normal.p.at(-1)).toBe(1 - 1e-15)
    expect(worst(normal.p, normal.quantile, normalQuantile).error).toBeLessThanOrEqual(TOLERANCE)
  })

  test('the distribution is symmetric and the quantile odd', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 40, noNaN: true }), (x) => {
        expect(Math.abs(normalDistribution(x) + normalDistribution(-x) - 1)).toBeLessThanOrEqual(2.3e-16)
        expect(normalDensity(x)).toBe(normalDensity(-x))
        const p = normalDistribution(x)
        if (p > 0.5 && p < 1) expect(normalQuantile(1 - p)).toBe(-normalQuantile(p))
      }),
    )
  })

  test('the distribution never falls', () => {
    let last = 0
    for (let x = -38; x <= 9; x += 1 / 512) {
      const value = normalDistribution(x)
      // One rounding may go either way where two formulas meet or 1 is near.
      expect(value).toBeGreaterThanOrEqual(last * (1 - 1e-14))
      last = value
    }
    expect(last).toBe(1)
  })

  test('the quantile undoes the distribution below the median', () => {
    fc.assert(
      fc.property(fc.double({ min: -37, max: 0, noNaN: true }), (x) => {
        expect(Math.abs(normalQuantile(normalDistribution(x)) - x)).toBeLessThanOrEqual(1e-13)
      }),
      { numRuns: 500 },
    )
  })

  test('the inverse Mills ratio is the slope of the log distribution', () => {
    fc.assert(
      fc.property(fc.double({ min: -60, max: 8, noNaN: true }), (x) => {
        const h = 1e-4
        const slope = (normalLogDistribution(x + h) - normalLogDistribution(x - h)) / (2 * h)
        expect(Math.abs(slope - inverseMills(x))).toBeLessThanOrEqual(1e-6)
      }),
    )
  })

  test('has the limits 0 and 1 at infinity, and the median 0', () => {
    expect(normalDistribution(Number.NEGATIVE_INFINITY)).toBe(0)
    expect(normalDistribution(Number.POSITIVE_INFINITY)).toBe(1)
    expect(normalDensity(Number.NEGATIVE_INFINITY)).toBe(0)
    expect(normalDistribution(0)).toBe(0.5)
    expect(Math.abs(normalQuantile(0.5))).toBeLessThan(1e-300)
    expect(normalQuantile(0)).toBe(Number.NEGATIVE_INFINITY)
    expect(normalQuantile(1)).toBe(Number.POSITIVE_INFINITY)
  })

  test('the logarithm stays finite where the distribution is 0', () => {
    expect(normalDistribution(-50)).toBe(0)
    // -x^2/2 - log(x sqrt(2 pi)) + log(1 - 1/x^2 + ...), mpmath: -1254.8313611394199
    expect(normalLogDistribution(-50) / -1254.8313611394199).toBeCloseTo(1, 14)
    expect(inverseMills(-1e6)).toBeCloseTo(1e6, 5)
  })
})
