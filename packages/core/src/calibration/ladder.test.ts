import { Random, sumRows } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { fitLadder, prefixOf } from './ladder.js'

const PREFIXES = [1, 3, 5, 6]

/** Rows [1, x, w, x^2, w^2, x w, y] with y = signal + noise, in two folds. */
function world(seed: number, count: number, signal: (x: number, w: number) => number) {
  const random = Random.fromSeed(seed)
  const folds = [0, 1].map(() => {
    const rows = Array.from({ length: count / 2 }, () => {
      const x = 2 * random.uniform() - 1
      const w = 2 * random.uniform() - 1
      return [1, x, w, x * x - 1 / 3, w * w - 1 / 3, x * w, signal(x, w) + 0.2 * random.normal()]
    })
    return { rows, sums: sumRows(Float64Array.from(rows.flat()), 0, rows.length, 6, null, 0, new Float64Array()) }
  })
  return {
    rows: folds.map(({ rows }) => rows),
    input: { folds: [[folds[0]!.sums, folds[1]!.sums] as const], prefixes: PREFIXES, ridge: 1, richRows: 30 },
  }
}

function naiveRidge(rows: readonly number[][], columns: number): number[] {
  const matrix = Array.from({ length: columns }, (_, i) => [
    ...Array.from({ length: columns }, (_, j) => rows.reduce((sum, row) => sum + row[i]! * row[j]!, i === j ? 1 : 0)),
    rows.reduce((sum, row) => sum + row[i]! * row[6]!, 0),
  ])
  for (let k = 0; k < columns; k++) {
    const head = matrix[k]![k]!
    matrix[k] = matrix[k]!.map((value) => value / head)
    for (let i = 0; i < columns; i++)
      if (i !== k) matrix[i] = matrix[i]!.map((value, j) => value - matrix[i]![k]! * matrix[k]![j]!)
  }
  return matrix.map((row) => row[columns]!)
}

describe('the correction ladder', () => {
  it('equals a naive swapped cross-fit with power tuning', () => {
    const { rows, input } = world(1, 400, (x, w) => 0.3 + 0.2 * x - 0.1 * w)
    const fit = fitLadder(input)
    const columns = PREFIXES[['bias', 'linear', 'cubic', 'rich'].indexOf(fit.rung)]!
    const betas = rows.map((fold) => naiveRidge(fold, columns))
    const predict = (beta: readonly number[], row: readonly number[]) =>
      beta.reduce((sum, value, k) => sum + value * row[k]!, 0)
    let product = 0
    let square = 0
    for (const f of [0, 1]) {
      for (const row of rows[1 - f]!) {
        const h = predict(betas[f]!, row)
        product += h * row[6]!
        square += h * h
      }
    }
    const lambda = Math.min(1, Math.max(0, product / square))
    expect(fit.shrinkage).toBeCloseTo(lambda, 10)
    fit.coefficients[0]!.forEach((value, k) => {
      expect(value).toBeCloseTo((lambda * (betas[0]![k]! + betas[1]![k]!)) / 2, 10)
    })
    const residuals = [0, 1].flatMap((f) =>
      rows[1 - f]!.map((row) => (row[6]! - lambda * predict(betas[f]!, row)) ** 2),
    )
    expect(fit.residualVariance[0]).toBeCloseTo(residuals.reduce((sum, value) => sum + value, 0) / 400, 10)
  })

  it('climbs as high as the signal needs: bias, linear, or products', () => {
    expect(fitLadder(world(2, 2000, () => 0.4).input).rung).toBe('bias')
    expect(fitLadder(world(3, 2000, (x, w) => 0.3 * x - 0.3 * w).input).rung).toBe('linear')
    expect(fitLadder(world(4, 2000, (x, w) => 0.5 * x * w).input).rung).toBe('rich')
  })

  it('leaves a right model almost alone, and a wrong one almost fully corrected', () => {
    const shrinkages = Array.from(
      { length: 40 },
      (_, seed) => fitLadder(world(100 + seed, 200, () => 0).input).shrinkage,
    )
    expect(shrinkages.reduce((sum, value) => sum + value, 0) / 40).toBeLessThan(0.45)
    expect(shrinkages.filter((value) => value === 0).length).toBeGreaterThan(5)
    expect(fitLadder(world(5, 2000, (x) => 0.5 + 0.4 * x).input).shrinkage).toBeGreaterThan(0.97)
  })

  it('does not try the rich rung below its number of rows', () => {
    const { heldOut } = fitLadder({ ...world(6, 20, (x, w) => 5 * x * w).input })
    expect(heldOut.map(({ rung }) => rung)).toEqual(['bias', 'linear', 'cubic'])
  })

  it('takes sums of a prefix that equal the sums of the shorter rows', () => {
    const { rows, input } = world(7, 100, (x) => x)
    const short = rows[0]!.map((row) => [row[0]!, row[1]!, row[2]!, row[6]!])
    const direct = sumRows(Float64Array.from(short.flat()), 0, short.length, 3, null, 0, new Float64Array())
    expect(prefixOf(input.folds[0]![0], 3)).toEqual(direct)
  })
})
