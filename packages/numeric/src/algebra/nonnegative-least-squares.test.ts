import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Random } from '../random/random.js'
import { nonnegativeLeastSquares, simplexLeastSquares } from './nonnegative-least-squares.js'

function problem(seed: number, p: number, rows: number) {
  const random = Random.fromSeed(seed)
  const design = Float64Array.from({ length: rows * p }, () => random.normal())
  const y = Float64Array.from({ length: rows }, () => 2 * random.normal())
  const a = new Float64Array(p * p)
  const b = new Float64Array(p)
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < p; i++) {
      b[i] = b[i]! + design[row * p + i]! * y[row]!
      for (let j = 0; j < p; j++) a[i * p + j] = a[i * p + j]! + design[row * p + i]! * design[row * p + j]!
    }
  }
  return { a, b, p }
}

function gradient(a: Float64Array, b: Float64Array, c: Float64Array): number[] {
  return Array.from(b, (value, i) => c.reduce((sum, entry, j) => sum + a[i * b.length + j]! * entry, -value))
}

const sizes = fc.record({
  seed: fc.nat(1e6),
  p: fc.integer({ min: 1, max: 10 }),
  rows: fc.integer({ min: 10, max: 40 }),
})

test('the solution satisfies the optimality conditions', () => {
  fc.assert(
    fc.property(sizes, ({ seed, p, rows }) => {
      const { a, b } = problem(seed, p, rows)
      const c = nonnegativeLeastSquares(a, b)
      gradient(a, b, c).forEach((value, j) => {
        expect(c[j]!).toBeGreaterThanOrEqual(0)
        if (c[j]! > 0) expect(Math.abs(value)).toBeLessThan(1e-7 * rows)
        else expect(value).toBeGreaterThan(-1e-7 * rows)
      })
    }),
  )
})

test('with the sum at most 1 no vertex improves: the duality gap is small', () => {
  fc.assert(
    fc.property(sizes, ({ seed, p, rows }) => {
      const { a, b } = problem(seed, p, rows)
      const c = simplexLeastSquares(a, b)
      expect(c.reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(1 + 1e-12)
      const slope = gradient(a, b, c)
      const here = slope.reduce((sum, value, j) => sum + value * c[j]!, 0)
      // The best vertex is a unit vector or 0.
      expect(here - Math.min(0, ...slope)).toBeLessThan(1e-3 * rows)
    }),
  )
})

test('a column repeated twice, and a column of zeros, do no harm', () => {
  const a = Float64Array.of(2, 2, 0, 2, 2, 0, 0, 0, 0)
  const c = nonnegativeLeastSquares(a, Float64Array.of(1, 1, 0))
  expect(c[0]! + c[1]!).toBeCloseTo(0.5, 9)
  expect(c[2]).toBe(0)
})
