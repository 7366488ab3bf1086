import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { observationProbability } from '../missingness/observation-model.js'
import { encodingOf } from '../problem/encoding.js'
import { boolean, category, number } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import type { CovariateRows } from '../rounds/covariate-rows.js'
import { calibrate } from './calibrate.js'
import { compileCorrection } from './correction.js'
import { correctionBasis } from './correction-basis.js'
import { type CalibrationOptions, calibrationSettings } from './settings.js'

const problem: Problem = {
  context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }) },
  covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
  actions: ['a'],
  reward: { min: 0, max: 1 },
}
const encoding = encodingOf(problem)

interface World {
  readonly rows: CovariateRows
  readonly x: readonly (readonly number[])[]
  readonly y: readonly number[]
  readonly known: readonly number[]
}

/** z - g~ = .2 + .3 x1 - .1 x2 + noise, observed more often where x1 is large. */
function world(count: number, seed: number): World {
  const random = Random.fromSeed(seed)
  const x = Array.from({ length: count }, () => [2 * random.uniform() - 1, 2 * random.uniform() - 1])
  const y = x.map(([a, b]) => 0.2 + 0.3 * a! - 0.1 * b! + 0.2 * (random.uniform() - 0.5))
  const known = x.map(([a]) => (random.uniform() < 0.5 + 0.35 * a! ? 1 : 0))
  const pretrained = x.map(([a]) => 0.1 * a!)
  return {
    x,
    y,
    known,
    rows: {
      contextWidth: 2,
      width: 1,
      count,
      knownCount: known.reduce<number>((sum, value) => sum + value, 0),
      withoutPrediction: 0,
      batches: [
        {
          block: 0,
          count,
          context: Float64Array.from(x.flat()),
          pretrained: Float64Array.from(pretrained),
          truth: Float64Array.from(y, (value, i) => (known[i] === 1 ? value + pretrained[i]! : 0)),
          known: Uint8Array.from(known),
        },
      ],
    },
  }
}

const settingsOf = (options: CalibrationOptions) => calibrationSettings(options, ['z'])
const rms = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length)
const apply = (beta: readonly number[], [a, b]: readonly number[]) => beta[0]! + beta[1]! * a! + beta[2]! * b!

describe('Cal (Alg.2)', () => {
  const data = world(2000, 1)

  it('puts the correction inside the ball, measured over all contexts, observed or not', () => {
    for (const radius of [0, 0.05, 0.15, 0.2]) {
      const { correction } = calibrate(data.rows, encoding.context, settingsOf({}), radius, Random.fromSeed(2))
      const size = rms(data.x.map((row) => apply(correction!.coefficients[0]!, row)))
      expect(size).toBeLessThanOrEqual(radius * (1 + 1e-8))
      expect(size).toBeGreaterThanOrEqual(radius * (1 - 1e-6))
    }
    const { correction, report } = calibrate(data.rows, encoding.context, settingsOf({}), 5, Random.fromSeed(2))
    expect(rms(data.x.map((row) => apply(correction!.coefficients[0]!, row)))).toBeCloseTo(
      report.folds[0]!.columns[0]!.size,
      12,
    )
    expect(report.folds[0]!.columns[0]!.multiplier).toBe(0)
  })

  it('satisfies the KKT conditions of its weighted problem, written naively', () => {
    const radius = 0.12
    const random = Random.fromSeed(7)
    const { correction, report } = calibrate(data.rows, encoding.context, settingsOf({}), radius, random)
    const beta = correction!.coefficients[0]!
    const fold = report.folds[0]!
    const { multiplier } = fold.columns[0]!
    expect(multiplier).toBeGreaterThan(0)
    // The second half of the same random order is D2.
    const order = [...Random.fromSeed(7).permutation(2000)]
    const second = order.slice(1000).filter((i) => data.known[i] === 1)
    expect(second.length).toBe(fold.rows)
    const phi = (i: number) => [1, ...data.x[i]!]
    const weight = (i: number) => 1 / observationProbability(fold.observation, Float64Array.from(data.x[i]!), 0)
    // Gradient of the Lagrangian: sum w phi (phi'b - y) + ridge b + mu S b = 0.
    for (let k = 0; k < 3; k++) {
      let gradient = beta[k]!
      for (const i of second) gradient += weight(i) * phi(i)[k]! * (apply(beta, data.x[i]!) - data.y[i]!)
      for (let j = 0; j < 2000; j++) gradient += (multiplier / 2000) * phi(j)[k]! * apply(beta, data.x[j]!)
      expect(Math.abs(gradient)).toBeLessThan(1e-6)
    }
  })

  it('fits the observation model on the first half only and the correction on the second only', () => {
    const random = () => Random.fromSeed(7)
    const first = [...random().permutation(2000)].slice(0, 1000)
    const changed = world(2000, 1)
    const truth = changed.rows.batches[Symbol.iterator]().next().value!.truth
    for (const i of first) truth[i] = 99
    const before = calibrate(data.rows, encoding.context, settingsOf({}), undefined, random())
    expect(calibrate(changed.rows, encoding.context, settingsOf({}), undefined, random())).toEqual(before)
  })

  it('averages the two corrections when the halves swap places, and is then closer to the truth', () => {
    const error = (beta: readonly number[]) => Math.hypot(beta[0]! - 0.2, beta[1]! - 0.3, beta[2]! + 0.1)
    const errors = { half: [] as number[], swap: [] as number[] }
    for (let seed = 0; seed < 60; seed++) {
      const sample = world(400, 100 + seed)
      for (const split of ['half', 'swap'] as const) {
        const { correction } = calibrate(
          sample.rows,
          encoding.context,
          settingsOf({ split, ridge: 1e-6 }),
          undefined,
          Random.fromSeed(seed),
        )
        errors[split].push(error(correction!.coefficients[0]!))
      }
    }
    // Twice the rows: the root mean square error falls by sqrt(2); 60 paired worlds leave a wide margin.
    expect(rms(errors.swap) / rms(errors.half)).toBeLessThan(0.85)
    expect(rms(errors.swap) / rms(errors.half)).toBeGreaterThan(0.55)
  })

  it('leaves the pre-trained model alone when too few values are known', () => {
    const sample = world(20, 3)
    const few = { ...sample.rows, knownCount: 7 }
    expect(calibrate(few, encoding.context, settingsOf({}), undefined, Random.fromSeed(0)).correction).toBeNull()
  })

  it('improves a biased model, and says by how much', () => {
    const { report } = calibrate(data.rows, encoding.context, settingsOf({}), undefined, Random.fromSeed(2))
    const { lossBefore, lossAfter } = report.folds[0]!.columns[0]!
    expect(lossAfter).toBeLessThan(0.3 * lossBefore)
    expect(lossAfter).toBeCloseTo(0.04 / 12, 3)
  })
})

describe('correction bases', () => {
  it('have the 31 columns of the reference runs in five numeric dimensions, in the stated order', () => {
    const five: Problem = {
      ...problem,
      context: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, number({ min: -1, max: 1 })])),
    }
    const basis = correctionBasis('basis', encodingOf(five).context)
    expect(basis.columns).toBe(31)
    const x = [0.1, -0.2, 0.3, 0.4, -0.5]
    const out = new Float64Array(31)
    basis.expand(Float64Array.from(x), 0, out, 0)
    const products = x.flatMap((a, i) => x.slice(i + 1).map((b) => a * b))
    expect([...out]).toEqual([
      1,
      ...x.flatMap((v) => [v, v * v - 1 / 3, Math.sin(Math.PI * v), Math.cos(Math.PI * v)]),
      ...products,
    ])
  })

  it('keep booleans and one-hot columns linear, and drop products beyond 300 columns', () => {
    const mixed: Problem = {
      ...problem,
      context: { n: number({ min: 0, max: 1 }), f: boolean(), c: category(['u', 'v', 'w']) },
    }
    // 1 + 4 + 1 + 3 single columns; products: n*f, n*c (3), f*c (3).
    expect(correctionBasis('basis', encodingOf(mixed).context).columns).toBe(9 + 7)
    const many: Problem = {
      ...problem,
      context: Object.fromEntries(Array.from({ length: 24 }, (_, k) => [`x${k}`, number({ min: 0, max: 1 })])),
    }
    expect(correctionBasis('basis', encodingOf(many).context).columns).toBe(1 + 4 * 24)
  })

  it('bring a corrected category back to the simplex and a number back to its range', () => {
    const levels: Problem = {
      ...problem,
      covariates: { g: { ...category(['p', 'q', 'r']), imputer: { kind: 'column' } } },
    }
    const encoded = encodingOf(levels)
    const correct = compileCorrection(
      { kind: 'correction', class: 'bias', coefficients: [[0.9], [0], [-0.5]] },
      encoded.context,
      encoded.covariates[0]!,
      'range',
    )
    const values = Float64Array.of(0.5, 0.3, 0.2)
    correct(Float64Array.of(0, 0), 0, values, 0)
    expect(values.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12)
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
    const number1 = compileCorrection(
      { kind: 'correction', class: 'bias', coefficients: [[2]] },
      encoding.context,
      encoding.covariates[0]!,
      'range',
    )
    const single = Float64Array.of(0.4)
    number1(Float64Array.of(0, 0), 0, single, 0)
    expect(single[0]).toBe(1)
  })
})
