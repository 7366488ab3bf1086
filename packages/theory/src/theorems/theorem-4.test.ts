import { PrimoError } from '@primo/numeric'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linearRadius } from '../radii/critical-radius.js'
import { sumOf } from './oracle-inequality.js'
import { theorem2Epoch } from './theorem-2.js'
import { type Theorem4Input, theorem4Epoch } from './theorem-4.js'

const linear = (dimension: number, constant16: boolean) => (rows: number) =>
  linearRadius({ dimension, rows, constant16 }).radius

// Environment A with the settings of method#gamma-table; the observation model is a logit with 6 parameters.
function environmentA(constant16: boolean): Theorem4Input {
  return {
    formulas: 'printed',
    epoch: 17,
    actions: 5,
    rewardRadius: linear(45, constant16),
    lambda: 0.3,
    delta: 0.05,
    upsilon: 0.012262,
    lipschitz: 0.38764,
    omega0: 0.288722,
    etaBound: 0.5,
    delta0: 0.28737,
    floor: 0.1,
    entropyExponent: 1,
    observationRadius: linear(6, constant16),
  }
}

test('printed gamma_17 in environment A is 0.14 for PRIMO-Cal (method#gamma-table)', () => {
  expect(theorem4Epoch(environmentA(true)).gamma.toFixed(2)).toBe('0.14')
})

test('without the constant 16 the reference runs give 0.26, as does q at N_c; q at the printed size gives 0.27', () => {
  const rate = environmentA(false)
  const atCalibrationRows = 0.28737 ** (1 / 3) * (2 ** 14) ** (-1 / 3)
  expect(theorem4Epoch({ ...rate, covariateRadius: atCalibrationRows }).gamma.toFixed(2)).toBe('0.26')
  expect(theorem4Epoch({ ...rate, covariateRadius: linear(31, false)(2 ** 14) }).gamma.toFixed(2)).toBe('0.26')
  expect(theorem4Epoch(rate).gamma.toFixed(2)).toBe('0.27')
  const full = environmentA(true)
  expect(theorem4Epoch({ ...full, covariateRadius: atCalibrationRows }).gamma.toFixed(2)).toBe('0.14')
})

const anyConstants = {
  epoch: fc.integer({ min: 2, max: 30 }),
  actions: fc.integer({ min: 1, max: 50 }),
  rewardRadius: fc.double({ min: 1e-4, max: 3, noNaN: true }),
  lambda: fc.double({ min: 0, max: 8, noNaN: true }),
  delta: fc.double({ min: 1e-6, max: 0.99, noNaN: true }),
  upsilon: fc.double({ min: 1e-9, max: 1, noNaN: true }),
  lipschitz: fc.double({ min: 0, max: 5, noNaN: true }),
  omega0: fc.double({ min: 0, max: 1, noNaN: true }),
  etaBound: fc.double({ min: 0, max: 2, noNaN: true }),
  delta0: fc.double({ min: 0, max: 2, noNaN: true }),
  floor: fc.double({ min: 0.01, max: 1, noNaN: true }),
  entropyExponent: fc.double({ min: 0.1, max: 6, noNaN: true }),
  observationRadius: fc.double({ min: 1e-4, max: 3, noNaN: true }),
  covariateRadius: fc.double({ min: 1e-4, max: 3, noNaN: true }),
}

type Naive = { [K in keyof typeof anyConstants]: number }

test('printed and corrected agree with the formulas written out by hand', () => {
  fc.assert(
    fc.property(fc.record(anyConstants), (input) => {
      const printed = theorem4Epoch({ ...input, formulas: 'printed' })
      expect(close(printed.Upsilon!, naivePrinted(input))).toBe(true)
      const base = theorem2Epoch({ ...input, formulas: 'printed', elasticity: 0 })
      expect(close(printed.Gamma, base.Gamma + naivePrinted(input))).toBe(true)
      const corrected = theorem4Epoch({ ...input, formulas: 'corrected' })
      expect(close(corrected.Upsilon!, naiveCorrected(input))).toBe(true)
      const same = theorem2Epoch({ ...input, formulas: 'corrected', elasticity: naiveCorrected(input) ** 2 })
      expect(close(corrected.Gamma, same.Gamma)).toBe(true)
      expect(close(sumOf(corrected.terms), corrected.Gamma)).toBe(true)
    }),
  )
})

function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-10 * (Math.abs(a) + Math.abs(b) + 1e-300)
}

function phi(bound: number, radius: number): number {
  return bound === 0 ? 1 : Math.max(1, Math.log2((4 * bound) / radius))
}

function naivePrinted(input: Naive): number {
  const { epoch: s, delta, delta0, etaBound: tau, floor, lipschitz, omega0, entropyExponent: d } = input
  const { covariateRadius: q, observationRadius: e } = input
  const size = Math.max(1, 2 ** (s - 3))
  const inner =
    delta0 ** (d / (d + 1)) * size ** (-2 / (d + 2)) +
    ((1 + tau) * Math.sqrt(2 * s * s * Math.log(phi(1 + tau, q) / delta))) / Math.sqrt(size) +
    e +
    Math.log((2 * s * s * phi(2, e)) / delta) / Math.sqrt(size)
  return (lipschitz / floor) * inner + lipschitz * omega0
}

function naiveCorrected(input: Naive): number {
  const { epoch: s, delta, delta0, etaBound: tau, floor, lipschitz, omega0 } = input
  const { covariateRadius: q, observationRadius: e } = input
  if (s === 2) return lipschitz * (delta0 + omega0)
  const size = s === 3 ? 2 : 2 ** (s - 3)
  const inner =
    q +
    (1 + tau) * Math.sqrt(Math.log((2 * s * s * phi(Math.min(2, 2 * delta0), q)) / delta) / size) +
    e +
    Math.sqrt(Math.log((2 * s * s * phi(1, e)) / delta) / size)
  return lipschitz * Math.min(2 * delta0, inner / floor) + lipschitz * omega0
}

test('the complexity ball carries delta0^(d/(d+2)), the L2 ball does not (E17)', () => {
  const at = (ball: 'l2' | 'complexity', delta0: number) => {
    const bound = theorem4Epoch({ ...environmentA(true), formulas: 'corrected', epoch: 50, floor: 1, delta0, ball })
    return bound.terms.find((term) => term.name === 'covariate-class')!.value
  }
  expect(Math.log2(at('complexity', 0.2) / at('complexity', 0.1))).toBeCloseTo(1 / 3, 9)
  expect(at('l2', 0.2)).toBe(at('l2', 0.1))
})

test('regression without weights drops the observation terms (E16)', () => {
  const input = { ...environmentA(true), formulas: 'corrected' as const, epoch: 40 }
  const names = theorem4Epoch({ ...input, weights: 'none' }).terms.map((term) => term.name)
  expect(names.some((name) => name.startsWith('observation'))).toBe(false)
  expect(theorem4Epoch({ ...input, weights: 'none' }).Gamma).toBeLessThan(theorem4Epoch(input).Gamma)
})

test('a reward linear in the covariate loses the covariate-noise floor, so gamma keeps growing (E46)', () => {
  const input = { ...environmentA(true), formulas: 'corrected' as const }
  const late = theorem4Epoch({ ...input, epoch: 60, linearInCovariate: true })
  expect(late.route).toBe('bias')
  expect(late.terms.map((term) => term.name)).not.toContain('covariate-noise')
  const ceiling = Math.sqrt(5) / (2 * 0.38764 * 0.288722)
  expect(late.gamma).toBeGreaterThan(10 * ceiling)
  expect(theorem4Epoch({ ...input, epoch: 60 }).gamma).toBeLessThan(ceiling)
})

test('before any calibration Upsilon is L_Z (delta0 + omega0), or the elasticity when that is smaller', () => {
  const input = { ...environmentA(true), formulas: 'corrected' as const, epoch: 2 }
  const bound = theorem4Epoch(input)
  expect(bound.Upsilon).toBeCloseTo(0.38764 * (0.28737 + 0.288722), 12)
  expect(bound.warnings.map((warning) => warning.code)).toContain('no-calibration')
  expect(theorem4Epoch({ ...input, elasticity: 0.00596 }).Upsilon).toBeCloseTo(Math.sqrt(0.00596), 12)
})

test('Gamma does not rise with either number of rows at a fixed epoch', () => {
  for (const formulas of ['printed', 'corrected'] as const) {
    for (const entropyExponent of [0.5, 1, 1.9, 2, 3, 6]) {
      for (const delta of [1e-6, 0.05, 0.24]) {
        let last = Number.POSITIVE_INFINITY
        for (let exponent = 2; exponent <= 40; exponent++) {
          const rows = 2 ** exponent
          const input = { ...environmentA(true), formulas, entropyExponent, delta, epoch: 8 }
          const { Gamma } = theorem4Epoch({ ...input, rows, calibrationRows: rows / 2 })
          expect(Gamma).toBeLessThan(last)
          last = Gamma
        }
      }
    }
  }
})

test('explicit constants give a larger Upsilon than constant one', () => {
  const input = { ...environmentA(true), formulas: 'corrected' as const, epoch: 44, covariateRadius: linear(31, true) }
  const one = theorem4Epoch(input)
  const explicit = theorem4Epoch({ ...input, universal: 'explicit' })
  expect(explicit.Upsilon!).toBeGreaterThan(one.Upsilon!)
  expect(explicit.warnings.map((warning) => warning.code)).not.toContain('constant-one')
})

test('never returns NaN or Infinity for legal input', () => {
  const options = {
    ...anyConstants,
    formulas: fc.constantFrom('printed' as const, 'corrected' as const),
    ball: fc.constantFrom('l2' as const, 'complexity' as const),
    weights: fc.constantFrom('ipw' as const, 'none' as const),
    universal: fc.constantFrom('one' as const, 'explicit' as const),
    linearInCovariate: fc.boolean(),
    rows: fc.integer({ min: 1, max: 1e9 }),
    calibrationRows: fc.integer({ min: 0, max: 1e9 }),
  }
  fc.assert(
    fc.property(fc.record(options), fc.boolean(), (input, withRadius) => {
      const { covariateRadius, ...rest } = input
      const bound = theorem4Epoch(withRadius ? input : rest)
      expect(covariateRadius).toBeGreaterThan(0)
      for (const value of [bound.Gamma, bound.gamma, bound.Upsilon!, ...bound.terms.map((term) => term.value)]) {
        expect(Number.isFinite(value)).toBe(true)
      }
      expect(JSON.parse(JSON.stringify(bound))).toEqual(bound)
    }),
  )
})

test('bad input is refused by code, field and value', () => {
  const cases: [Partial<Record<keyof Theorem4Input, unknown>>, string, unknown][] = [
    [{ floor: 0 }, 'floor', 0],
    [{ floor: 1.5 }, 'floor', 1.5],
    [{ entropyExponent: 0 }, 'entropyExponent', 0],
    [{ entropyExponent: -1 }, 'entropyExponent', -1],
    [{ delta0: -0.1 }, 'delta0', -0.1],
    [{ etaBound: -1 }, 'etaBound', -1],
    [{ lipschitz: Number.NaN }, 'lipschitz', Number.NaN],
    [{ omega0: -2 }, 'omega0', -2],
    [{ observationRadius: -3 }, 'observationRadius', -3],
    [{ covariateRadius: -3 }, 'covariateRadius', -3],
    [{ calibrationRows: -1 }, 'calibrationRows', -1],
    [{ ball: 'l1' }, 'ball', 'l1'],
    [{ weights: 'all' }, 'weights', 'all'],
    [{ delta: 2 }, 'delta', 2],
    [{ upsilon: 0 }, 'upsilon', 0],
  ]
  for (const [change, field, value] of cases) {
    let error: unknown
    try {
      theorem4Epoch({ ...environmentA(true), ...change } as Theorem4Input)
    } catch (thrown) {
      error = thrown
    }
    expect(error, field).toBeInstanceOf(PrimoError)
    expect(error).toMatchObject({ code: 'invalid-option', facts: { field, value } })
  }
})
