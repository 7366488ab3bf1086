import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Random } from '../random/random.js'
import { addDots, addLinearDots, addWeightedRows } from './dots.js'

const shapes = fc.record({ count: fc.nat(11), columns: fc.nat(9), apart: fc.nat(2), seed: fc.nat() })

function numbers(random: Random, count: number): Float64Array {
  return Float64Array.from({ length: count }, () => random.normal() * 10 ** (6 * random.uniform() - 3))
}

test('dots of rows have the bits of sums taken one row after the other', () => {
  fc.assert(
    fc.property(shapes, ({ count, columns, apart, seed }) => {
      const random = Random.fromSeed(seed)
      const stride = columns + apart
      const rows = numbers(random, count * stride)
      const vector = numbers(random, columns)
      const out = numbers(random, count)
      const expected = out.map((start, row) => vector.reduce((sum, v, k) => sum + v * rows[row * stride + k]!, start))
      addDots(rows, count, stride, vector, columns, out)
      expect(out).toEqual(expected)
    }),
  )
})

test('weighted sums of rows have the bits of adding one row after the other', () => {
  fc.assert(
    fc.property(shapes, ({ count, columns, apart, seed }) => {
      const random = Random.fromSeed(seed)
      const stride = columns + apart
      const rows = numbers(random, count * stride)
      const weights = numbers(random, count)
      const out = numbers(random, columns)
      const expected = out.map((start, k) => weights.reduce((sum, w, row) => sum + w * rows[row * stride + k]!, start))
      addWeightedRows(rows, count, stride, weights, columns, out)
      expect(out).toEqual(expected)
    }),
  )
})

test('dots of [1, x] where x stands have the bits of laying the rows out', () => {
  fc.assert(
    fc.property(shapes, ({ count, columns, seed }) => {
      const random = Random.fromSeed(seed)
      const x = numbers(random, 20 * columns)
      const rows = Int32Array.from({ length: count }, () => Math.floor(20 * random.uniform()))
      const vector = numbers(random, columns)
      const first = random.normal()
      const out = numbers(random, count)
      const expected = out.map((start, i) =>
        vector.reduce((sum, v, k) => sum + v * x[rows[i]! * columns + k]!, start + first),
      )
      addLinearDots(x, columns, rows, count, first, vector, out)
      expect(out).toEqual(expected)
    }),
  )
})
