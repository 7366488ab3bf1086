// Laws that every function class must keep; run for each class by function-class.test.ts.

import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { compileModel } from './function-class.js'
import type { Regression, RegressionModel, RegressionRows } from './regression.js'

export function randomTable(seed: number, count: number, columns: number): RegressionRows {
  const random = Random.fromSeed(seed)
  const inputs = Float64Array.from({ length: count * columns }, () => 2 * random.uniform() - 1)
  const targets = Float64Array.from({ length: count }, (_, i) => {
    const at = i * columns
    return Math.sin(2 * inputs[at]!) + 0.5 * (inputs[at + 1] ?? 0) + 0.2 * random.normal()
  })
  return { columns, count, inputs, targets, weights: null }
}

function permuted(rows: RegressionRows, order: ArrayLike<number>): RegressionRows {
  const { columns } = rows
  const inputs = new Float64Array(order.length * columns)
  const targets = new Float64Array(order.length)
  for (let i = 0; i < order.length; i++) {
    inputs.set(rows.inputs.subarray(order[i]! * columns, (order[i]! + 1) * columns), i * columns)
    targets[i] = rows.targets[order[i]!]!
  }
  return { ...rows, count: order.length, inputs, targets }
}

export function regressionLaws(name: string, regression: Regression, columns: number): void {
  const rows = randomTable(31, 300, columns)
  const probe = randomTable(32, 40, columns)
  const fit = (given: RegressionRows) => regression.fit(given, Random.fromSeed(7))
  const predict = (model: RegressionModel) => {
    const out = new Float64Array(probe.count)
    regression.compile(model).table(probe.inputs, probe.count, out)
    return out
  }
  const expectClose = (a: Float64Array, b: Float64Array, tolerance: number) => {
    a.forEach((value, i) => {
      expect(Math.abs(value - b[i]!)).toBeLessThanOrEqual(tolerance)
    })
  }

  describe(`laws of a function class: ${name}, ${columns} column${columns === 1 ? '' : 's'}`, () => {
    it('is pure and leaves its inputs alone', () => {
      const before = structuredClone(rows)
      expect(fit(rows)).toEqual(fit(rows))
      expect(rows).toEqual(before)
    })

    it('predicts a table as it predicts its rows, also after JSON, and better than the mean', () => {
      const model = fit(rows)
      const table = predict(model)
      const copy = compileModel(JSON.parse(JSON.stringify(model)) as RegressionModel)
      table.forEach((value, i) => {
        expect(copy.row(probe.inputs, i * columns)).toBe(value)
      })
      const loss = (of: (i: number) => number) => probe.targets.reduce((sum, y, i) => sum + (y - of(i)) ** 2, 0)
      const mean = rows.targets.reduce((sum, y) => sum + y / rows.count, 0)
      expect(loss((i) => table[i]!)).toBeLessThan(loss(() => mean))
    })

    it('does not depend on the order of rows beyond rounding', () => {
      const shuffled = permuted(rows, Random.fromSeed(5).permutation(rows.count))
      expectClose(predict(fit(shuffled)), predict(fit(rows)), 1e-9)
    })

    it('treats a doubled weight as a repeated row and a weight of 0 as an absent one', () => {
      const weights = Float64Array.from({ length: rows.count }, (_, i) => i % 3)
      const repeated = Array.from(weights).flatMap((weight, i) => Array.from({ length: weight }, () => i))
      expectClose(predict(fit({ ...rows, weights })), predict(fit(permuted(rows, repeated))), 1e-9)
    })

    it('says its effective dimension and, where it has one, a critical radius that falls with the rows', () => {
      const { effectiveDimension, weight } = fit(rows)
      expect(effectiveDimension).toBeGreaterThan(0)
      expect(effectiveDimension).toBeLessThanOrEqual(rows.count)
      expect(weight).toBeCloseTo(rows.count, 9)
      const radius = regression.radius(columns, 1000, true)
      if (radius !== null) expect(regression.radius(columns, 4000, true)!).toBeLessThan(radius)
    })

    it('refuses what it cannot fit with a typed error that says what was given', () => {
      const refused = (given: Partial<RegressionRows>, code: string, words: RegExp) => {
        expect(() => fit({ ...rows, ...given })).toThrow(expect.objectContaining({ code }))
        expect(() => fit({ ...rows, ...given })).toThrow(words)
      }
      const withInput = (value: number) => Float64Array.from(rows.inputs, (x, i) => (i === columns ? value : x))
      refused({ count: 1 }, 'degenerate-rows', /two or more, got 1/)
      refused({ count: 0 }, 'degenerate-rows', /two or more, got 0/)
      refused({ weights: new Float64Array(rows.count) }, 'degenerate-rows', /positive weight/)
      refused({ weights: new Float64Array(rows.count).fill(-1) }, 'not-finite', /weight of row 0 .* got -1/)
      refused({ targets: rows.targets.map((y, i) => (i === 3 ? Number.NaN : y)) }, 'not-finite', /target of row 3/)
      refused(
        { inputs: rows.inputs.map((x, i) => (i % columns === 0 ? 2 : x)) },
        'degenerate-rows',
        /column 0 .* got 2/,
      )
      refused({ inputs: withInput(Number.POSITIVE_INFINITY) }, 'not-finite', /column 0 of row 1 .* got Infinity/)
      if (!regression.takesMissing) refused({ inputs: withInput(Number.NaN) }, 'not-finite', /got NaN/)
      else expect(predict(fit({ ...rows, inputs: withInput(Number.NaN) })).every(Number.isFinite)).toBe(true)
    })
  })
}
