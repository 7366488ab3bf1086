import { PrimoError } from '@primo/numeric'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linearRadius } from '../radii/critical-radius.js'
import { sumOf } from './oracle-inequality.js'
import { type Theorem2Input, theorem2Epoch } from './theorem-2.js'

const radius = (rows: number) => linearRadius({ dimension: 45, rows }).radius
const rate = (rows: number) => linearRadius({ dimension: 45, rows, constant16: false }).radius

// Environment A with the settings of method#gamma-table.
const environmentA: Theorem2Input = {
  formulas: 'printed',
  epoch: 17,
  actions: 5,
  rewardRadius: radius,
  lambda: 0.3,
  delta: 0.05,
  elasticity: 0.012262,
  upsilon: 0.012262,
}

test('printed gamma_17 in environment A is 0.27, and 0.81 without the constant 16 (method#gamma-table)', () => {
  expect(theorem2Epoch(environmentA).gamma.toFixed(2)).toBe('0.27')
  expect(theorem2Epoch({ ...environmentA, rewardRadius: rate }).gamma.toFixed(2)).toBe('0.81')
})

test('agrees with the formulas written out by hand', () => {
  const anyInput = fc.record({
    epoch: fc.integer({ min: 2, max: 30 }),
    actions: fc.integer({ min: 1, max: 50 }),
    rewardRadius: fc.double({ min: 1e-4, max: 3, noNaN: true }),
    lambda: fc.double({ min: 0, max: 8, noNaN: true }),
    delta: fc.double({ min: 1e-6, max: 0.99, noNaN: true }),
    elasticity: fc.double({ min: 0, max: 1, noNaN: true }),
    upsilon: fc.double({ min: 1e-9, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(anyInput, (input) => {
      const printed = theorem2Epoch({ ...input, formulas: 'printed' })
      expect(printed.Gamma / naivePrinted(input)).toBeCloseTo(1, 10)
      const corrected = theorem2Epoch({ ...input, formulas: 'corrected' })
      expect(corrected.Gamma / naiveCorrected(input)).toBeCloseTo(1, 10)
      for (const bound of [printed, corrected]) {
        expect(sumOf(bound.terms) / bound.Gamma).toBeCloseTo(1, 12)
        expect(bound.gamma * 2 * bound.Gamma).toBeCloseTo(Math.sqrt(input.actions), 9)
        expect(bound.terms.find((term) => term.name === bound.largest)!.value).toBe(
          Math.max(...bound.terms.map((term) => term.value)),
        )
      }
    }),
  )
})

type NaiveInput = Required<Omit<Theorem2Input, 'formulas' | 'rows' | 'biasElasticity'>> & { rewardRadius: number }

function naivePrinted({ epoch: s, rewardRadius: r, lambda, delta, elasticity, upsilon }: NaiveInput): number {
  const N = 2 ** (s - 2)
  const M = Math.max(4, lambda)
  const phi = lambda === 0 ? 1 : Math.max(1, Math.log2((4 * lambda) / r))
  const log = Math.log((4 * s * s * phi) / delta)
  return (
    (M + 1) * r +
    Math.sqrt(elasticity) +
    4 * M * Math.sqrt((2 * log) / N) +
    log / (r * N) +
    (4 / Math.sqrt(upsilon)) * Math.sqrt(Math.log((8 * s * s) / delta) / N)
  )
}

function naiveCorrected({ epoch: s, rewardRadius: r, lambda, delta, elasticity }: NaiveInput): number {
  const N = s === 2 ? 2 : 2 ** (s - 2)
  const small = delta / (4 * s * s)
  const L = Math.log(Math.max(1, Math.log2(4 / r)) / small)
  const A =
    Math.max(4, 1 + lambda) * r +
    Math.max(4, 1 + 2 * lambda) * Math.sqrt((2 * L) / N) +
    (Math.max(16, 4 + 8 * lambda) * L) / (r * N)
  return r + (1 + Math.sqrt(5) / 2) * (A + Math.sqrt(elasticity) + Math.sqrt(Math.log(1 / small) / (2 * N)))
}

test('Gamma falls and gamma rises with rows, at a fixed epoch and along the doubling schedule', () => {
  for (const formulas of ['printed', 'corrected'] as const) {
    for (const delta of [1e-6, 0.05, 0.24]) {
      for (const lambda of [0, 0.05, 0.3, 1, 7]) {
        const input = { ...environmentA, formulas, delta, lambda }
        let last = Number.POSITIVE_INFINITY
        let along = Number.POSITIVE_INFINITY
        for (let exponent = 0; exponent <= 40; exponent++) {
          const fixed = theorem2Epoch({ ...input, epoch: 9, rows: 2 ** exponent }).Gamma
          expect(fixed).toBeLessThan(last)
          last = fixed
          const bound = theorem2Epoch({ ...input, epoch: exponent + 2 }).Gamma
          // Corrected, epochs 2 and 3 have the same two rows.
          if (formulas === 'printed' || exponent !== 1) expect(bound).toBeLessThan(along)
          along = bound
        }
      }
    }
  }
})

test('never returns NaN or Infinity for legal input', () => {
  const anyInput = fc.record({
    epoch: fc.integer({ min: 2, max: 60 }),
    actions: fc.integer({ min: 1, max: 1000 }),
    rewardRadius: fc.double({ min: 1e-12, max: 1e6, noNaN: true }),
    lambda: fc.double({ min: 0, max: 1e6, noNaN: true }),
    delta: fc.double({ min: 1e-300, max: 0.9999999, noNaN: true }),
    elasticity: fc.double({ min: 0, max: 1e6, noNaN: true }),
    upsilon: fc.double({ min: 1e-100, max: 1, noNaN: true }),
    biasElasticity: fc.double({ min: 0, max: 1e6, noNaN: true }),
    formulas: fc.constantFrom('printed' as const, 'corrected' as const),
  })
  fc.assert(
    fc.property(anyInput, (input) => {
      const bound = theorem2Epoch(input)
      for (const value of [bound.Gamma, bound.gamma, ...bound.terms.map((term) => term.value)]) {
        expect(Number.isFinite(value)).toBe(true)
      }
      expect(JSON.parse(JSON.stringify(bound))).toEqual(bound)
    }),
  )
})

test('printed phi is floored at 1 where the letter takes the logarithm of a negative number (E10)', () => {
  const bound = theorem2Epoch({ ...environmentA, lambda: 0.05, rewardRadius: 0.3 })
  expect(Math.log2((4 * 0.05) / 0.3)).toBeLessThan(0)
  expect(bound.warnings.map((warning) => warning.code)).toContain('peeling-floored')
  expect(Number.isFinite(bound.gamma)).toBe(true)
})

test('the bias route is taken only when it is smaller (E46)', () => {
  const many = { ...environmentA, formulas: 'corrected' as const, epoch: 40, elasticity: 0.00596 }
  const whole = theorem2Epoch(many)
  const bias = theorem2Epoch({ ...many, biasElasticity: 0 })
  expect(bias.route).toBe('bias')
  expect(bias.Gamma).toBeLessThan(whole.Gamma / 2)
  const few = theorem2Epoch({ ...many, epoch: 3, lambda: 4, biasElasticity: 0.00596 })
  expect(few.route).toBe('elasticity')
})

test('gamma saturates at sqrt(K)/(2 sqrt E) however many rows there are (E39)', () => {
  const bound = theorem2Epoch({ ...environmentA, epoch: 60 })
  const ceiling = Math.sqrt(5) / (2 * Math.sqrt(0.012262))
  expect(bound.gamma).toBeLessThan(ceiling)
  expect(bound.gamma).toBeGreaterThan(0.99 * ceiling)
  expect(bound.warnings.find((warning) => warning.code === 'gamma-saturates')!.facts.ceiling).toBeCloseTo(ceiling, 9)
})

test('says what it assumes, and needs upsilon only as printed', () => {
  const printed = theorem2Epoch(environmentA).assumptions
  const corrected = theorem2Epoch({ ...environmentA, formulas: 'corrected' }).assumptions
  expect(printed.some((entry) => entry.assumption.includes('upsilon'))).toBe(true)
  expect(corrected.some((entry) => entry.assumption.includes('upsilon'))).toBe(false)
  expect(new Set(printed.map((entry) => entry.status))).toEqual(
    new Set(['known', 'estimated', 'not checkable from data']),
  )
})

test('bad input is refused by code, field and value', () => {
  const cases: [Partial<Record<keyof Theorem2Input, unknown>>, string, unknown][] = [
    [{ rows: 0 }, 'rows', 0],
    [{ rows: Number.NaN }, 'rows', Number.NaN],
    [{ delta: 0 }, 'delta', 0],
    [{ delta: 1 }, 'delta', 1],
    [{ delta: -0.1 }, 'delta', -0.1],
    [{ rewardRadius: -0.5 }, 'rewardRadius', -0.5],
    [{ rewardRadius: 0 }, 'rewardRadius', 0],
    [{ rewardRadius: () => -2, rows: 8 }, 'rewardRadius(8)', -2],
    [{ rewardRadius: '1' }, 'rewardRadius', '1'],
    [{ lambda: -1 }, 'lambda', -1],
    [{ elasticity: -1e-9 }, 'elasticity', -1e-9],
    [{ upsilon: 0 }, 'upsilon', 0],
    [{ upsilon: undefined }, 'upsilon', undefined],
    [{ epoch: 1 }, 'epoch', 1],
    [{ actions: 0 }, 'actions', 0],
    [{ formulas: 'exact' }, 'formulas', 'exact'],
  ]
  for (const [change, field, value] of cases) {
    let error: unknown
    try {
      theorem2Epoch({ ...environmentA, ...change } as Theorem2Input)
    } catch (thrown) {
      error = thrown
    }
    expect(error, field).toBeInstanceOf(PrimoError)
    expect(error).toMatchObject({ code: 'invalid-option', facts: { field, value } })
    expect((error as PrimoError).message.startsWith(`${field} must be `)).toBe(true)
  }
})
