import { describe, expect, test } from 'vitest'
import { addGramPlainly } from '../algebra/gram.js'
import { Random } from '../random/random.js'
import { gramWithSimd, simdArray, weightedGramWithSimd } from './gram-simd.js'

describe('the Gram kernel with SIMD', () => {
  const withSimd = gramWithSimd()

  test('is there on this machine', () => {
    expect(withSimd).not.toBeNull()
  })

  // Rows below, at and above a chunk; widths that need no padding, and one, two or three columns of it.
  test.each([1, 3, 4, 5, 16, 18, 31, 87])('gives the bits of the plain kernel with %i columns', (columns) => {
    const random = Random.fromSeed(columns)
    const rows = Float64Array.from({ length: 202 * columns }, () => random.normal() * 10 ** (6 * random.uniform() - 3))
    const weighted = rows.map((value) => 0.37 * value)
    for (const left of [rows, weighted]) {
      for (const count of [0, 1, 63, 64, 65, 200]) {
        const plain = Float64Array.from({ length: columns * columns }, (_, k) => Math.sin(k))
        const lanes = Float64Array.from(plain)
        addGramPlainly(left, rows, count, columns, plain, columns, 2 * columns)
        withSimd!(left, rows, count, columns, lanes, columns, 2 * columns)
        expect(lanes).toEqual(plain)
      }
    }
  })

  test('rows in linear memory are summed where they stand, to the same bits', () => {
    const random = Random.fromSeed(9)
    for (const columns of [1, 6, 13, 20, 90, 150]) {
      const rows = simdArray(202 * columns)
      for (let k = 0; k < rows.length; k++) rows[k] = random.normal()
      const other = simdArray(10 * columns)
      const copy = Float64Array.from(rows)
      for (const [at, count] of [
        [0, 202],
        [3, 199],
        [200, 2],
      ] as const) {
        const plain = Float64Array.from({ length: columns * columns }, (_, k) => Math.cos(k))
        const lanes = Float64Array.from(plain)
        addGramPlainly(copy, copy, count, columns, plain, at * columns, at * columns)
        withSimd!(rows, rows, count, columns, lanes, at * columns, at * columns)
        expect(lanes).toEqual(plain)
      }
      // Two arrays have two memories: these are copied.
      const plain = new Float64Array(columns * columns)
      const lanes = new Float64Array(columns * columns)
      addGramPlainly(copy, other, 10, columns, plain)
      withSimd!(rows, other, 10, columns, lanes, 0, 0)
      expect(lanes).toEqual(plain)
      expect(rows).toEqual(copy)
    }
  })

  test.each([1, 3, 13, 14, 88, 150])('weights rows to the bits of weighting them first, %i columns', (columns) => {
    const weighted = weightedGramWithSimd()!
    const random = Random.fromSeed(columns)
    const inMemory = simdArray(202 * columns)
    for (let k = 0; k < inMemory.length; k++) inMemory[k] = random.normal() * 10 ** (6 * random.uniform() - 3)
    const weights = Float64Array.from({ length: 210 }, () => random.uniform())
    for (const rows of [inMemory, Float64Array.from(inMemory)]) {
      for (const count of [0, 1, 63, 64, 65, 199]) {
        const left = rows.map((value, k) => weights[5 + Math.floor(k / columns)]! * value)
        const plain = Float64Array.from({ length: columns * columns }, (_, k) => Math.sin(k))
        const lanes = Float64Array.from(plain)
        addGramPlainly(left, rows, count, columns, plain, 3 * columns, 3 * columns)
        weighted(rows, 3 * columns, weights, 8, count, columns, lanes)
        expect(lanes).toEqual(plain)
      }
    }
  })

  test('numbers that are none spoil only the entries they belong to', () => {
    const rows = new Float64Array(20 * 18).fill(1)
    rows[5] = Number.NaN
    rows[18 + 7] = Number.POSITIVE_INFINITY
    const plain = new Float64Array(18 * 18)
    const lanes = new Float64Array(18 * 18)
    addGramPlainly(rows, rows, 20, 18, plain)
    withSimd!(rows, rows, 20, 18, lanes, 0, 0)
    expect(lanes).toEqual(plain)
    expect(lanes[0]).toBe(20)
  })

  test('memory grows for wide rows, and narrow ones after them are right', () => {
    const random = Random.fromSeed(2)
    for (const columns of [301, 17, 120]) {
      const rows = Float64Array.from({ length: 70 * columns }, () => random.normal())
      const plain = new Float64Array(columns * columns)
      const lanes = new Float64Array(columns * columns)
      addGramPlainly(rows, rows, 70, columns, plain)
      withSimd!(rows, rows, 70, columns, lanes, 0, 0)
      expect(lanes).toEqual(plain)
    }
  })

  test('there is none where WebAssembly is missing or may not compile', () => {
    const world = globalThis as { WebAssembly?: unknown }
    const own = world.WebAssembly
    try {
      world.WebAssembly = undefined
      expect(gramWithSimd()).toBeNull()
      world.WebAssembly = {
        Module: class {
          constructor() {
            throw new Error('not allowed')
          }
        },
      }
      expect(gramWithSimd()).toBeNull()
    } finally {
      world.WebAssembly = own
    }
  })
})
