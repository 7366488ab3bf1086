import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Random } from '../random/random.js'
import { type Eigen, symmetricEigen } from './eigen.js'

interface Case {
  readonly name: string
  readonly n: number
  readonly matrix: readonly number[]
  readonly values: readonly number[]
}

const fixture: { eigen: readonly Case[]; eigenLarge: { n: number; values: readonly number[] } } = JSON.parse(
  readFileSync(new URL('../../fixtures/numeric.json', import.meta.url), 'utf8'),
)

function largest(values: ArrayLike<number>): number {
  let max = 0
  for (let i = 0; i < values.length; i++) max = Math.max(max, Math.abs(values[i]!))
  return max
}

/** Largest entry of AV - V diag(values) over the largest entry of A, and of V'V - I. */
function defects(
  matrix: Float64Array,
  n: number,
  { values, vectors }: Eigen,
): { residual: number; orthogonality: number } {
  const scale = largest(matrix) || 1
  let residual = 0
  let orthogonality = 0
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      let product = 0
      let inner = 0
      for (let j = 0; j < n; j++) {
        product += (matrix[i * n + j]! / scale) * vectors[j * n + k]!
        inner += vectors[j * n + i]! * vectors[j * n + k]!
      }
      const difference = product - (values[k]! / scale) * vectors[i * n + k]!
      // Written so that NaN is a defect too.
      if (!(Math.abs(difference) <= residual)) residual = Math.abs(difference)
      const deviation = Math.abs(inner - (i === k ? 1 : 0))
      if (!(deviation <= orthogonality)) orthogonality = deviation
    }
  }
  return { residual, orthogonality }
}

function expectDecomposition(matrix: Float64Array, n: number, tolerance: number): Eigen {
  const eigen = symmetricEigen(matrix, n)
  const { residual, orthogonality } = defects(matrix, n, eigen)
  expect(residual).toBeLessThanOrEqual(tolerance)
  expect(orthogonality).toBeLessThanOrEqual(tolerance)
  for (let k = 1; k < n; k++) expect(eigen.values[k]!).toBeGreaterThanOrEqual(eigen.values[k - 1]!)
  return eigen
}

function symmetric(n: number, entry: (i: number, j: number) => number): Float64Array {
  const matrix = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      matrix[i * n + j] = entry(i, j)
      matrix[j * n + i] = matrix[i * n + j]!
    }
  }
  return matrix
}

function lowRank(random: Random, n: number, rank: number): Float64Array {
  const rows = Array.from({ length: rank }, () => Float64Array.from({ length: n }, () => random.normal()))
  return symmetric(n, (i, j) => rows.reduce((sum, row) => sum + row[i]! * row[j]!, 0))
}

describe('symmetricEigen', () => {
  test.each(fixture.eigen)('agrees with numpy to 1e-10: $name', ({ n, matrix, values }) => {
    const eigen = expectDecomposition(Float64Array.from(matrix), n, 1e-13)
    const scale = largest(values) || 1
    values.forEach((value, k) => {
      expect(Math.abs(eigen.values[k]! - value)).toBeLessThanOrEqual(1e-10 * scale)
    })
  })

  test('agrees with numpy to 1e-10 for n = 120', () => {
    const { n, values } = fixture.eigenLarge
    // The integers of numeric.py.
    const matrix = symmetric(n, (i, j) => ((7 * i * i + 7 * j * j + 13 * i * j + 5 * (i + j)) % 201) - 100)
    const eigen = expectDecomposition(matrix, n, 1e-12)
    const scale = largest(values)
    values.forEach((value, k) => {
      expect(Math.abs(eigen.values[k]! - value)).toBeLessThanOrEqual(1e-10 * scale)
    })
  })

  test('decomposes a random matrix of n = 120', () => {
    const random = Random.fromSeed(120)
    expectDecomposition(
      symmetric(120, () => random.normal()),
      120,
      1e-12,
    )
  })

  test('gives exact values and unit vectors for a diagonal matrix', () => {
    const { values, vectors } = symmetricEigen(Float64Array.of(3, 0, 0, 0, -1, 0, 0, 0, 1e-20), 3)
    expect(values).toEqual(Float64Array.of(-1, 1e-20, 3))
    expect(vectors).toEqual(Float64Array.of(0, 0, 1, 1, 0, 0, 0, 1, 0))
  })

  test('gives zeros and an orthogonal basis for the zero matrix', () => {
    const { values } = expectDecomposition(new Float64Array(25), 5, 0)
    expect(values).toEqual(new Float64Array(5))
  })

  test('gives an orthogonal basis also inside a repeated eigenvalue', () => {
    const { values } = expectDecomposition(
      symmetric(30, (i, j) => 1 + (i === j ? 2 : 0)),
      30,
      1e-12,
    )
    for (let k = 0; k < 29; k++) expect(Math.abs(values[k]! - 2)).toBeLessThanOrEqual(1e-12)
    expect(Math.abs(values[29]! - 32)).toBeLessThanOrEqual(1e-12)
  })

  test('converges on matrices of low rank', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 80 }), fc.integer({ min: 1, max: 4 }), fc.nat(), (n, rank, seed) => {
        const { values } = expectDecomposition(lowRank(Random.fromSeed(seed), n, rank), n, 1e-12)
        for (let k = 0; k < n - rank; k++) expect(Math.abs(values[k]!)).toBeLessThanOrEqual(1e-12 * values[n - 1]!)
      }),
      { numRuns: 40 },
    )
  })

  test.each([1e-300, 1e-200, 1e-170, 1e-155, 1e155, 1e200, 1e300])(
    'keeps its digits when all entries are multiplied by %d',
    (scale) => {
      const random = Random.fromSeed(6)
      const matrix = symmetric(6, () => random.normal())
      const plain = symmetricEigen(matrix, 6)
      const scaled = expectDecomposition(
        matrix.map((value) => value * scale),
        6,
        1e-13,
      )
      plain.values.forEach((value, k) => {
        expect(Math.abs(scaled.values[k]! / scale - value)).toBeLessThanOrEqual(1e-13)
      })
    },
  )

  test('decomposes any finite matrix, whatever the scales inside it', () => {
    const entry = fc.oneof(
      fc.double({ min: -1e300, max: 1e300, noNaN: true }),
      fc.double({ min: -10, max: 10, noNaN: true }),
      fc.constant(0),
      fc
        .tuple(fc.integer({ min: -300, max: 300 }), fc.double({ min: -1, max: 1, noNaN: true }))
        .map(([power, m]) => m * 10 ** power),
    )
    const matrices = fc
      .integer({ min: 1, max: 7 })
      .chain((n) => fc.array(entry, { minLength: n * n, maxLength: n * n }))
    fc.assert(
      fc.property(matrices, (entries) => {
        const n = Math.sqrt(entries.length)
        const matrix = symmetric(n, (i, j) => entries[i * n + j]!)
        // Values of a matrix of subnormal numbers cannot have 1e-13.
        fc.pre(largest(matrix) === 0 || largest(matrix) > 1e-290)
        expectDecomposition(matrix, n, 1e-13)
      }),
      { numRuns: 500 },
    )
  })

  test('keeps the vectors orthogonal when rows are graded over 300 decades', () => {
    const random = Random.fromSeed(7)
    for (let trial = 0; trial < 2000; trial++) {
      const n = 3 + random.integer(5)
      const grade = Float64Array.from({ length: n }, () => 10 ** (-300 * random.uniform()))
      const matrix = symmetric(n, (i, j) =>
        random.uniform() < 0.3 ? 0 : random.normal() * grade[i]! * (random.uniform() < 0.5 ? grade[j]! : 1),
      )
      // Below that the comparison itself loses digits.
      if (largest(matrix) > 1e-290) expectDecomposition(matrix, n, 1e-13)
    }
  })

  test('has the trace as the sum of its values', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 15 }), fc.nat(), (n, seed) => {
        const random = Random.fromSeed(seed)
        const matrix = symmetric(n, () => random.normal())
        let trace = 0
        for (let i = 0; i < n; i++) trace += matrix[i * n + i]!
        const sum = symmetricEigen(matrix, n).values.reduce((total, value) => total + value, 0)
        expect(Math.abs(sum - trace)).toBeLessThanOrEqual(1e-12)
      }),
      { numRuns: 100 },
    )
  })

  test('reads only the upper triangle and does not change the matrix', () => {
    const random = Random.fromSeed(8)
    const matrix = symmetric(5, () => random.normal())
    const upper = matrix.map((value, at) => (at % 5 >= Math.floor(at / 5) ? value : Number.NaN))
    const copy = Float64Array.from(upper)
    expect(symmetricEigen(upper, 5)).toEqual(symmetricEigen(matrix, 5))
    expect(upper).toEqual(copy)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'refuses %d and names the entry',
    (value) => {
      const matrix = new Float64Array(9)
      matrix[5] = value
      expect(() => symmetricEigen(matrix, 3)).toThrow(
        expect.objectContaining({
          code: 'not-finite',
          message: `matrix must be finite, got ${value} at (1, 2)`,
          facts: { row: 1, column: 2 },
        }),
      )
    },
  )
})
