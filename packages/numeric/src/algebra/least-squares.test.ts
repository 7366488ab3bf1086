import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Random } from '../random/random.js'
import { featureGram, featureTarget, residualSum, solveRidge, targetSquare } from './least-squares.js'
import { type Sums, sumRows } from './sums.js'

interface Case {
  readonly name: string
  readonly columns: number
  readonly rows: readonly number[]
  readonly weights: readonly number[] | null
  readonly ridge: number
  readonly centre: number
  readonly coefficients: readonly number[]
  readonly residualSum: number
  readonly degreesOfFreedom: number
  readonly tolerance: number
}

const fixture: { leastSquares: readonly Case[] } = JSON.parse(
  readFileSync(new URL('../../fixtures/numeric.json', import.meta.url), 'utf8'),
)

function sumsOf(rows: Float64Array, columns: number, weights: Float64Array | null): Sums {
  return sumRows(rows, 0, rows.length / (columns + 1), columns, weights, 0, new Float64Array(rows.length))
}

/** Rows [1, x, y] with a weight each. */
function sample(seed: number, count: number, columns: number): { rows: Float64Array; weights: Float64Array } {
  const random = Random.fromSeed(seed)
  const width = columns + 1
  const rows = Float64Array.from({ length: count * width }, (_, at) => (at % width === 0 ? 1 : random.normal()))
  return { rows, weights: Float64Array.from({ length: count }, () => 0.1 + 4 * random.uniform()) }
}

describe('solveRidge', () => {
  test.each(fixture.leastSquares)('agrees with numpy: $name', (reference) => {
    const { columns, rows, weights, ridge, centre, tolerance } = reference
    const sums = sumsOf(Float64Array.from(rows), columns, weights === null ? null : Float64Array.from(weights))
    const fit = solveRidge(sums, ridge, centre)
    const largest = Math.max(...reference.coefficients.map(Math.abs))
    expect(fit.coefficients.length).toBe(columns)
    reference.coefficients.forEach((value, i) => {
      expect(Math.abs(fit.coefficients[i]! - value)).toBeLessThanOrEqual(tolerance * largest)
    })
    expect(Math.abs(fit.residualSum / reference.residualSum - 1)).toBeLessThanOrEqual(tolerance)
    expect(Math.abs(fit.degreesOfFreedom / reference.degreesOfFreedom - 1)).toBeLessThanOrEqual(tolerance)
  })

  test('meets the normal equations, and its residual sum is the one counted row by row', () => {
    const draw = fc.record({
      seed: fc.nat(),
      columns: fc.integer({ min: 1, max: 7 }),
      count: fc.integer({ min: 1, max: 30 }),
      ridge: fc.double({ min: 0.01, max: 10, noNaN: true }),
      centre: fc.double({ min: -2, max: 2, noNaN: true }),
    })
    fc.assert(
      fc.property(draw, ({ seed, columns, count, ridge, centre }) => {
        const { rows, weights } = sample(seed, count, columns)
        const { coefficients, residualSum: sum } = solveRidge(sumsOf(rows, columns, weights), ridge, centre)
        const slope = coefficients.map((value) => -ridge * value)
        let squares = 0
        let scale = 1
        for (let row = 0; row < count; row++) {
          const at = row * (columns + 1)
          let residual = rows[at + columns]! - centre
          for (let k = 0; k < columns; k++) residual -= coefficients[k]! * rows[at + k]!
          squares += weights[row]! * residual * residual
          for (let k = 0; k < columns; k++) slope[k]! += weights[row]! * residual * rows[at + k]!
          scale += weights[row]! * (rows[at + columns]! - centre) ** 2
        }
        for (const value of slope) expect(Math.abs(value)).toBeLessThanOrEqual(1e-9 * scale)
        expect(Math.abs(sum - squares)).toBeLessThanOrEqual(1e-9 * scale)
        expect(sum).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 200 },
    )
  })

  test("returns the lower factor of X'WX + ridge I", () => {
    const { rows, weights } = sample(3, 20, 4)
    const sums = sumsOf(rows, 4, weights)
    const { factor } = solveRidge(sums, 0.5)
    const matrix = featureGram(sums, 0.5)
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 4; j++) {
        let product = 0
        for (let k = 0; k < 4; k++) product += factor[i * 4 + k]! * factor[j * 4 + k]!
        expect(Math.abs(product - matrix[i * 4 + j]!)).toBeLessThanOrEqual(1e-12 * matrix[0]!)
      }
    }
  })

  test('uses as many degrees of freedom as columns without ridge, and fewer with more ridge', () => {
    const { rows, weights } = sample(4, 30, 5)
    const sums = sumsOf(rows, 5, weights)
    const degrees = [0, 0.1, 1, 10, 1000, 1e9].map((ridge) => solveRidge(sums, ridge).degreesOfFreedom)
    expect(degrees[0]).toBe(5)
    for (let i = 1; i < degrees.length; i++) expect(degrees[i]!).toBeLessThan(degrees[i - 1]!)
    expect(degrees.at(-1)!).toBeGreaterThanOrEqual(0)
    expect(degrees.at(-1)!).toBeLessThan(1e-5)
  })

  test('shrinks towards the centre: much ridge predicts the centre everywhere', () => {
    const { rows } = sample(5, 30, 3)
    const { coefficients } = solveRidge(sumsOf(rows, 3, null), 1e9, 0.75)
    for (const value of coefficients) expect(Math.abs(value)).toBeLessThan(1e-6)
  })

  test('gives zero coefficients, no residual and no degree of freedom when there is no row', () => {
    const fit = solveRidge(sumsOf(new Float64Array(0), 3, null), 2)
    expect(fit.coefficients).toEqual(new Float64Array(3))
    expect(fit.residualSum).toBe(0)
    expect(fit.degreesOfFreedom).toBeCloseTo(0, 12)
  })

  test('without ridge a repeated column is a typed error', () => {
    const rows = Float64Array.of(1, 2, 2, 5, 1, 3, 3, 1, 1, 5, 5, 2)
    expect(() => solveRidge(sumsOf(rows, 3, null), 0)).toThrow(
      expect.objectContaining({ code: 'not-positive-definite', facts: expect.objectContaining({ row: 2 }) }),
    )
  })

  test('gives a residual sum of 0, never below, for targets it can fit', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { rows, weights } = sample(seed, 12, 3)
        for (let row = 0; row < 12; row++) rows[row * 4 + 3] = 1e3 + 2 * rows[row * 4 + 1]! - rows[row * 4 + 2]!
        const { residualSum: sum } = solveRidge(sumsOf(rows, 3, weights), 0)
        expect(sum).toBeGreaterThanOrEqual(0)
        // Squares of 1e6 a row are subtracted: about 1e-9 of them may be left.
        expect(sum).toBeLessThan(1e-1)
      }),
      { numRuns: 100 },
    )
  })
})

describe('the parts of the sums', () => {
  const { rows, weights } = sample(9, 15, 3)
  const sums = sumsOf(rows, 3, weights)
  const naive = (value: (x: Float64Array, y: number) => number) => {
    let total = 0
    for (let row = 0; row < 15; row++) {
      total += weights[row]! * value(rows.slice(row * 4, row * 4 + 3), rows[row * 4 + 3]!)
    }
    return total
  }

  test('featureGram is the full symmetric matrix with the ridge on its diagonal', () => {
    const matrix = featureGram(sums, 0.25)
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        expect(matrix[i * 3 + j]).toBeCloseTo(naive((x) => x[i]! * x[j]!) + (i === j ? 0.25 : 0), 10)
      }
    }
  })

  test('featureTarget and targetSquare subtract the centre', () => {
    const target = featureTarget(sums, 1.5)
    for (let i = 0; i < 3; i++)
      expect(target[i]).toBeCloseTo(
        naive((x, y) => x[i]! * (y - 1.5)),
        10,
      )
    expect(targetSquare(sums, 1.5)).toBeCloseTo(
      naive((_, y) => (y - 1.5) ** 2),
      10,
    )
  })

  test('residualSum takes any coefficients', () => {
    const coefficients = Float64Array.of(0.3, -2, 1)
    const expected = naive((x, y) => (y - 0.4 - x.reduce((sum, value, k) => sum + coefficients[k]! * value, 0)) ** 2)
    expect(residualSum(sums, coefficients, 0.4)).toBeCloseTo(expected, 9)
  })
})
