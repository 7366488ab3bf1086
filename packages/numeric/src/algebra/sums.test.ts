import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Random } from '../random/random.js'
import { addSums, type BlockSums, emptySums, mergeBlocks, type Sums, sumRows } from './sums.js'

const COLUMNS = 3
const WIDTH = COLUMNS + 1
const ROWS_PER_BLOCK = 5

function normals(random: Random, length: number): Float64Array {
  return Float64Array.from({ length }, () => random.normal())
}

function sumBlock(data: Float64Array, block: number): BlockSums {
  const at = block * ROWS_PER_BLOCK * WIDTH
  return { block, sums: sumRows(data, at, ROWS_PER_BLOCK, COLUMNS, null, 0, new Float64Array(0)) }
}

/** The fixed tree, written top down: node `index` of `level` holds the blocks index * 2^level ... */
function naiveTree(leaf: (block: number) => Sums | null, level: number, index: number): Sums | null {
  if (level === 0) return leaf(index)
  const left = naiveTree(leaf, level - 1, 2 * index)
  const right = naiveTree(leaf, level - 1, 2 * index + 1)
  if (left === null || right === null) return left ?? right
  return {
    columns: left.columns,
    count: left.count + right.count,
    weight: left.weight + right.weight,
    gram: left.gram.map((value, i) => value + right.gram[i]!),
  }
}

function expectClose(actual: Sums, expected: Sums, tolerance: number): void {
  let scale = 0
  for (const value of expected.gram) scale = Math.max(scale, Math.abs(value))
  for (let i = 0; i < expected.gram.length; i++) {
    expect(Math.abs(actual.gram[i]! - expected.gram[i]!)).toBeLessThanOrEqual(tolerance * scale)
  }
  expect(Math.abs(actual.weight - expected.weight)).toBeLessThanOrEqual(tolerance * expected.weight)
}

describe('sumRows', () => {
  const rows = normals(Random.fromSeed(1), 20 * WIDTH)

  test('counts rows, and without weights the total weight is the count', () => {
    const sums = sumRows(rows, 0, 20, COLUMNS, null, 0, new Float64Array(0))
    expect(sums.columns).toBe(COLUMNS)
    expect(sums.count).toBe(20)
    expect(sums.weight).toBe(20)
  })

  test('holds the features, their products with the target and the target square', () => {
    const sums = sumRows(Float64Array.of(2, 3, 5, 7, 11, 13), 0, 2, 2, null, 0, new Float64Array(0))
    // Rows (2, 3 | 5) and (7, 11 | 13).
    expect([sums.gram[0], sums.gram[1], sums.gram[2]]).toEqual([53, 83, 101])
    expect([sums.gram[4], sums.gram[5], sums.gram[8]]).toEqual([130, 158, 194])
  })

  test('adds the weights, whole numbers or not', () => {
    const weights = Float64Array.of(0.5, 2, 0, 1.25)
    const sums = sumRows(rows, 0, 4, COLUMNS, weights, 0, new Float64Array(4 * WIDTH))
    expect(sums.count).toBe(4)
    expect(sums.weight).toBe(3.75)
  })

  test('starts at the row offset and the weight offset it is given', () => {
    const weights = Float64Array.from({ length: 20 }, (_, i) => 1 + i)
    const scratch = new Float64Array(5 * WIDTH)
    const inside = sumRows(rows, 7 * WIDTH, 5, COLUMNS, weights, 7, scratch)
    const cut = sumRows(rows.slice(7 * WIDTH), 0, 5, COLUMNS, weights.slice(7), 0, scratch)
    expect(inside).toEqual(cut)
    expect(inside.weight).toBe(8 + 9 + 10 + 11 + 12)
  })

  test('unit weights give the bits of no weights', () => {
    const weighted = sumRows(rows, 0, 20, COLUMNS, new Float64Array(20).fill(1), 0, new Float64Array(20 * WIDTH))
    expect(weighted).toEqual(sumRows(rows, 0, 20, COLUMNS, null, 0, new Float64Array(0)))
  })

  test('doubling a weight equals duplicating the row, to 1e-12', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 11 }), (seed, doubled) => {
        const random = Random.fromSeed(seed)
        const data = normals(random, 12 * WIDTH)
        const weights = Float64Array.from({ length: 12 }, () => 0.1 + 3 * random.uniform())
        const heavier = Float64Array.from(weights)
        heavier[doubled] = 2 * weights[doubled]!
        const twice = Float64Array.of(...data, ...data.slice(doubled * WIDTH, (doubled + 1) * WIDTH))
        const scratch = new Float64Array(13 * WIDTH)
        const byWeight = sumRows(data, 0, 12, COLUMNS, heavier, 0, scratch)
        const byRow = sumRows(twice, 0, 13, COLUMNS, Float64Array.of(...weights, weights[doubled]!), 0, scratch)
        expectClose(byWeight, byRow, 1e-12)
        expect(byRow.count - byWeight.count).toBe(1)
      }),
      { numRuns: 100 },
    )
  })

  test('does not change rows or weights', () => {
    const data = Float64Array.from(rows)
    const weights = new Float64Array(20).fill(3)
    sumRows(data, 0, 20, COLUMNS, weights, 0, new Float64Array(20 * WIDTH))
    expect(data).toEqual(rows)
    expect(weights).toEqual(new Float64Array(20).fill(3))
  })
})

describe('addSums', () => {
  test('adds counts, weights and products', () => {
    const rows = normals(Random.fromSeed(2), 9 * WIDTH)
    const into = sumRows(rows, 0, 4, COLUMNS, null, 0, new Float64Array(0))
    addSums(into, sumRows(rows, 4 * WIDTH, 5, COLUMNS, null, 0, new Float64Array(0)))
    expect(into.count).toBe(9)
    expectClose(into, sumRows(rows, 0, 9, COLUMNS, null, 0, new Float64Array(0)), 1e-14)
  })

  test('refuses sums with other columns and leaves the first as it was', () => {
    const into = emptySums(3)
    expect(() => addSums(into, emptySums(4))).toThrow(
      expect.objectContaining({
        code: 'shape-mismatch',
        message: 'sums to merge must have 3 columns, got 4',
        facts: { columns: 4 },
      }),
    )
    expect(into).toEqual(emptySums(3))
  })
})

describe('mergeBlocks', () => {
  const BLOCKS = 23
  // Values over ten decades, so that another order of additions shows in the bits.
  const random = Random.fromSeed(3)
  const data = Float64Array.from(
    { length: BLOCKS * ROWS_PER_BLOCK * WIDTH },
    () => random.normal() * 10 ** (5 * random.uniform()),
  )
  const blocks = Array.from({ length: BLOCKS }, (_, block) => block)
  const merge = (chosen: readonly number[]) =>
    mergeBlocks(
      chosen.map((block) => sumBlock(data, block)),
      COLUMNS,
    )
  const expected = (chosen: readonly number[]) =>
    naiveTree((block) => (chosen.includes(block) ? sumBlock(data, block).sums : null), 5, 0)

  test('adds in the fixed binary tree over the absolute block index, for any set of blocks', () => {
    fc.assert(
      fc.property(fc.subarray(blocks, { minLength: 1 }), (chosen) => {
        expect(merge(chosen)).toEqual(expected(chosen))
      }),
      { numRuns: 200 },
    )
  })

  test('keeps the same tree for a window that starts later', () => {
    let moved = 0
    for (let start = 1; start < BLOCKS - 1; start++) {
      const window = blocks.slice(start)
      const merged = merge(window)
      expect(merged).toEqual(expected(window))
      const renumbered = mergeBlocks(
        window.map((block, at) => ({ block: at, sums: sumBlock(data, block).sums })),
        COLUMNS,
      )
      if (renumbered.gram.some((value, i) => value !== merged.gram[i])) moved++
    }
    // A tree counted from the window's start has other bits, so the line above can fail.
    expect(moved).toBeGreaterThan(10)
  })

  test('gives the same bits whichever process summed which block', () => {
    const alone = merge(blocks)
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { minLength: BLOCKS, maxLength: BLOCKS }), fc.nat(), (worker, seed) => {
        // Each worker holds only its own rows, sums them, and answers in any order.
        const answers: BlockSums[] = []
        for (const block of Random.fromSeed(seed).permutation(BLOCKS)) {
          const mine = new Float64Array(data.length).fill(Number.NaN)
          const size = ROWS_PER_BLOCK * WIDTH
          for (let other = 0; other < BLOCKS; other++) {
            if (worker[other] === worker[block]) mine.set(data.subarray(other * size, (other + 1) * size), other * size)
          }
          answers.push(sumBlock(mine, block))
        }
        answers.sort((a, b) => a.block - b.block)
        expect(mergeBlocks(answers, COLUMNS)).toEqual(alone)
      }),
      { numRuns: 30 },
    )
  })

  test('agrees with one plain sum over all rows to 1e-12', () => {
    const count = BLOCKS * ROWS_PER_BLOCK
    expectClose(merge(blocks), sumRows(data, 0, count, COLUMNS, null, 0, new Float64Array(0)), 1e-12)
    expect(merge(blocks).count).toBe(count)
  })

  test('gives empty sums for no block, and the block itself for one', () => {
    expect(mergeBlocks([], 4)).toEqual(emptySums(4))
    expect(merge([17])).toEqual(sumBlock(data, 17).sums)
  })
})
