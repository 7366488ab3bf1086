import fc from 'fast-check'
import { expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import { criticalRadius, type FunctionClass, radiusOf } from './class-radius.js'
import { solveRadius } from './critical-radius.js'
import {
  convexLipschitzRadius,
  differentiableRadius,
  dudleyComplexity,
  entropyRadius,
  lipschitzRadius,
} from './entropy-radius.js'
import { entropyRate } from './entropy-rate.js'

test('the closed form for d < 2 is the root of the integral bound found by bisection', () => {
  for (const entropyExponent of [0.1, 0.5, 1, 1.5, 1.9]) {
    for (const rows of [1, 100, 1e7]) {
      const options = { entropyExponent, entropyScale: 3, rows }
      const { radius } = entropyRadius(options)
      expect(radius / solveRadius((t) => dudleyComplexity(options, t))).toBeCloseTo(1, 9)
    }
  }
})

test("Dudley's bound agrees with numeric integration and, from d = 2 on, with the best alpha found by search", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.3, max: 5, noNaN: true }).filter((d) => d < 1.6 || d >= 2),
      fc.double({ min: 0.05, max: 2, noNaN: true }),
      fc.integer({ min: 10, max: 100000 }),
      (entropyExponent, t, rows) => {
        const value = dudleyComplexity({ entropyExponent, rows }, t)
        const from = (alpha: number) => 4 * alpha + (12 / Math.sqrt(rows)) * integral(entropyExponent, alpha, t)
        if (entropyExponent < 2) {
          expect(value / from(t * Math.exp(-80))).toBeCloseTo(1, 2)
          return
        }
        let best = 4 * t
        for (let k = 1; k <= 800; k++) best = Math.min(best, from(t * Math.exp(-15 * (1 - k / 800))))
        expect(value / best).toBeCloseTo(1, 2)
      },
    ),
    { numRuns: 40 },
  )
})

/** Midpoint rule on a logarithmic grid. */
function integral(d: number, from: number, to: number): number {
  const steps = 400
  const width = Math.log(to / from) / steps
  let sum = 0
  for (let k = 0; k < steps; k++) {
    const eps = from * Math.exp(width * (k + 0.5))
    sum += eps ** (1 - d / 2) * width
  }
  return sum
}

const slope = (radius: (rows: number) => number, from: number, to: number): number =>
  Math.log(radius(to) / radius(from)) / Math.log(to / from)

test('the radius falls as N^(-1/(d+2)) below d = 2 and as N^(-1/(2d)) beyond (E18)', () => {
  for (const entropyExponent of [0.5, 1, 1.5]) {
    const radius = (rows: number) => entropyRadius({ entropyExponent, rows }).radius
    expect(slope(radius, 1e4, 1e8)).toBeCloseTo(-1 / (entropyExponent + 2), 9)
  }
  for (const entropyExponent of [3, 4, 6]) {
    const radius = (rows: number) => entropyRadius({ entropyExponent, rows }).radius
    expect(Math.abs(slope(radius, 1e12, 1e16) + 1 / (2 * entropyExponent))).toBeLessThan(0.005)
    const rate = (rows: number) => entropyRate({ entropyExponent, rows })
    expect(slope(rate, 1e4, 1e8)).toBeCloseTo(-1 / (2 * entropyExponent), 9)
  }
  const atTwo = (rows: number) => entropyRadius({ entropyExponent: 2, rows }).radius
  expect(slope(atTwo, 1e12, 1e16)).toBeGreaterThan(-0.25)
  expect(slope(atTwo, 1e12, 1e16)).toBeLessThan(-0.22)
})

test('the Lipschitz radius solves (12/sqrt N) 2 sqrt(L t) = t^2/16, and is (L/N)^(1/3) as a rate', () => {
  const { radius, formula } = lipschitzRadius({ lipschitz: 2.5, rows: 1e6 })
  expect((12 / 1000) * 2 * Math.sqrt(2.5 * radius)).toBeCloseTo(radius ** 2 / 16, 12)
  expect(formula).toBe('lipschitz')
  expect(lipschitzRadius({ lipschitz: 2.5, rows: 1e6, constant16: false }).radius).toBeCloseTo(2.5e-6 ** (1 / 3), 12)
  expect(lipschitzRadius({ lipschitz: 2, xDim: 3, rows: 4096, constant16: false }).radius).toBeCloseTo(
    Math.sqrt(2) * 4096 ** (-1 / 6),
    12,
  )
})

test('convex Lipschitz scales as L^(1/5) N^(-2/5); printed it is (L/N)^(2/5) (E32)', () => {
  for (const constant16 of [true, false]) {
    const at = (lipschitz: number, rows: number) => convexLipschitzRadius({ lipschitz, rows, constant16 }).radius
    expect(Math.log2(at(2, 1000) / at(1, 1000))).toBeCloseTo(0.2, 9)
    expect(Math.log2(at(1, 2000) / at(1, 1000))).toBeCloseTo(-0.4, 9)
  }
  const printed = convexLipschitzRadius({ lipschitz: 2, rows: 1000, formulas: 'printed' })
  expect(printed.radius).toBeCloseTo((2 / 1000) ** 0.4, 12)
  expect(printed.constant16).toBe(false)
})

test('twice differentiable functions have rate N^(-2/5)', () => {
  const at = (rows: number) => differentiableRadius({ bound: 3, rows }).radius
  expect(Math.log2(at(2048) / at(1024))).toBeCloseTo(-0.4, 9)
})

const classes: readonly FunctionClass[] = [
  { kind: 'linear', dimension: 9 },
  { kind: 'lipschitz', lipschitz: 1 },
  { kind: 'lipschitz', lipschitz: 2, xDim: 2 },
  { kind: 'lipschitz', lipschitz: 2, xDim: 5 },
  { kind: 'convex-lipschitz', lipschitz: 1 },
  { kind: 'twice-differentiable', bound: 1 },
  { kind: 'entropy', entropyExponent: 1.2, entropyScale: 4 },
  { kind: 'ellipsoid', eigenvalues: [1, 0.5, 0.1, 0], norm: 2 },
]

test('every class has a radius that falls with rows and names its formula', () => {
  for (const functionClass of classes) {
    for (const constant16 of [true, false]) {
      let last = Number.POSITIVE_INFINITY
      for (let rows = 16; rows < 1e9; rows *= 4) {
        const answer = criticalRadius(functionClass, { rows, constant16 })
        expect(answer.radius).toBeLessThan(last)
        expect(answer).toMatchObject({ formula: functionClass.kind, constant16, rows })
        expect(radiusOf(functionClass, constant16)(rows)).toBe(answer.radius)
        last = answer.radius
      }
    }
  }
})

test('bad input is refused by code, field and value', () => {
  const cases: [() => unknown, string, unknown][] = [
    [() => entropyRadius({ entropyExponent: 0, rows: 10 }), 'entropyExponent', 0],
    [() => entropyRadius({ entropyExponent: -2, rows: 10 }), 'entropyExponent', -2],
    [() => entropyRadius({ entropyExponent: 1, rows: 0 }), 'rows', 0],
    [() => entropyRadius({ entropyExponent: 1, rows: 10, entropyScale: -1 }), 'entropyScale', -1],
    [() => lipschitzRadius({ lipschitz: -1, rows: 10 }), 'lipschitz', -1],
    [() => convexLipschitzRadius({ lipschitz: 0, rows: 10 }), 'lipschitz', 0],
    [() => differentiableRadius({ bound: 0, rows: 10 }), 'bound', 0],
    [() => entropyRate({ entropyExponent: 0, rows: 10 }), 'entropyExponent', 0],
    [() => criticalRadius({ kind: 'tree' } as unknown as FunctionClass, { rows: 10 }), 'kind', 'tree'],
    [() => criticalRadius({ kind: 'ellipsoid', eigenvalues: [] }, { rows: 10 }), 'eigenvalues', []],
    [() => criticalRadius({ kind: 'ellipsoid', eigenvalues: [1, -1] }, { rows: 10 }), 'eigenvalues[1]', -1],
    [() => criticalRadius({ kind: 'ellipsoid', eigenvalues: [1], norm: 0 }, { rows: 10 }), 'norm', 0],
  ]
  for (const [call, field, value] of cases) {
    expect(errorOf(call), field).toMatchObject({ code: 'invalid-option', facts: { field, value } })
  }
})
