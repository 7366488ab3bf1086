import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Random } from '../random/random.js'
import { gram } from './gram.js'

const UNTOUCHED = -12345

/** One accumulator per entry, rows in order; the rest keeps the mark. */
function naiveGram(
  left: Float64Array,
  right: Float64Array,
  count: number,
  columns: number,
  leftAt = 0,
  rightAt = 0,
): Float64Array {
  const out = new Float64Array(columns * columns).fill(UNTOUCHED)
  for (let i = 0; i < columns; i++) {
    for (let j = i; j < columns; j++) {
      let sum = 0
      for (let row = 0; row < count; row++) {
        sum += left[leftAt + row * columns + i]! * right[rightAt + row * columns + j]!
      }
      out[i * columns + j] = sum
    }
  }
  return out
}

function marked(columns: number): Float64Array {
  return new Float64Array(columns * columns).fill(UNTOUCHED)
}

function normals(random: Random, length: number): Float64Array {
  return Float64Array.from({ length }, () => random.normal())
}

const shape = fc.record({ rows: fc.integer({ min: 0, max: 9 }), columns: fc.integer({ min: 1, max: 13 }) })

describe('gram', () => {
  test('equals the naive triple loop bit for bit, whatever the shape and the numbers', () => {
    const data = shape.chain(({ rows, columns }) => {
      const values = fc.array(fc.double(), { minLength: rows * columns, maxLength: rows * columns })
      return fc.record({ rows: fc.constant(rows), columns: fc.constant(columns), left: values, right: values })
    })
    fc.assert(
      fc.property(data, ({ rows, columns, left, right }) => {
        const l = Float64Array.from(left)
        const r = Float64Array.from(right)
        const out = marked(columns)
        gram(l, r, rows, columns, out)
        expect(out).toEqual(naiveGram(l, r, rows, columns))
      }),
      { numRuns: 200 },
    )
  })

  test.each([1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 17, 21])(
    'equals the naive loop bit for bit with %i columns and 300 rows',
    (columns) => {
      const rows = normals(Random.fromSeed(columns), 300 * columns)
      const out = marked(columns)
      gram(rows, rows, 300, columns, out)
      expect(out).toEqual(naiveGram(rows, rows, 300, columns))
    },
  )

  test('gives zeros for no rows', () => {
    const out = marked(6)
    gram(new Float64Array(0), new Float64Array(0), 0, 6, out)
    for (let i = 0; i < 6; i++) for (let j = i; j < 6; j++) expect(out[i * 6 + j]).toBe(0)
  })

  test('never writes below the diagonal', () => {
    fc.assert(
      fc.property(shape, fc.nat(), ({ rows, columns }, seed) => {
        const data = normals(Random.fromSeed(seed), rows * columns)
        const out = marked(columns)
        gram(data, data, rows, columns, out)
        for (let i = 0; i < columns; i++) {
          for (let j = 0; j < i; j++) expect(out[i * columns + j]).toBe(UNTOUCHED)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('gives the weighted Gram matrix when the left rows carry the weights', () => {
    const random = Random.fromSeed(5)
    const rows = normals(random, 40 * 7)
    const weights = Float64Array.from({ length: 40 }, () => 5 * random.uniform())
    const weighted = rows.map((value, at) => value * weights[Math.floor(at / 7)]!)
    const out = marked(7)
    gram(weighted, rows, 40, 7, out)
    for (let i = 0; i < 7; i++) {
      for (let j = i; j < 7; j++) {
        let expected = 0
        for (let row = 0; row < 40; row++) expected += weights[row]! * rows[row * 7 + i]! * rows[row * 7 + j]!
        expect(Math.abs(out[i * 7 + j]! - expected)).toBeLessThan(1e-11)
      }
    }
  })

  test('reads each side from its own offset', () => {
    fc.assert(
      fc.property(
        shape,
        fc.nat({ max: 9 }),
        fc.nat({ max: 9 }),
        fc.nat(),
        ({ rows, columns }, leftAt, rightAt, seed) => {
          const random = Random.fromSeed(seed)
          const left = normals(random, leftAt + rows * columns + 3)
          const right = normals(random, rightAt + rows * columns + 3)
          const out = marked(columns)
          gram(left, right, rows, columns, out, leftAt, rightAt)
          expect(out).toEqual(naiveGram(left, right, rows, columns, leftAt, rightAt))
        },
      ),
      { numRuns: 100 },
    )
  })

  test('overwrites what an earlier call left', () => {
    const random = Random.fromSeed(8)
    const first = normals(random, 5 * 6)
    const second = normals(random, 5 * 6)
    const reused = marked(6)
    gram(first, first, 5, 6, reused)
    gram(second, second, 5, 6, reused)
    expect(reused).toEqual(naiveGram(second, second, 5, 6))
  })

  test('does not change its inputs', () => {
    const rows = normals(Random.fromSeed(9), 10 * 9)
    const copy = Float64Array.from(rows)
    gram(rows, rows, 10, 9, new Float64Array(81))
    expect(rows).toEqual(copy)
  })
})
