import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { encodingOf } from '../problem/encoding.js'
import { number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { compileActionScores } from './action-scores.js'
import { linearOracle } from './linear.js'
import type { LinearModel } from './linear-model.js'
import { inputOf, type Row, rowsOf } from './oracle.laws.js'

const problem: Problem = {
  context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
}
const widths = { context: 2, covariates: 1 }

/** Rewards with products z * x1 and z * z, strong enough for every seed here. */
function draw(count: number, seed: number): Row[] {
  const random = Random.fromSeed(seed)
  return Array.from({ length: count }, () => {
    const x = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
    const z = 2 * random.uniform() - 1
    const action = random.integer(2)
    const mean = 0.5 + (action === 0 ? 0.2 : -0.2) * (z * x[0]! + z * z - 0.3 + x[1]!)
    return {
      x,
      z: [z],
      action,
      reward: mean + 0.1 * (random.uniform() - 0.5),
      observed: random.uniform() < 0.5 ? 1 : 0,
    }
  })
}

/** The same rows where the declared ranges are `times` too wide and begin where the values do. */
const widened = (rows: readonly Row[], times: number): Row[] =>
  rows.map((row) => ({ ...row, x: row.x.map((v) => (v + 1) / times - 1), z: row.z.map((v) => (v + 1) / times - 1) }))

const oracle = linearOracle(encodingOf(problem), { interactions: 'auto', clip: null })
const fit = (rows: readonly Row[], before: LinearModel | null = null) =>
  oracle.fit(rowsOf(rows, 2, widths), Random.fromSeed(0), before) as LinearModel

function scored(model: LinearModel, row: Row): number[] {
  const scores = new Float64Array(2)
  const widthsOf = new Float64Array(2)
  const scorer = oracle.compile(model)
  scorer.scores(inputOf(row), 0, scores)
  scorer.widths(widthsOf)
  return [...scores, ...widthsOf]
}

describe('columns in units of what was seen', () => {
  const rows = draw(1500, 1)
  const probe = draw(40, 2)

  it('leaves columns that fill their range alone', () => {
    expect(fit(rows).design.scale).toBeUndefined()
  })

  it.each([10, 1000, 100_000])('predicts the same where declared ranges are %d times too wide', (times) => {
    const tight = fit(rows)
    const wide = fit(widened(rows, times))
    const far = widened(probe, times)
    probe.forEach((row, i) => {
      const expected = scored(tight, row)
      // A product of centred columns is shrunk towards another plane: equal up to what the ridges do, 4 beside 750 rows of an action.
      scored(wide, far[i]!).forEach((value, k) => {
        expect(Math.abs(value - expected[k]!)).toBeLessThan(0.01)
      })
    })
  })

  it('goes on in the scale of the model before', () => {
    const first = fit(widened(rows, 100))
    const again = fit(widened(draw(1500, 3), 100), first)
    expect(again.design.scale).toEqual(first.design.scale)
  })

  it('is the same along lines in the covariate and over rows', () => {
    const times = 50
    const model = fit(widened(draw(1500, 5), times))
    const linear: LinearModel = {
      ...model,
      design: { ...model.design, products: [[2, 0]] },
      coefficients: model.coefficients.map((theta) => theta.slice(0, 5)),
      covariance: null,
    }
    const lines = oracle.compile(linear).lines!(0)!
    const own = compileActionScores(linear, [], 0, 1)
    const constants = new Float64Array(2)
    const slopes = new Float64Array(2)
    const one = new Float64Array(1)
    for (const row of widened(probe, times)) {
      const input = inputOf(row)
      const [a, b] = scored(linear, row) as [number, number]
      lines.write(input, 0, constants, slopes)
      expect(constants[0]! + slopes[0]! * row.z[0]!).toBeCloseTo(a, 9)
      expect(constants[1]! + slopes[1]! * row.z[0]!).toBeCloseTo(b, 9)
      own.begin(input, 1, Uint16Array.of(1))
      own.score(input, one)
      expect(one[0]).toBeCloseTo(b, 12)
    }
  })

  it('averages squares over what imputations leave open in those units', () => {
    const times = 50
    const model = fit(widened(draw(4500, 1), times))
    const centre = model.design.scale![2]!.centre
    expect(model.design.products).toContainEqual([2, 2])
    const row = { ...widened(probe, times)[0]!, observed: 0 }
    const scores = new Float64Array(2)
    // A residual of two points is written out as the mean of two rows.
    const half = 0.3 / times
    oracle.compile(model, [[1, 0, half * half]]).scores(inputOf(row), 0, scores)
    const ends = [-half, half].map((by) => scored(model, { ...row, z: [row.z[0]! + by], observed: 1 }))
    expect(scores[0]).toBeCloseTo((ends[0]![0]! + ends[1]![0]!) / 2, 9)
    expect(scores[1]).toBeCloseTo((ends[0]![1]! + ends[1]![1]!) / 2, 9)
    expect(centre).not.toBe(0)
  })
})

describe('rewards in units of what was seen', () => {
  it('predicts and is as uncertain the same in every unit', () => {
    const rows = draw(400, 7)
    const clipped = linearOracle(encodingOf(problem), { interactions: 'auto', clip: { min: -0.5, max: 1.5 } })
    const inUnits = (unit: number) =>
      clipped.fit(
        rowsOf(
          rows.map((row) => ({ ...row, reward: row.reward * unit })),
          2,
          widths,
        ),
        Random.fromSeed(0),
      ) as LinearModel
    const one = inUnits(1)
    const small = inUnits(1 / 16)
    expect(small.unit).toBe(one.unit! / 16)
    expect(small.clip!.max).toBeCloseTo(one.clip!.max / 16, 12)
    expect(small.sigma).toBeCloseTo(one.sigma / 16, 12)
    expect(small.coefficients[0]![1]).toBeCloseTo(one.coefficients[0]![1]! / 16, 12)
  })
})
