import { PrimoError } from '@primo/numeric'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linearRadius } from '../radii/critical-radius.js'
import { sumOf } from './oracle-inequality.js'
import { type Theorem1Input, theorem1, theorem1Squared } from './theorem-1.js'

const anyInput = fc.record({
  rows: fc.integer({ min: 1, max: 1e8 }),
  rewardRadius: fc.double({ min: 1e-4, max: 3, noNaN: true }),
  lambda: fc.double({ min: 0, max: 8, noNaN: true }),
  delta: fc.double({ min: 1e-6, max: 0.99, noNaN: true }),
  elasticity: fc.double({ min: 0, max: 1, noNaN: true }),
  upsilon: fc.double({ min: 1e-9, max: 1, noNaN: true }),
})

type Naive = { rows: number; rewardRadius: number; lambda: number; delta: number; elasticity: number; upsilon: number }

function parts({ rows: N, rewardRadius: r, lambda, delta }: Naive, b: number) {
  const M = Math.max(4, lambda)
  const L = Math.log((b === 0 ? 1 : Math.max(1, Math.log2((4 * b) / r))) / delta)
  return { N, r, M, L }
}

test('agrees with the displays and with the constants of the proof, written out by hand', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const { N, r, M, L } = parts(input, input.lambda)
      const T5 = (4 / Math.sqrt(input.upsilon)) * Math.sqrt(Math.log(2 / input.delta) / N)
      const root = Math.sqrt(input.elasticity)
      const display = (M + 1) * r + root + 4 * M * Math.sqrt((2 * L) / N) + L / (r * N) + T5
      const A = M * r + Math.max(16, 4 * input.lambda) * Math.sqrt((2 * L) / N) + (64 * L) / (r * N)
      const proof = r + (1 + Math.sqrt(5) / 2) * (A + root + T5)
      const one = parts(input, 1)
      const C =
        Math.max(4, 1 + input.lambda) * r +
        Math.max(4, 1 + 2 * input.lambda) * Math.sqrt((2 * one.L) / N) +
        (Math.max(16, 4 + 8 * input.lambda) * one.L) / (r * N)
      const corrected = r + (1 + Math.sqrt(5) / 2) * (C + root + Math.sqrt(Math.log(1 / input.delta) / (2 * N)))
      expect(theorem1({ ...input, formulas: 'printed' }).bound / display).toBeCloseTo(1, 10)
      expect(theorem1({ ...input, formulas: 'printed', proofConstants: true }).bound / proof).toBeCloseTo(1, 10)
      expect(theorem1(input).bound / corrected).toBeCloseTo(1, 10)
    }),
  )
})

test('squared, the printed bracket is as displayed; the corrected one bounds the squared root form at delta/4', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const { N, r, L } = parts(input, input.lambda)
      const display = r * r + input.elasticity + (2 * L) / N + (L / (r * N)) ** 2 + Math.log(2 / input.delta) / N
      expect(theorem1Squared({ ...input, formulas: 'printed' }).bound / display).toBeCloseTo(1, 10)
      const squared = theorem1Squared(input)
      const root = theorem1({ ...input, delta: input.delta / 4 })
      expect(squared.bound).toBeGreaterThanOrEqual(root.bound ** 2 * (1 - 1e-12))
      expect(squared.bound).toBeLessThanOrEqual(5 * root.bound ** 2 * (1 + 1e-12))
      expect(squared.probability).toBeCloseTo(1 - input.delta, 12)
      expect(sumOf(squared.terms)).toBe(squared.bound)
    }),
  )
})

test('falls with rows for every lambda and every delta below 1/4, in all forms', () => {
  for (const lambda of [0, 0.05, 1, 9]) {
    for (const delta of [1e-9, 0.05, 0.2]) {
      const input = { lambda, delta, elasticity: 0.01, upsilon: 0.01 }
      const bounds = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
      for (let rows = 1; rows < 1e12; rows *= 3) {
        const rewardRadius = linearRadius({ dimension: 4, rows }).radius
        const next = [
          theorem1({ ...input, rows, rewardRadius, formulas: 'printed' }).bound,
          theorem1({ ...input, rows, rewardRadius }).bound,
          theorem1Squared({ ...input, rows, rewardRadius }).bound,
        ]
        next.forEach((value, k) => {
          expect(value).toBeLessThan(bounds[k]!)
          bounds[k] = value
        })
      }
    }
  }
})

test('the printed average term explodes when the imputer is good, the corrected one does not (E7)', () => {
  const input = { rows: 1000, rewardRadius: 0.5, lambda: 0.3, delta: 0.05, elasticity: 1e-4 }
  const term = (upsilon: number, formulas: 'printed' | 'corrected') =>
    theorem1({ ...input, upsilon, formulas }).terms.find(({ name }) => name === 'average')!.value
  expect(term(1e-4, 'printed')).toBeGreaterThan(20)
  expect(term(1e-10, 'printed') / term(1e-4, 'printed')).toBeCloseTo(1000, 6)
  expect(term(1e-4, 'corrected') / (1 + Math.sqrt(5) / 2)).toBeCloseTo(Math.sqrt(Math.log(20) / 2000), 12)
  expect(term(1e-10, 'corrected')).toBe(term(1e-4, 'corrected'))
})

test('a probability of 0 is said, and bad input is refused by code, field and value', () => {
  const input: Theorem1Input = { rows: 10, rewardRadius: 0.5, lambda: 0.3, delta: 0.3, elasticity: 0.01 }
  expect(theorem1(input)).toMatchObject({ probability: 0 })
  expect(theorem1(input).warnings.map((warning) => warning.code)).toContain('probability-vacuous')
  const cases: [Partial<Record<keyof Theorem1Input, unknown>>, string, unknown][] = [
    [{ rows: 0 }, 'rows', 0],
    [{ delta: 1 }, 'delta', 1],
    [{ delta: 0 }, 'delta', 0],
    [{ rewardRadius: -1 }, 'rewardRadius', -1],
    [{ elasticity: -1 }, 'elasticity', -1],
    [{ biasElasticity: -1 }, 'biasElasticity', -1],
    [{ lambda: Number.NaN }, 'lambda', Number.NaN],
    [{ formulas: 'printed' }, 'upsilon', undefined],
  ]
  for (const call of [theorem1, theorem1Squared]) {
    for (const [change, field, value] of cases) {
      let error: unknown
      try {
        call({ ...input, ...change } as Theorem1Input)
      } catch (thrown) {
        error = thrown
      }
      expect(error, field).toBeInstanceOf(PrimoError)
      expect(error).toMatchObject({ code: 'invalid-option', facts: { field, value } })
    }
  }
})
