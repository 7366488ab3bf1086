import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { solveSecular } from './secular.js'

interface Case {
  readonly name: string
  readonly c: readonly number[]
  readonly e: readonly number[]
  readonly radius: number
  readonly mu: number
}

const fixture: { secular: readonly Case[] } = JSON.parse(
  readFileSync(new URL('../../fixtures/numeric.json', import.meta.url), 'utf8'),
)

/** psi(mu) / radius^2. */
function share(c: ArrayLike<number>, e: ArrayLike<number>, radius: number, mu: number): number {
  let sum = 0
  for (let k = 0; k < c.length; k++) if (c[k] !== 0) sum += (c[k]! / radius / (e[k]! + mu)) ** 2
  return sum
}

const solve = (c: readonly number[], e: readonly number[], radius: number) =>
  solveSecular(Float64Array.from(c), Float64Array.from(e), radius)

/** Magnitudes over `decades` decades on both sides of 1, and zero. */
const magnitude = (decades: number) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(0) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.double({ min: -decades, max: decades, noNaN: true }), fc.double({ min: 1, max: 10, noNaN: true }))
        .map(([power, mantissa]) => mantissa * 10 ** power),
    },
  )

const problems = (decades: number) =>
  fc.record({
    terms: fc.array(fc.tuple(magnitude(decades), fc.boolean(), magnitude(decades)), { minLength: 1, maxLength: 8 }),
    radius: magnitude(decades).filter((radius) => radius > 0),
  })

describe('solveSecular', () => {
  test.each(fixture.secular)('agrees with mpmath to 1e-12: $name', ({ c, e, radius, mu }) => {
    const smallest = Math.min(...e.filter((_, k) => c[k] !== 0))
    expect(Math.abs(solve(c, e, radius) - mu)).toBeLessThanOrEqual(1e-12 * (mu + smallest))
  })

  test.each([3, 12, 60])(
    'meets the equation to 1e-12, or is 0 inside the ball, with numbers over %i decades each way',
    (decades) => {
      let inside = 0
      let outside = 0
      fc.assert(
        fc.property(problems(decades), ({ terms, radius }) => {
          const c = terms.map(([size, negative]) => (negative ? -size : size))
          const e = terms.map(([, , value]) => value)
          const mu = solve(c, e, radius)
          expect(mu).toBeGreaterThanOrEqual(0)
          if (mu === 0) {
            inside++
            expect(share(c, e, radius, 0)).toBeLessThanOrEqual(1 + 1e-12)
          } else {
            outside++
            expect(Math.abs(share(c, e, radius, mu) - 1)).toBeLessThanOrEqual(1e-12)
          }
        }),
        { numRuns: 2000 },
      )
      expect(Math.min(inside, outside)).toBeGreaterThan(50)
    },
  )

  test('gives 0 inside the ball and on its border', () => {
    expect(solve([3, 4], [1, 1], 5)).toBe(0)
    expect(solve([3, 4], [1, 1], 5.5)).toBe(0)
    expect(solve([3, 4], [1, 1], 4.9)).toBeGreaterThan(0)
  })

  test('has the closed form |c|/radius - e when all eigenvalues are equal', () => {
    expect(solve([3, 4], [2, 2], 0.5)).toBeCloseTo(8, 12)
    expect(solve([3, 4], [0, 0], 0.5)).toBeCloseTo(10, 12)
  })

  test('ignores a zero eigenvalue whose target is zero', () => {
    expect(solve([0, 1], [0, 4], 0.5)).toBe(0)
    expect(solve([0, 1], [0, 4], 0.1)).toBeCloseTo(6, 12)
    expect(solve([0, 0], [0, 0], 0.1)).toBe(0)
  })

  test('grows as the radius shrinks', () => {
    fc.assert(
      fc.property(problems(6), fc.double({ min: 0.01, max: 0.99, noNaN: true }), ({ terms, radius }, factor) => {
        const c = terms.map(([size]) => size)
        const e = terms.map(([, , value]) => value)
        expect(solve(c, e, radius * factor)).toBeGreaterThanOrEqual(solve(c, e, radius) * (1 - 1e-12))
      }),
      { numRuns: 300 },
    )
  })

  test('does not change its inputs', () => {
    const c = Float64Array.of(1, -2)
    const e = Float64Array.of(0.5, 0)
    solveSecular(c, e, 0.1)
    expect([...c, ...e]).toEqual([1, -2, 0.5, 0])
  })
})
