import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { dot, solve } from '../../../numeric/src/algebra/naive-algebra.fixture.js'
import { encodingOf } from '../problem/encoding.js'
import { boolean, category, number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { designColumns, designOf } from './design.js'
import { linearOracle } from './linear.js'
import type { LinearModel } from './linear-model.js'
import { inputOf, oracleLaws, type Row, randomRows, rowsOf } from './oracle.laws.js'

const problem: Problem = {
  context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
}
const encoding = encodingOf(problem)
const widths = { context: 2, covariates: 1 }

oracleLaws('linear', linearOracle(encoding, { interactions: 'all' }), 3, widths)
oracleLaws('linear with a shared part', linearOracle(encoding, { shared: 0.5 }), 3, widths)
oracleLaws('linear with missing indicators', linearOracle(encoding, { indicator: 'interacted' }), 3, widths)
oracleLaws('linear with one width per action', linearOracle(encoding, { width: 'action', clip: null }), 3, widths)

const features = ({ x, z }: Row) => [1, ...x, ...z]

describe('the linear oracle', () => {
  const rows = randomRows(Random.fromSeed(1), 700, 3, widths)
  const mean = rows.reduce((sum, { reward }) => sum + reward, 0) / rows.length

  it('equals a naive ridge per action around the pooled mean to 1e-9', () => {
    const model = linearOracle(encoding, { ridge: 0.3, clip: null }).fit(
      rowsOf(rows, 3, widths),
      Random.fromSeed(0),
    ) as LinearModel
    for (const action of [0, 1, 2]) {
      const own = rows
        .filter((row) => row.action === action)
        .map((row) => ({ phi: features(row), r: row.reward - mean }))
      const gram = Array.from({ length: 4 }, (_, i) =>
        Array.from({ length: 4 }, (_, j) => own.reduce((sum, { phi }) => sum + phi[i]! * phi[j]!, i === j ? 0.3 : 0)),
      )
      const theta = solve(
        gram,
        Array.from({ length: 4 }, (_, i) => own.reduce((sum, { phi, r }) => sum + phi[i]! * r, 0)),
      )
      theta[0]! += mean
      theta.forEach((value, k) => {
        expect(model.coefficients[action]![k]).toBeCloseTo(value, 9)
      })
    }
  })

  it('equals a naive joint ridge over shared and own parameters to 1e-8, with its covariance', () => {
    const ridge = 0.7
    const shared = 0.2
    const model = linearOracle(encoding, { ridge, shared, clip: null }).fit(
      rowsOf(rows, 3, widths),
      Random.fromSeed(0),
    ) as LinearModel
    // Joint design: the shared features, then one copy per action.
    const long = rows.map((row) => [
      ...features(row),
      ...[0, 1, 2].flatMap((a) => features(row).map((value) => (a === row.action ? value : 0))),
    ])
    const gram = Array.from({ length: 16 }, (_, i) =>
      Array.from({ length: 16 }, (_, j) =>
        long.reduce((sum, phi) => sum + phi[i]! * phi[j]!, i === j ? (i < 4 ? shared : ridge) : 0),
      ),
    )
    const right = Array.from({ length: 16 }, (_, i) =>
      long.reduce((sum, phi, n) => sum + phi[i]! * (rows[n]!.reward - mean), 0),
    )
    const joint = solve(gram, right)
    for (const action of [0, 1, 2]) {
      for (let k = 0; k < 4; k++) {
        const expected = joint[k]! + joint[4 + 4 * action + k]! + (k === 0 ? mean : 0)
        expect(model.coefficients[action]![k]).toBeCloseTo(expected, 8)
        // Variance of the sum of the two parts: e' gram^-1 e with e = 1 at both places.
        const e = Array.from({ length: 16 }, (_, i) => (i === k || i === 4 + 4 * action + k ? 1 : 0))
        expect(model.covariance![action]![k * 4 + k]).toBeCloseTo(dot(e, solve(gram, e)), 8)
      }
    }
  })

  it('predicts the pooled mean for an action without data', () => {
    const few = rows.filter(({ action }) => action !== 1)
    const pooled = few.reduce((sum, { reward }) => sum + reward, 0) / few.length
    const oracle = linearOracle(encoding)
    const scorer = oracle.compile(oracle.fit(rowsOf(few, 3, widths), Random.fromSeed(0)))
    const out = new Float64Array(3)
    scorer.scores(inputOf({ x: [0.3, -0.8], z: [0.9] }), 0, out)
    expect(out[1]).toBeCloseTo(pooled, 12)
  })

  it('recovers sigma and the width of a prediction: 95% of standardised errors are inside two widths', () => {
    const random = Random.fromSeed(21)
    const theta = [0.4, 0.1, -0.1, 0.2]
    let inside = 0
    const repeats = 400
    for (let repeat = 0; repeat < repeats; repeat++) {
      const sample = Array.from({ length: 120 }, (): Row => {
        const x = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
        const z = [2 * random.uniform() - 1]
        return { x, z, action: random.integer(3), reward: dot(theta, [1, ...x, ...z]) + 0.1 * random.normal() }
      })
      const oracle = linearOracle(encoding, { ridge: 0.001, clip: null })
      const model = oracle.fit(rowsOf(sample, 3, widths), random) as LinearModel
      const scorer = oracle.compile(model)
      const out = new Float64Array(3)
      scorer.scores(inputOf({ x: [0.5, 0.5], z: [-0.5] }), 0, out)
      const error = out[0]! - dot(theta, [1, 0.5, 0.5, -0.5])
      scorer.widths(out)
      if (Math.abs(error) <= 1.96 * out[0]!) inside++
    }
    // Binomial with p = .95 and 400 draws: three standard errors are .033 (false alarms 0.3%); widths lean to the safe side.
    expect(inside / repeats).toBeGreaterThan(0.917)
    expect(inside / repeats).toBeLessThan(0.99)
  })

  it('reports the share of predictions that the clip moved', () => {
    const extreme = rows.map((row) => ({ ...row, reward: row.x[0]! > 0 ? 1 : 0 }))
    const clipped = linearOracle(encoding, { clip: { min: 0.25, max: 0.75 } }).fit(
      rowsOf(extreme, 3, widths),
      Random.fromSeed(0),
    )
    expect(clipped.clippedShare).toBeGreaterThan(0.3)
    const free = linearOracle(encoding, { clip: { min: -9, max: 9 } }).fit(
      rowsOf(extreme, 3, widths),
      Random.fromSeed(0),
    )
    expect(free.clippedShare).toBe(0)
  })

  it('learns another offset, or another slope, for rows where the covariate is missing', () => {
    const shifted = rows.map((row) =>
      row.observed === 1 ? row : { ...row, reward: row.reward + 0.2 + 0.1 * row.x[1]! },
    )
    const predict = (indicator: 'intercept' | 'interacted', observed: number, x2: number) => {
      const oracle = linearOracle(encoding, { indicator, clip: null, ridge: 1e-3 })
      const out = new Float64Array(3)
      oracle
        .compile(oracle.fit(rowsOf(shifted, 3, widths), Random.fromSeed(0)))
        .scores(inputOf({ x: [0, x2], z: [0], observed }), 0, out)
      return out[1]!
    }
    // The noise of the rows has standard deviation .03; about 90 rows per action and pattern.
    expect(predict('intercept', 0, 0) - predict('intercept', 1, 0)).toBeCloseTo(0.2, 1)
    expect(predict('interacted', 0, 1) - predict('interacted', 1, 1)).toBeCloseTo(0.3, 1)
    expect(predict('interacted', 0, -1) - predict('interacted', 1, -1)).toBeCloseTo(0.1, 1)
  })

  it('lays out products of features by column, categories level by level', () => {
    const mixed: Problem = {
      ...problem,
      context: { x: number({ min: 0, max: 1 }), smoker: boolean(), city: category(['a', 'b'], { other: true }) },
      covariates: {
        z: { ...number({ min: 0, max: 1 }), imputer: { kind: 'column' } },
        g: { ...category(['p', 'q']), imputer: { kind: 'column' } },
      },
    }
    const encoded = encodingOf(mixed)
    expect(encoded.contextColumns).toEqual(['x', 'smoker', 'city=a', 'city=b', 'city=other'])
    expect(encoded.covariateColumns).toEqual(['z', 'g=p', 'g=q'])
    expect(designOf(encoded, [['z', 'city']]).products).toEqual([
      [5, 2],
      [5, 3],
      [5, 4],
    ])
    expect(designOf(encoded, [['z', 'z', 'x']]).products).toEqual([[5, 5, 0]])
    expect(designColumns(designOf(encoded, 'all'))).toBe(1 + 5 + 3 + 3 * 5)
    expect(designColumns(designOf(encoded, 'none', 'intercept'))).toBe(9 + 2)
    expect(designColumns(designOf(encoded, 'none', 'interacted'))).toBe(9 * 3)
    expect(() => designOf(encoded, [['z', 'height']])).toThrow('"height"')
    expect(() => designOf(encoded, [['z']])).toThrow('two or more')
  })
})
