import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { projectToSimplex } from './simplex.js'

/** The threshold by bisection: sum of max(v - t, 0) falls in t. */
function naiveProjection(values: readonly number[]): number[] {
  let low = Math.min(...values) - 1
  let high = Math.max(...values)
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2
    const sum = values.reduce((total, value) => total + Math.max(0, value - middle), 0)
    if (sum > 1) low = middle
    else high = middle
  }
  return values.map((value) => Math.max(0, value - high))
}

function project(values: readonly number[]): number[] {
  const projected = Float64Array.from(values)
  projectToSimplex(projected, 0, values.length)
  return [...projected]
}

const vector = (most: number) =>
  fc.array(fc.double({ min: -most, max: most, noNaN: true }), { minLength: 1, maxLength: 8 })

describe('projectToSimplex', () => {
  test('agrees with a search for the threshold, to 1e-12', () => {
    fc.assert(
      fc.property(vector(3), (values) => {
        const expected = naiveProjection(values)
        project(values).forEach((value, k) => {
          expect(Math.abs(value - expected[k]!)).toBeLessThanOrEqual(1e-12)
        })
      }),
      { numRuns: 300 },
    )
  })

  test('gives probabilities: none below 0, sum 1, also for numbers as large as 1e300', () => {
    for (const most of [1, 100, 1e17, 1e300]) {
      fc.assert(
        fc.property(vector(most), (values) => {
          const projected = project(values)
          for (const value of projected) expect(value).toBeGreaterThanOrEqual(0)
          expect(Math.abs(projected.reduce((total, value) => total + value, 0) - 1)).toBeLessThanOrEqual(1e-12)
        }),
        { numRuns: 100 },
      )
    }
  })

  test('leaves a probability vector where it is, to rounding', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }), (raw) => {
        const total = raw.reduce((sum, value) => sum + value, 0)
        fc.pre(total > 1e-3)
        const probabilities = raw.map((value) => value / total)
        project(probabilities).forEach((value, k) => {
          expect(Math.abs(value - probabilities[k]!)).toBeLessThanOrEqual(1e-15 * 8)
        })
      }),
    )
  })

  test('is nearer than any other probability vector', () => {
    const pairs = fc.integer({ min: 1, max: 6 }).chain((n) => {
      const values = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: n, maxLength: n })
      const other = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: n, maxLength: n })
      return fc.tuple(values, other)
    })
    const distance = (a: readonly number[], b: readonly number[]) =>
      a.reduce((sum, value, k) => sum + (value - b[k]!) ** 2, 0)
    fc.assert(
      fc.property(pairs, ([values, raw]) => {
        const total = raw.reduce((sum, value) => sum + value, 0)
        const other = raw.map((value) => value / total)
        expect(distance(project(values), values)).toBeLessThanOrEqual(distance(other, values) + 1e-12)
      }),
      { numRuns: 300 },
    )
  })

  test('has known answers', () => {
    expect(project([5])).toEqual([1])
    expect(project([0, 0])).toEqual([0.5, 0.5])
    expect(project([2, 0, 0])).toEqual([1, 0, 0])
    expect(project([0.5, 0.5, -1])).toEqual([0.5, 0.5, 0])
    expect(project([-3, -3, -3, -3])).toEqual([0.25, 0.25, 0.25, 0.25])
  })

  test('touches only its own part of the array', () => {
    const values = Float64Array.of(9, -9, 0.2, 0.2, 7)
    projectToSimplex(values, 2, 2)
    expect([values[0], values[1], values[4]]).toEqual([9, -9, 7])
    expect(values[2]).toBeCloseTo(0.5, 15)
    expect(values[3]).toBeCloseTo(0.5, 15)
  })
})
