// The laws on every class, and the classes against scikit-learn, numpy and scipy (fixtures/function-classes.py).

import { readFileSync } from 'node:fs'
import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import type { AdditiveModel } from './additive.js'
import { type ClassOptions, regressionOf } from './function-class.js'
import { kernelRadius } from './kernel.js'
import type { KernelModel } from './kernel-model.js'
import type { LipschitzModel } from './lipschitz-surrogate.js'
import type { RegressionModel, RegressionRows } from './regression.js'
import { randomTable, regressionLaws } from './regression.laws.js'
import type { SelectedModel } from './selector.js'
import { roughness } from './spline.js'

const CLASSES: readonly ClassOptions[] = [
  { kind: 'linear' },
  { kind: 'isotonic' },
  { kind: 'lipschitz', bound: 3 },
  { kind: 'convex', bound: 3, bins: 40 },
  { kind: 'spline', segments: 10 },
  { kind: 'kernel', exact: 100, landmarks: 40 },
  { kind: 'trees', rounds: 40 },
  { kind: 'network', steps: 300, hidden: 8 },
  { kind: 'select', ladder: [{ kind: 'linear' }, { kind: 'spline', segments: 8 }, { kind: 'trees', rounds: 20 }] },
]

for (const options of CLASSES) {
  for (const columns of [1, 3]) regressionLaws(options.kind, regressionOf(options), columns)
}
regressionLaws('kernel, exact', regressionOf({ kind: 'kernel', exact: 1000, landmarks: 40 }), 2)

interface Line {
  readonly x: number[]
  readonly y: number[]
  readonly w: number[]
}

interface Fixture {
  readonly isotonic: readonly (Line & { direction: 'increasing'; probe: number[]; expected: number[] })[]
  readonly kernel: readonly (Line & {
    columns: number
    bandwidth: number
    ridge: number
    probe: number[]
    expected: number[]
    dimension: number
  })[]
  readonly spline: readonly (Line & {
    segments: number
    smoothing: number
    coefficients: number[]
    dimension: number
  })[]
  readonly lipschitz: readonly (Line & { bound: number; expected: number[] })[]
  readonly convex: readonly (Line & { bound: number; shape: 'convex'; expected: number[] })[]
  readonly trees: readonly { name: string; settings: Record<string, number>; error: number }[]
}

const fixture: Fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/function-classes.json', import.meta.url), 'utf8'),
)

function rowsOf({ x, y, w }: Line, columns = 1): RegressionRows {
  return {
    columns,
    count: y.length,
    inputs: Float64Array.from(x),
    targets: Float64Array.from(y),
    weights: Float64Array.from(w),
  }
}

function fitted(options: ClassOptions, rows: RegressionRows, probe: ArrayLike<number>) {
  const regression = regressionOf(options)
  const model = regression.fit(rows, Random.fromSeed(1))
  const out = new Float64Array(probe.length / rows.columns)
  regression.compile(model).table(Float64Array.from(probe), out.length, out)
  return { model, out }
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let largest = 0
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i]! - b[i]!))
  return largest
}

describe('function classes against references', () => {
  it.each(fixture.isotonic)('isotonic ($direction) agrees with scikit-learn to 1e-6', (one) => {
    const { out } = fitted({ kind: 'isotonic', direction: one.direction }, rowsOf(one), one.probe)
    expect(largestDifference(out, one.expected)).toBeLessThan(1e-6)
  })

  it.each(fixture.kernel)('exact kernel ridge in $columns columns agrees with scikit-learn to 1e-6', (one) => {
    const { bandwidth, ridge } = one
    const options = { kind: 'kernel', bandwidth, ridge, scale: 'none' } as const
    const { model, out } = fitted(options, rowsOf(one, one.columns), one.probe)
    expect(largestDifference(out, one.expected)).toBeLessThan(1e-6)
    expect(model.effectiveDimension).toBeCloseTo(one.dimension, 6)
  })

  it.each(fixture.spline)('P-spline with $segments segments agrees with a dense solve to 1e-8', (one) => {
    const { segments, smoothing } = one
    const { model } = fitted({ kind: 'spline', segments, smoothing }, rowsOf(one), one.x)
    const curve = (model as AdditiveModel).curves[0]!
    if (curve.kind !== 'b-spline') throw new Error('a spline')
    expect(largestDifference(curve.coefficients, one.coefficients)).toBeLessThan(1e-8)
    expect(model.effectiveDimension).toBeCloseTo(one.dimension, 6)
  })

  it.each(fixture.lipschitz)('Lipschitz with L = $bound agrees with bounded least squares to 1e-6', (one) => {
    const { out } = fitted({ kind: 'lipschitz', bound: one.bound }, rowsOf(one), one.x)
    expect(largestDifference(out, one.expected)).toBeLessThan(1e-6)
  })

  it.each(fixture.convex)('$shape with L = $bound agrees with a general solver to 1e-5', (one) => {
    const { out } = fitted({ kind: 'convex', bound: one.bound, shape: one.shape }, rowsOf(one), one.x)
    expect(largestDifference(out, one.expected)).toBeLessThan(1e-5)
  })

  it.each(fixture.trees)('boosted trees reach the error of HistGradientBoostingRegressor within 5% on $name', (one) => {
    const rows = formulaTable(one.name, 4000, 0)
    const test = formulaTable(one.name, 4000, 4000)
    const options = { kind: 'trees', ...one.settings, ridge: 0, stop: false } as const
    const { out } = fitted(options, rows, test.inputs)
    const error = Math.sqrt(test.targets.reduce((sum, y, i) => sum + (y - out[i]!) ** 2 / test.count, 0))
    expect(error / one.error).toBeLessThan(1.05)
    // Far below would mean that the data are not the same.
    expect(error / one.error).toBeGreaterThan(0.9)
  })
})

/** The data sets of function-classes.py. */
function formulaTable(name: string, count: number, offset: number): RegressionRows {
  const part = (index: number, prime: number) => (index * Math.sqrt(prime)) % 1
  const inputs = new Float64Array(count * 8)
  const targets = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const index = i + 1 + offset
    const u = [2, 3, 5, 7, 11, 13, 17, 19].map((prime) => part(index, prime)) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    const x = u.map((value) => 2 * value - 1) as typeof u
    const noise = [23, 29, 31, 37].reduce((sum, prime) => sum + part(index, prime) - 0.5, 0)
    if (name === 'smooth') targets[i] = Math.sin(3 * x[0]) + x[1] * x[2] + 0.3 * noise
    else if (name === 'steps')
      targets[i] = Math.floor(3 * u[0]) * Number(x[1] > 0.2) - Number(x[2] + x[3] > 0) + 0.5 * noise
    else {
      targets[i] = 10 * Math.sin(Math.PI * u[0] * u[1]) + 20 * (u[2] - 0.5) ** 2 + 10 * u[3] + 5 * u[4] + noise
      if (u[5] < 0.1) x[3] = Number.NaN
    }
    inputs.set(x, i * 8)
  }
  return { columns: 8, count, inputs, targets, weights: null }
}

describe('function classes', () => {
  it('keep their complexity ball, and stand on its boundary when it binds', () => {
    const rows = randomTable(3, 200, 1)
    const kernel = { kind: 'kernel', bandwidth: 0.5, ridge: 0.1 } as const
    const free = fitted(kernel, rows, [0]).model as KernelModel
    const held = fitted({ ...kernel, norm: free.norm / 2 }, rows, [0]).model as KernelModel
    expect(held.norm).toBeLessThanOrEqual(free.norm / 2)
    expect(held.norm).toBeGreaterThan((free.norm / 2) * (1 - 1e-6))
    const spline = { kind: 'spline', segments: 20, smoothing: 0.01 } as const
    const rough = (options: ClassOptions) => {
      const curve = (fitted(options, rows, [0]).model as AdditiveModel).curves[0]!
      return curve.kind === 'b-spline' ? roughness(curve.coefficients) : Number.NaN
    }
    const limit = rough(spline) / 3
    expect(rough({ ...spline, norm: limit })).toBeLessThanOrEqual(limit)
    expect(rough({ ...spline, norm: limit })).toBeGreaterThan(limit * (1 - 1e-6))
  })

  it('the Lipschitz surrogate never moves faster than L and says how far it is from its cells', () => {
    const rows = randomTable(4, 500, 3)
    const { model, out } = fitted({ kind: 'lipschitz', bound: 0.3 }, rows, rows.inputs)
    for (let i = 0; i < 200; i++) {
      for (let j = 0; j < i; j++) {
        const distance = Math.hypot(...[0, 1, 2].map((k) => rows.inputs[i * 3 + k]! - rows.inputs[j * 3 + k]!))
        expect(Math.abs(out[i]! - out[j]!)).toBeLessThanOrEqual(0.3 * distance + 1e-12)
      }
    }
    expect((model as LipschitzModel).deviation).toBeGreaterThan(0.05)
    const loose = fitted({ kind: 'lipschitz', bound: 1e6 }, rows, rows.inputs).model as LipschitzModel
    expect(loose.deviation).toBeLessThan(1e-9)
  })

  it('Nystrom with every row a landmark is exact kernel ridge', () => {
    const rows = randomTable(8, 60, 2)
    const given = { kind: 'kernel', bandwidth: 0.7, ridge: 0.5, landmarks: 60 } as const
    const exact = fitted({ ...given, exact: 60 }, rows, rows.inputs)
    const landmarks = fitted({ ...given, exact: 0 }, rows, rows.inputs)
    expect(largestDifference(exact.out, landmarks.out)).toBeLessThan(1e-5)
    expect(landmarks.model.effectiveDimension).toBeCloseTo(exact.model.effectiveDimension, 3)
    const radius = (n: number) => kernelRadius(exact.model as KernelModel, n)
    expect(radius(4000)).toBeLessThan(radius(1000))
  })

  it('trees send a missing value where it belongs', () => {
    const rows = randomTable(5, 600, 2)
    const inputs = Float64Array.from(rows.inputs)
    const targets = Float64Array.from(rows.targets, (y, i) => {
      if (i % 4 !== 0) return y
      inputs[2 * i] = Number.NaN
      return 5
    })
    const { out } = fitted({ kind: 'trees' }, { ...rows, inputs, targets }, [Number.NaN, 0.3, 0.5, 0.3])
    expect(Math.abs(out[0]! - 5)).toBeLessThan(0.3)
    expect(out[1]!).toBeLessThan(2)
  })

  it('trees stop where the held-out loss stops falling, and not before', () => {
    const rows = randomTable(6, 2000, 2)
    const noise = { ...rows, targets: rows.targets.map((_, i) => ((i * Math.SQRT2) % 1) - 0.5) }
    const early = fitted({ kind: 'trees' }, noise, [0, 0]).model
    const late = fitted({ kind: 'trees' }, rows, [0, 0]).model
    if (early.kind !== 'trees' || late.kind !== 'trees') throw new Error('trees')
    expect(early.roots.length).toBeLessThan(10)
    expect(late.roots.length).toBeGreaterThan(20)
  })

  it('trees and networks fit log odds', () => {
    const rows = randomTable(9, 3000, 2)
    const random = Random.fromSeed(10)
    const odds = (i: number) => 2 * rows.inputs[2 * i]! + (rows.inputs[2 * i + 1]! > 0 ? 1 : -1)
    const targets = rows.targets.map((_, i) => (random.uniform() < 1 / (1 + Math.exp(-odds(i))) ? 1 : 0))
    for (const kind of ['trees', 'network'] as const) {
      const regression = regressionOf({ kind } as ClassOptions)
      const model = regression.fitLogOdds!({ ...rows, targets }, Random.fromSeed(2))
      const out = new Float64Array(rows.count)
      regression.compile(model).table(rows.inputs, rows.count, out)
      const error = Math.sqrt(out.reduce((sum, value, i) => sum + (value - odds(i)) ** 2 / rows.count, 0))
      expect(error).toBeLessThan(0.5)
    }
  })

  it('the selector takes the simplest rung within one standard error and shows every held-out loss', () => {
    const ladder = [{ kind: 'linear' }, { kind: 'spline', segments: 10 }, { kind: 'trees', rounds: 30 }] as const
    const rows = randomTable(12, 400, 2)
    const straight = { ...rows, targets: rows.targets.map((y, i) => rows.inputs[2 * i]! + 0.3 * Math.sin(99 * y)) }
    const pick = (given: RegressionRows) => fitted({ kind: 'select', ladder }, given, [0, 0]).model as SelectedModel
    expect(pick(straight).chosen).toBe(0)
    const bent = { ...rows, targets: rows.targets.map((y, i) => Math.cos(3 * rows.inputs[2 * i]!) + 0.1 * y) }
    const { chosen, heldOut } = pick(bent)
    expect(chosen).toBe(1)
    expect(heldOut.map(({ kind }) => kind)).toEqual(['linear', 'spline', 'trees'])
    expect(heldOut[0]!.excess).toBeGreaterThan(3 * heldOut[0]!.standardError)
  })

  describe('the selector', () => {
    const ladder = [{ kind: 'linear' }, { kind: 'trees', rounds: 30 }] as const
    const select = regressionOf({ kind: 'select', ladder, folds: 3 })
    const fit = (rows: RegressionRows, before?: RegressionModel) =>
      select.fit(rows, Random.fromSeed(3), before) as SelectedModel
    const drawn = randomTable(13, 600, 1)

    it('counts rows by their importance where classes are compared', () => {
      // Bent where x > 0.6 alone: the more those rows count, the worse a line.
      const targets = drawn.inputs.map((x) => (x > 0.6 ? -1 : x))
      const excess = (importance: number) => {
        const rows = { ...drawn, targets, importance: drawn.inputs.map((x) => (x > 0.6 ? importance : 1)) }
        return fit(rows).heldOut[0]!.excess
      }
      expect(excess(1)).toBe(fit({ ...drawn, targets }).heldOut[0]!.excess)
      expect(excess(10)).toBeGreaterThan(1.5 * excess(1))
    })

    it('keeps its choice until there are half as many rows again', () => {
      const steps = { ...drawn, targets: drawn.inputs.map((x) => (Math.abs(x) > 0.5 ? 1 : 0)) }
      const first = (count: number, given: RegressionRows) => ({ ...given, count })
      const before = fit(first(300, steps))
      expect(before.chosen).toBe(1)
      const straight = { ...drawn, targets: drawn.inputs.map((x) => x) }
      const soon = fit(first(350, straight), before)
      expect([soon.chosen, soon.judged, soon.weight]).toEqual([1, 300, 350])
      expect(fit(first(600, straight), soon).chosen).toBe(0)
    })
  })

  it.each([
    [{ kind: 'lipschitz', bound: 0 }, 'lipschitz.bound must be > 0, got 0'],
    [{ kind: 'convex', bound: -1 }, 'convex.bound must be > 0, got -1'],
    [{ kind: 'trees', rate: 2 }, 'trees.rate must be in (0, 1], got 2'],
    [{ kind: 'kernel', norm: 0 }, 'kernel.norm must be > 0, got 0'],
    [{ kind: 'forest' }, 'class.kind must be one of "linear"'],
    [{ kind: 'select', ladder: [] }, 'select.ladder must be a list of classes'],
    [{ kind: 'spline', knots: 3 }, 'spline must have only the options kind, segments'],
  ])('refuses %j', (options, sentence) => {
    expect(() => regressionOf(options as ClassOptions)).toThrow(sentence)
    expect(() => regressionOf(options as ClassOptions)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })
})
