import { PrimoError } from '@primo/numeric'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linearRadius } from '../radii/critical-radius.js'
import { type Theorem3Input, theorem3 } from './theorem-3.js'

const anyInput = fc.record({
  rows: fc.integer({ min: 2, max: 1e8 }).map((rows) => rows - (rows % 2)),
  delta: fc.double({ min: 1e-6, max: 0.99, noNaN: true }),
  delta0: fc.double({ min: 1e-3, max: 2, noNaN: true }),
  etaBound: fc.double({ min: 0, max: 2, noNaN: true }),
  floor: fc.double({ min: 0.01, max: 1, noNaN: true }),
  entropyExponent: fc.double({ min: 0.1, max: 6, noNaN: true }),
  observationRadius: fc.double({ min: 1e-4, max: 3, noNaN: true }),
  covariateRadius: fc.double({ min: 1e-4, max: 3, noNaN: true }),
})

const phi = (b: number, r: number) => Math.max(1, Math.log2((4 * b) / r))

test('agrees with the display, with the chain of the proof and with the corrected forms written out by hand', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const { rows: N, delta, delta0, etaBound: tau, floor: e, entropyExponent: d } = input
      const { observationRadius: s, covariateRadius: q } = input
      const n = N / 2
      const L = Math.log(phi(1 + tau, q) / delta)
      const display =
        (delta0 ** ((2 * d) / (d + 2)) * N ** (-2 / (d + 2)) +
          ((1 + tau) ** 2 * L) / N +
          s ** 2 +
          Math.log(phi(2, s) / delta) / N) /
        e ** 2
      const lemma = 2.5 * s + 10 * Math.sqrt((2 * Math.log(phi(1, s) / delta)) / n)
      const chain =
        4 * (((16 * (1 + tau)) / e) * q + ((4 * (1 + tau) ** 2) / e) * Math.sqrt((2 * L) / n)) ** 2 +
        (((32 * (1 + tau) ** 2) / e) * L) / n +
        (16 / e ** 2) * lemma ** 2
      const C = Math.log(phi(Math.min(2, 2 * delta0), q) / delta)
      const rate = (q + (1 + tau) * Math.sqrt(C / N) + s + Math.sqrt(Math.log(phi(1, s) / delta) / N)) / e
      const unweighted =
        (2 / e) * ((2 + tau) * q + 2 * (1 + tau) * Math.sqrt((2 * C) / n)) + (2 + tau) * Math.sqrt((8 * C) / (e * n))
      const weighted =
        (2 / e ** 2) * ((2 + tau) * q + 2 * (1 + tau) * Math.sqrt((2 * C) / n)) +
        ((2 + tau) * Math.sqrt((8 * C) / n)) / e
      const cap = (value: number) => Math.min(2 * delta0, value)
      const close = (a: number, b: number) => expect(a / b).toBeCloseTo(1, 10)
      close(theorem3({ ...input, formulas: 'printed' }).bound, Math.sqrt(display))
      close(theorem3({ ...input, formulas: 'printed', universal: 'explicit' }).bound, Math.sqrt(chain))
      close(theorem3(input).bound, cap(rate))
      close(theorem3({ ...input, universal: 'explicit', weights: 'none' }).bound, cap(unweighted))
      close(theorem3({ ...input, universal: 'explicit' }).bound, cap(weighted))
    }),
  )
})

const linear = (dimension: number) => (rows: number) => linearRadius({ dimension, rows }).radius
const base: Theorem3Input = {
  rows: 1024,
  delta: 0.05,
  delta0: 0.3,
  etaBound: 0.5,
  floor: 0.1,
  entropyExponent: 1,
  observationRadius: linear(6),
}

test('does not rise with rows and is never above 2 delta0 when corrected', () => {
  for (const formulas of ['printed', 'corrected'] as const) {
    for (const universal of ['one', 'explicit'] as const) {
      for (const entropyExponent of [0.5, 1, 2, 3]) {
        let last = Number.POSITIVE_INFINITY
        for (let rows = 2; rows < 1e12; rows *= 2) {
          const { bound } = theorem3({ ...base, rows, formulas, universal, entropyExponent, delta: 0.01 })
          expect(bound).toBeLessThanOrEqual(last)
          if (formulas === 'corrected') expect(bound).toBeLessThanOrEqual(0.6)
          last = bound
        }
      }
    }
  }
})

test('says when the ball binds and when the printed rate does not apply', () => {
  const codes = (input: Theorem3Input) => theorem3(input).warnings.map((warning) => warning.code)
  expect(codes({ ...base, rows: 2 })).toContain('ball-binds')
  expect(codes({ ...base, formulas: 'printed', entropyExponent: 3 })).toContain('exponent-outside-range')
  expect(codes({ ...base, universal: 'explicit' })).not.toContain('constant-one')
  const statuses = theorem3(base).assumptions.map((entry) => entry.status)
  expect(statuses).toContain('not checkable from data')
  expect(theorem3(base).assumptions.some((entry) => entry.assumption.startsWith('missing at random'))).toBe(true)
})

test('a perfect pretrained model needs no calibration: the bound is 0', () => {
  expect(theorem3({ ...base, delta0: 0 }).bound).toBe(0)
  expect(Number.isFinite(theorem3({ ...base, delta0: 0, formulas: 'printed' }).bound)).toBe(true)
})

test('bad input is refused by code, field and value', () => {
  const cases: [Partial<Record<keyof Theorem3Input, unknown>>, string, unknown][] = [
    [{ rows: 0 }, 'rows', 0],
    [{ rows: 1 }, 'rows', 1],
    [{ delta: 0 }, 'delta', 0],
    [{ floor: 0 }, 'floor', 0],
    [{ entropyExponent: 0 }, 'entropyExponent', 0],
    [{ delta0: -1 }, 'delta0', -1],
    [{ observationRadius: -1 }, 'observationRadius', -1],
    [{ universal: 'two' }, 'universal', 'two'],
  ]
  for (const [change, field, value] of cases) {
    let error: unknown
    try {
      theorem3({ ...base, ...change } as Theorem3Input)
    } catch (thrown) {
      error = thrown
    }
    expect(error, field).toBeInstanceOf(PrimoError)
    expect(error).toMatchObject({ code: 'invalid-option', facts: { field, value } })
  }
})
