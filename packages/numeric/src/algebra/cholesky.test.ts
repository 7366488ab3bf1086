import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Random } from '../random/random.js'
import { invertWithSimd } from '../simd/solve-simd.js'
import {
  cholesky,
  choleskyPlainly,
  invertCholesky,
  invertPlainly,
  solveCholesky,
  solveLower,
  solveLowerTransposed,
} from './cholesky.js'
import { gram } from './gram.js'

interface Case {
  readonly name: string
  readonly n: number
  readonly matrix: readonly number[]
  readonly b: readonly number[]
  readonly lower: readonly number[]
  readonly solution: readonly number[]
  readonly inverse: readonly number[]
  readonly tolerance: number
}

const fixture: { cholesky: readonly Case[] } = JSON.parse(
  readFileSync(new URL('../../fixtures/numeric.json', import.meta.url), 'utf8'),
)

/** Largest difference over the largest expected entry. */
function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(actual.length).toBe(expected.length)
  let error = 0
  let scale = 0
  for (let i = 0; i < expected.length; i++) {
    error = Math.max(error, Math.abs(actual[i]! - expected[i]!))
    scale = Math.max(scale, Math.abs(expected[i]!))
  }
  return error / (scale || 1)
}

function multiply(a: Float64Array, b: Float64Array, n: number): Float64Array {
  const out = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) out[i * n + j]! += a[i * n + k]! * b[k * n + j]!
  }
  return out
}

function transpose(a: Float64Array, n: number): Float64Array {
  return a.map((_, at) => a[(at % n) * n + Math.floor(at / n)]!)
}

/** B B' + I of a random B: condition number at most a few hundred. */
function positiveDefinite(random: Random, n: number): Float64Array {
  const b = Float64Array.from({ length: n * n }, () => random.normal())
  const matrix = multiply(b, transpose(b, n), n)
  for (let i = 0; i < n; i++) matrix[i * n + i]! += 1
  return matrix
}

const sizeAndSeed = [fc.integer({ min: 1, max: 12 }), fc.nat()] as const

describe('cholesky', () => {
  test.each(fixture.cholesky)('agrees with numpy: $name', ({ n, matrix, b, lower, solution, inverse, tolerance }) => {
    const factor = cholesky(Float64Array.from(matrix), n)
    expect(relativeError(factor, lower)).toBeLessThanOrEqual(tolerance)
    expect(relativeError(solveCholesky(factor, n, Float64Array.from(b)), solution)).toBeLessThanOrEqual(tolerance)
    expect(relativeError(invertCholesky(factor, n), inverse)).toBeLessThanOrEqual(tolerance)
  })

  test('multiplies back to the matrix, to 1e-12', () => {
    fc.assert(
      fc.property(...sizeAndSeed, (n, seed) => {
        const matrix = positiveDefinite(Random.fromSeed(seed), n)
        const lower = cholesky(matrix, n)
        for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) expect(lower[i * n + j]).toBe(0)
        expect(relativeError(multiply(lower, transpose(lower, n), n), matrix)).toBeLessThanOrEqual(1e-12)
      }),
      { numRuns: 100 },
    )
  })

  test('takes square roots of a diagonal, over 24 decades', () => {
    const diagonal = [1e-12, 4e-6, 9, 1.6e7, 1e12]
    const matrix = new Float64Array(25)
    diagonal.forEach((value, i) => {
      matrix[i * 6] = value
    })
    const lower = cholesky(matrix, 5)
    diagonal.forEach((value, i) => {
      expect(lower[i * 6]).toBe(Math.sqrt(value))
    })
  })

  test('reads only the upper triangle and does not change the matrix', () => {
    const matrix = positiveDefinite(Random.fromSeed(4), 6)
    const upper = matrix.map((value, at) => (at % 6 >= Math.floor(at / 6) ? value : Number.NaN))
    const copy = Float64Array.from(upper)
    expect(cholesky(upper, 6)).toEqual(cholesky(matrix, 6))
    expect(upper).toEqual(copy)
  })

  test.each([
    ['zero', [0, 0, 0, 0], 2, 0],
    ['a negative first entry', [-1, 0, 0, 1], 2, 0],
    ['a negative last entry', [1, 0, 0, 0, 1, 0, 0, 0, -1e-300], 3, 2],
    ['singular: equal columns', [4, 2, 2, 2, 5, 5, 2, 5, 5], 3, 2],
    ['singular: rank one', [1, 2, 3, 2, 4, 6, 3, 6, 9], 3, 1],
    ['indefinite', [1, 2, 2, 1], 2, 1],
    ['NaN on the diagonal', [1, 0, 0, 0, Number.NaN, 0, 0, 0, 1], 3, 1],
    ['NaN off the diagonal', [1, 0, Number.NaN, 0, 1, 0, Number.NaN, 0, 1], 3, 2],
    ['infinite on the diagonal', [Number.POSITIVE_INFINITY, 0, 0, 1], 2, 0],
    ['infinite off the diagonal', [1, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 1], 2, 1],
  ])('names the row of a matrix that is not positive definite: %s', (_, matrix, n, row) => {
    expect(() => cholesky(Float64Array.from(matrix), n)).toThrow(
      expect.objectContaining({
        name: 'PrimoError',
        code: 'not-positive-definite',
        message: expect.stringMatching(new RegExp(`^matrix must be positive definite, got pivot .* at row ${row}$`)),
        facts: expect.objectContaining({ row }),
      }),
    )
  })

  // Below, at and above the sizes at which SIMD takes over; whole panels and tiles, and not; beyond what is kept in
  // memory.
  test.each([47, 48, 49, 51, 56, 87, 130, 300, 645])('has the bits of the plain factor by panels too, %i rows', (n) => {
    const random = Random.fromSeed(n)
    const rows = Float64Array.from({ length: (n + 5) * n }, () => random.normal())
    const matrix = new Float64Array(n * n)
    gram(rows, rows, n + 5, n, matrix)
    for (let i = 0; i < n; i++) matrix[i * n + i]! += 1
    expect(cholesky(matrix, n)).toEqual(choleskyPlainly(matrix, n))
  })

  test.each([
    ['indefinite', -1],
    ['not a number', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
  ])('by panels names the same row and pivot: %s', (_, value) => {
    for (const row of [0, 7, 8, 33, 59]) {
      const matrix = positiveDefinite(Random.fromSeed(row), 60)
      matrix[row * 61] = value
      let expected: unknown
      try {
        choleskyPlainly(matrix, 60)
      } catch (error) {
        expected = error
      }
      expect(expected).toMatchObject({ code: 'not-positive-definite', facts: { row } })
      expect(() => cholesky(matrix, 60)).toThrow(expected as Error)
    }
  })

  test('refuses every symmetric matrix with a clearly negative direction', () => {
    fc.assert(
      fc.property(...sizeAndSeed, (n, seed) => {
        const random = Random.fromSeed(seed)
        const matrix = positiveDefinite(random, n)
        const v = Float64Array.from({ length: n }, () => random.normal())
        let quadratic = 0
        let square = 0
        for (let i = 0; i < n; i++) {
          square += v[i]! * v[i]!
          for (let j = 0; j < n; j++) quadratic += v[i]! * matrix[i * n + j]! * v[j]!
        }
        // Afterwards v'Av = -v'v.
        const shift = (quadratic + square) / (square * square)
        const indefinite = matrix.map((value, at) => value - shift * v[Math.floor(at / n)]! * v[at % n]!)
        expect(() => cholesky(indefinite, n)).toThrow(expect.objectContaining({ code: 'not-positive-definite' }))
      }),
      { numRuns: 100 },
    )
  })
})

describe('the solves', () => {
  test('solveLower and solveLowerTransposed undo the products, in place', () => {
    fc.assert(
      fc.property(...sizeAndSeed, (n, seed) => {
        const random = Random.fromSeed(seed)
        const lower = cholesky(positiveDefinite(random, n), n)
        const x = Float64Array.from({ length: n }, () => random.normal())
        const forward = new Float64Array(n)
        const backward = new Float64Array(n)
        for (let i = 0; i < n; i++) {
          for (let k = 0; k < n; k++) {
            forward[i]! += lower[i * n + k]! * x[k]!
            backward[i]! += lower[k * n + i]! * x[k]!
          }
        }
        solveLower(lower, n, forward)
        solveLowerTransposed(lower, n, backward)
        expect(relativeError(forward, x)).toBeLessThanOrEqual(1e-12)
        expect(relativeError(backward, x)).toBeLessThanOrEqual(1e-12)
      }),
      { numRuns: 100 },
    )
  })

  test('solveCholesky solves A x = b and leaves b alone', () => {
    fc.assert(
      fc.property(...sizeAndSeed, (n, seed) => {
        const random = Random.fromSeed(seed)
        const matrix = positiveDefinite(random, n)
        const b = Float64Array.from({ length: n }, () => random.normal())
        const copy = Float64Array.from(b)
        const x = solveCholesky(cholesky(matrix, n), n, b)
        expect(b).toEqual(copy)
        const product = b.map((_, i) => x.reduce((sum, value, k) => sum + matrix[i * n + k]! * value, 0))
        expect(relativeError(product, b)).toBeLessThanOrEqual(1e-11)
      }),
      { numRuns: 100 },
    )
  })

  test('invertCholesky gives the bits of solving for one unit vector after the other', () => {
    const random = Random.fromSeed(8)
    for (const n of [1, 2, 3, 4, 5, 8, 13, 31]) {
      const rows = Float64Array.from({ length: 3 * n * n }, () => random.normal())
      const matrix = new Float64Array(n * n)
      gram(rows, rows, 3 * n, n, matrix)
      const factor = cholesky(matrix, n)
      const inverse = invertCholesky(factor, n)
      for (let j = 0; j < n; j++) {
        const unit = new Float64Array(n)
        unit[j] = 1
        expect([...solveCholesky(factor, n, unit)].slice(0, j + 1)).toEqual(
          Array.from({ length: j + 1 }, (_, i) => inverse[i * n + j]),
        )
      }
    }
  })

  test('invertCholesky gives a matrix that is exactly symmetric and inverts A from the left and the right', () => {
    fc.assert(
      fc.property(...sizeAndSeed, (n, seed) => {
        const matrix = positiveDefinite(Random.fromSeed(seed), n)
        const inverse = invertCholesky(cholesky(matrix, n), n)
        expect(inverse).toEqual(transpose(inverse, n))
        const identity = Float64Array.from({ length: n * n }, (_, at) => (at % (n + 1) === 0 ? 1 : 0))
        expect(relativeError(multiply(matrix, inverse, n), identity)).toBeLessThanOrEqual(1e-11)
        expect(relativeError(multiply(inverse, matrix, n), identity)).toBeLessThanOrEqual(1e-11)
      }),
      { numRuns: 100 },
    )
  })
})

describe('solves with the factor', () => {
  test.each([1, 2, 3, 4, 5, 7, 8, 11, 64, 87])('have the bits of one row after the other, %i rows', (n) => {
    const random = Random.fromSeed(n)
    const lower = cholesky(positiveDefinite(random, n), n)
    const b = Float64Array.from({ length: n }, () => random.normal())
    const forward = Float64Array.from(b)
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < i; k++) forward[i]! -= lower[i * n + k]! * forward[k]!
      forward[i]! /= lower[i * n + i]!
    }
    const backward = Float64Array.from(b)
    for (let i = n - 1; i >= 0; i--) {
      backward[i]! /= lower[i * n + i]!
      for (let k = 0; k < i; k++) backward[k]! -= lower[i * n + k]! * backward[i]!
    }
    const found = [Float64Array.from(b), Float64Array.from(b)] as const
    solveLower(lower, n, found[0])
    solveLowerTransposed(lower, n, found[1])
    expect(found).toEqual([forward, backward])
  })

  test.each([1, 7, 8, 9, 13, 16, 31, 87, 130])('the inverse with SIMD has the bits of the plain one, %i rows', (n) => {
    const lower = cholesky(positiveDefinite(Random.fromSeed(n), n), n)
    const plain = invertPlainly(lower, n)
    expect(invertCholesky(lower, n)).toEqual(plain)
    if (n >= 8) expect(invertWithSimd(lower, n)).toEqual(plain)
  })
})
