import { Random, type Sums, sumRows } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { auditTest } from './audit-test.js'
import type { AuditedRows } from './audited-rows.js'

/** Rows [1, x, x^2 - 1/3, y]. */
function rowsOf(random: Random, count: number, y: (x: number) => number): number[][] {
  return Array.from({ length: count }, () => {
    const x = 2 * random.uniform() - 1
    return [1, x, x * x - 1 / 3, y(x)]
  })
}

function sumsOf(rows: readonly number[][]): Sums {
  return sumRows(Float64Array.from(rows.flat()), 0, rows.length, 3, null, 0, new Float64Array())
}

function audited(rows: readonly number[][], probabilities: readonly number[]): AuditedRows {
  return {
    count: rows.length,
    columns: Float64Array.from(rows.flatMap((row) => row.slice(0, 3))),
    residuals: Float64Array.from(rows, (row) => row[3]!),
    probabilities: Float64Array.from(probabilities),
  }
}

describe('the test of missing at random by an audit', () => {
  it('equals a naive computation row by row', () => {
    const random = Random.fromSeed(2)
    const known = rowsOf(random, 600, (x) => 0.2 + x + 0.3 * random.normal())
    const asked = rowsOf(random, 40, (x) => 0.9 + x + 0.3 * random.normal())
    const pi = asked.map((_, i) => (i % 2 === 0 ? 0.02 : 0.08))
    const matrix = [0, 1, 2].map((i) =>
      [0, 1, 2].map((j) => known.reduce((sum, row) => sum + row[i]! * row[j]!, i === j ? 1 : 0)),
    )
    const inverse = inverseOf(matrix)
    const target = [0, 1, 2].map((i) => known.reduce((sum, row) => sum + row[i]! * row[3]!, 0))
    const beta = inverse.map((row) => row.reduce((sum, value, k) => sum + value * target[k]!, 0))
    const residual = (row: readonly number[]) => row[3]! - beta.reduce((sum, value, k) => sum + value * row[k]!, 0)
    const noise = known.reduce((sum, row) => sum + residual(row) ** 2, 0) / 597
    const d = [0, 1, 2].map((k) => asked.reduce((sum, row) => sum + row[k]!, 0))
    const spread = d.reduce((sum, di, i) => sum + di * inverse[i]!.reduce((inner, v, j) => inner + v * d[j]!, 0), 0)
    const total = asked.reduce((sum, row) => sum + residual(row), 0)
    // The ridge is 1 in each column.
    const shrunk = d.reduce((sum, di, i) => sum + di * inverse[i]!.reduce((inner, v, j) => inner + v * beta[j]!, 0), 0)
    const beyond = total - 4 * Math.sqrt(noise * spread) - Math.abs(shrunk)
    const variance = asked.reduce((sum, row) => sum + residual(row) ** 2, 0)
    // The mixture over l ~ N(0, 1 / r), by a sum over a fine grid.
    const r = 32 * noise
    let mixture = 0
    for (let l = -60; l <= 60; l += 0.001)
      mixture += 0.001 * Math.sqrt(r / (2 * Math.PI)) * Math.exp(l * beyond - (l * l * (variance + r)) / 2)
    const test = auditTest(sumsOf(known), audited(asked, pi))
    expect(test.eValue / mixture).toBeCloseTo(1, 6)
    const weighted = asked.reduce((sum, row, i) => sum + residual(row) / pi[i]!, 0)
    expect(test.shift).toBeCloseTo(weighted / pi.reduce((sum, each) => sum + 1 / each, 0), 9)
  })

  it('is ever wrong in 1% of cases at most over 20 looks, and rejects a shift of two thirds of a standard deviation', () => {
    // 150 repetitions: at a true rate of 1% more than 6 are wrong once in 1,000 runs.
    const run = (seed: number, shift: number, skewed = false) => {
      const random = Random.fromSeed(1000 + seed)
      const noise = () => 0.3 * (skewed ? -Math.log(1 - random.uniform()) - 1 : random.normal())
      const known: number[][] = []
      const asked: number[][] = []
      const pi: number[] = []
      let ever = false
      for (let look = 0; look < 20; look++) {
        known.push(...rowsOf(random, 40, (x) => 0.3 * x + noise()))
        const more = rowsOf(random, 8, (x) => 0.3 * x + shift + noise())
        asked.push(...more)
        // Rows with large x are asked for more often.
        pi.push(...more.map((row) => (row[1]! > 0 ? 0.06 : 0.02)))
        ever ||= auditTest(sumsOf(known), audited(asked, pi)).rejected
      }
      return ever
    }
    const count = (shift: number, of: number, skewed = false) =>
      Array.from({ length: of }, (_, k) => run(k, shift, skewed)).filter(Boolean).length
    expect(count(0, 150)).toBeLessThanOrEqual(6)
    expect(count(0, 150, true)).toBeLessThanOrEqual(6)
    expect(count(0.2, 10)).toBeGreaterThanOrEqual(9)
  })

  it('takes what the ridge leaves of a fit with hardly any noise for no evidence', () => {
    const random = Random.fromSeed(3)
    const line = (x: number) => 0.3 * x + 0.005 * random.normal()
    const known = rowsOf(random, 1600, line).filter(([, x]) => x! < 0.2)
    const asked = rowsOf(random, 400, line).filter(([, x]) => x! > -0.2)
    const pi = asked.map(() => 0.05)
    expect(auditTest(sumsOf(known), audited(asked, pi)).eValue).toBeLessThan(1)
  })
})

function inverseOf(matrix: readonly (readonly number[])[]): number[][] {
  const n = matrix.length
  const wide = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))])
  for (let k = 0; k < n; k++) {
    const head = wide[k]![k]!
    wide[k] = wide[k]!.map((value) => value / head)
    for (let i = 0; i < n; i++) if (i !== k) wide[i] = wide[i]!.map((value, j) => value - wide[i]![k]! * wide[k]![j]!)
  }
  return wide.map((row) => row.slice(n))
}
