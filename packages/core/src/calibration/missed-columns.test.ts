import { Random, sumRows } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { missedColumns } from './missed-columns.js'

const ROWS = 400
const COLUMNS = 8
const BASE = 2
const RIDGES = { before: 0.05, own: 1 }

/** Two actions; column 0 is 1, column 5 matters with opposite signs by `effect`. */
function drawn(effect: number, seed: number) {
  const random = Random.fromSeed(seed)
  const rows = [0, 1].map((action) =>
    Array.from({ length: ROWS }, () => {
      const x = [1, ...Array.from({ length: COLUMNS - 1 }, () => 2 * random.uniform() - 1)]
      // Half of column 6 is column 1, which is in the class.
      x[6] = x[1]! + x[6]!
      return [...x, 0.3 + 2 * x[1]! + (action === 0 ? effect : -effect) * x[5]! + random.normal()]
    }),
  )
  const sums = rows.map((list) =>
    sumRows(Float64Array.from(list.flat()), 0, ROWS, COLUMNS, null, 0, new Float64Array(ROWS * (COLUMNS + 1))),
  )
  return { rows, sums }
}

/** Least squares of y on the columns of x by Gauss-Seidel; returns what is left of y. */
function leftOf(y: readonly number[], x: readonly (readonly number[])[], ridge: number): readonly number[] {
  const left = [...y]
  const theta = x.map(() => 0)
  for (let turn = 0; turn < 300; turn++) {
    x.forEach((column, k) => {
      const square = column.reduce((sum, value) => sum + value * value, 0)
      const product = column.reduce((sum, value, i) => sum + value * left[i]!, 0)
      const change = (product - ridge * theta[k]!) / (square + ridge)
      theta[k] = theta[k]! + change
      column.forEach((value, i) => {
        left[i] = left[i]! - change * value
      })
    })
  }
  return left
}

describe('missedColumns', () => {
  it('ranks columns by what they explain beyond the class, as a regression on what is left says', () => {
    const { rows, sums } = drawn(0.5, 3)
    const explained = (column: number) =>
      rows.reduce((sum, list) => {
        const columnOf = (k: number) => list.map((row) => row[k]!)
        const before = [columnOf(0), columnOf(1)]
        const own = leftOf(columnOf(column), before, RIDGES.before)
        const rest = leftOf(columnOf(COLUMNS), before, RIDGES.before)
        const product = own.reduce((total, value, i) => total + value * rest[i]!, 0)
        const square = own.reduce((total, value) => total + value * value, 0)
        return sum + product ** 2 / (square + RIDGES.own)
      }, 0)
    const naive = [2, 3, 4, 5, 6, 7].sort((one, other) => explained(other) - explained(one))
    for (const most of [1, 2, 3, 4]) {
      const { missed } = missedColumns(sums, BASE, RIDGES, most)
      expect(missed).toEqual(naive.slice(0, most).sort((one, other) => one - other))
    }
    expect(naive[0]).toBe(5)
    expect(missedColumns(sums, BASE, RIDGES, 1).deviate).toBeGreaterThan(6)
  })

  // The largest of six is above 1.645 in 5% of cases: at most 19 of 200 within three standard errors.
  it('says of columns that do not matter that they are not needed', () => {
    const above = Array.from({ length: 200 }, (_, k) => missedColumns(drawn(0, 100 + k).sums, BASE, RIDGES, 1).deviate)
    expect(above.filter((deviate) => deviate > 1.645).length).toBeLessThanOrEqual(19)
    expect(above.filter((deviate) => deviate > 0).length).toBeGreaterThan(0)
  })
})
