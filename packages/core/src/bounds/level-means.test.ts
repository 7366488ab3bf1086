import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { type LevelMeansInput, levelMeans } from './level-means.js'
import { categoryLevels, numberLevels } from './levels.js'

function tableOf(count: number, category: boolean) {
  const random = Random.fromSeed(3)
  const context = Float64Array.from({ length: 2 * count }, () => 2 * random.uniform() - 1)
  const covariate = Float64Array.from({ length: count }, (_, row) =>
    category ? Math.floor(3 * random.uniform()) : context[2 * row]! + random.normal(),
  )
  const values = Float64Array.from(
    { length: count },
    (_, row) => 0.3 * covariate[row]! + context[2 * row + 1]! + (1 + Math.abs(context[2 * row]!)) * random.normal(),
  )
  const weights = Float64Array.from({ length: count }, () => 1 + random.uniform())
  return { context, covariate, values, weights }
}

describe('means by level', () => {
  it.each([
    ['a number', false],
    ['a category', true],
  ])('have the covariance of fits that leave out one row each: %s', (_, category) => {
    const count = 80
    const table = tableOf(count, category)
    const levels = category ? categoryLevels(3) : numberLevels(table.covariate, 2, false)
    const fit = (rows: readonly number[]): LevelMeansInput => ({
      ...table,
      rows,
      contextWidth: 2,
      centre: Float64Array.of(0.1, -0.2),
      levels,
    })
    const all = Array.from({ length: count }, (_, row) => row)
    const whole = levelMeans(fit(all))!
    const naive = new Float64Array(whole.covariance.length)
    for (const left of all) {
      const moves = levelMeans(fit(all.filter((row) => row !== left)))!.means.map((mean, j) => mean - whole.means[j]!)
      for (const [j, one] of moves.entries())
        for (const [k, other] of moves.entries()) naive[j * moves.length + k]! += one * other
    }
    for (const [at, value] of naive.entries()) expect(whole.covariance[at]! / value).toBeCloseTo(1, 3)
  })

  it('have the degrees of freedom of the level that fewest rows show', () => {
    const table = tableOf(400, true)
    const covariate = table.covariate.map((z, row) => (row < 8 ? 2 : z === 2 ? 1 : z))
    const rows = Array.from({ length: 400 }, (_, row) => row)
    const input = { ...table, covariate, rows, contextWidth: 2, centre: new Float64Array(2) }
    expect(levelMeans({ ...input, levels: categoryLevels(3) })!.degrees).toBeLessThan(9)
    expect(levelMeans({ ...input, levels: categoryLevels(3), rows: rows.slice(8) })!.degrees).toBeGreaterThan(30)
  })

  it('say nothing of a level that was hardly seen, and nothing at all from few rows', () => {
    const table = tableOf(80, true)
    const rare = { ...table, covariate: table.covariate.map((z, row) => (z === 2 && row > 9 ? 0 : z)) }
    rare.covariate.fill(0, 0, 10).fill(2, 0, 2)
    const input = { ...rare, contextWidth: 2, centre: new Float64Array(2), levels: categoryLevels(3) }
    const { means } = levelMeans({ ...input, rows: Array.from({ length: 80 }, (_, row) => row) })!
    expect(Array.from(means, Number.isNaN)).toEqual([false, false, true])
    expect(levelMeans({ ...input, rows: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] })).toBeNull()
  })
})
