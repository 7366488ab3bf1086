import { expect, test } from 'vitest'
import { Random } from '../random/random.js'
import { simdArray } from '../simd/gram-simd.js'
import { addScaledRows } from './scaled-rows.js'
import { emptySums, sumRows } from './sums.js'

// No column at all, odd and even numbers of them, and rows below, at and above a chunk.
test.each([0, 1, 2, 5, 11, 20, 31])('rows with a factor have the bits of rows laid out: %i columns', (columns) => {
  const random = Random.fromSeed(columns)
  const wild = (length: number) =>
    Float64Array.from({ length }, () => random.normal() * 10 ** (6 * random.uniform() - 3))
  for (const count of [0, 1, 5, 64, 93, 600]) {
    const ordinary = wild((count + 2) * columns)
    const inPlace = simdArray(ordinary.length)
    inPlace.set(ordinary)
    const targets = wild(count + 3)
    for (const [x, factors] of [
      [ordinary, null],
      [ordinary, wild(count + 3)],
      [inPlace, null],
      [inPlace, wild(count + 3)],
    ] as const) {
      const rows = new Float64Array(count * (columns + 2))
      for (let i = 0, to = 0; i < count; i++) {
        const factor = factors?.[3 + i] ?? 1
        rows[to++] = factor
        for (let k = 0; k < columns; k++) rows[to++] = factor * x[(i + 2) * columns + k]!
        rows[to++] = targets[3 + i]!
      }
      const sums = emptySums(columns + 1)
      addScaledRows(sums, x, 2 * columns, factors, targets, 3, count)
      expect(sums).toEqual(sumRows(rows, 0, count, columns + 1, null, 0, rows))
    }
  }
})
