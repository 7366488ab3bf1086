import { expect, test } from 'vitest'
import { linearRadius } from '../radii/critical-radius.js'
import { type Theorem4RegretInput, theorem2Regret, theorem4Regret } from './regret-bound.js'
import { theorem2Epoch } from './theorem-2.js'
import { theorem4Epoch } from './theorem-4.js'

const linear = (dimension: number) => (rows: number) => linearRadius({ dimension, rows }).radius
const second = {
  actions: 5,
  rewardRadius: linear(45),
  lambda: 0.3,
  delta: 0.05,
  elasticity: 0.01,
  upsilon: 0.01,
}
const fourth: Omit<Theorem4RegretInput, 'horizon'> = {
  ...second,
  lipschitz: 0.4,
  omega0: 0.3,
  etaBound: 0.5,
  delta0: 0.3,
  floor: 0.1,
  entropyExponent: 1,
  observationRadius: linear(6),
}

test('printed Thm 2 agrees with its display written out by hand', () => {
  const T = 1000
  let sum = 0
  for (let s = 2; s <= 10; s++) {
    const r = 16 * Math.sqrt(45 / 2 ** (s - 2))
    const L = Math.log((4 * s * s * Math.max(1, Math.log2(1.2 / r))) / 0.05)
    sum += r * 2 ** (s - 1) + Math.sqrt(L + Math.log((8 * s * s) / 0.05)) * 2 ** (s / 2) + (2 * L) / r
  }
  const expected = Math.sqrt(5) * (sum + Math.sqrt(0.01) * T)
  expect(theorem2Regret({ ...second, formulas: 'printed', horizon: T }).total / expected).toBeCloseTo(1, 12)
})

test('printed Thm 4 agrees with its display written out by hand, the free s read as s(T)', () => {
  const T = 1000
  const phi = (b: number, r: number) => Math.max(1, Math.log2((4 * b) / r))
  let first = 0
  let second2 = 0
  for (let s = 2; s <= 10; s++) {
    const r = 16 * Math.sqrt(45 / 2 ** (s - 2))
    const e = 16 * Math.sqrt(6 / Math.max(1, 2 ** (s - 3)))
    first += r * 2 ** (s - 1) + (0.4 / 0.1) * 0.3 ** (1 / 3) * 2 ** ((-2 * (s - 3)) / 3 + s - 1)
    first += (0.4 / 0.1) * e * 2 ** (s - 1)
    const L = Math.log((4 * s * s * phi(0.3, r)) / 0.05)
    second2 += Math.sqrt(L + Math.log((8 * s * s) / 0.05)) * 2 ** (s / 2)
    second2 += (Math.log(phi(0.3, 4 * s * s * r) / 0.05) * 2) / r
  }
  const q = 0.3 ** (1 / 3) * (2 ** 7) ** (-1 / 3)
  const e = 16 * Math.sqrt(6 / 2 ** 7)
  const third = Math.sqrt(1.5 ** 2 * Math.log((100 * phi(1.5, q)) / 0.05) + Math.log((100 * phi(2, e)) / 0.05)) * 2 ** 5
  const expected = Math.sqrt(5) * (first + second2 + (0.4 / 0.1) * third) + 0.4 * 0.3 * T
  expect(theorem4Regret({ ...fourth, formulas: 'printed', horizon: T }).total / expected).toBeCloseTo(1, 12)
})

test('corrected, the total is sqrt(K) times Gamma over the rounds, plus epoch 1 and the imputation gap', () => {
  const T = 700
  const rounds = [2, 2, 4, 8, 16, 32, 64, 128, 256, 188]
  expect(rounds.reduce((a, b) => a + b, 0)).toBe(T)
  let two = 2
  let four = 2
  for (let s = 2; s <= 10; s++) {
    const length = rounds[s - 1]!
    two += (Math.sqrt(5) * theorem2Epoch({ ...second, epoch: s }).Gamma + 2 * 0.1) * length
    const bound = theorem4Epoch({ ...fourth, epoch: s })
    four += (Math.sqrt(5) * bound.Gamma + 2 * bound.Upsilon!) * length
  }
  expect(theorem2Regret({ ...second, horizon: T }).total / two).toBeCloseTo(1, 12)
  expect(theorem4Regret({ ...fourth, horizon: T }).total / four).toBeCloseTo(1, 12)
})

test('rises with the horizon, is never NaN, and says when it is above T', () => {
  for (const formulas of ['printed', 'corrected'] as const) {
    let last = [0, 0]
    for (const horizon of [1, 2, 3, 5, 64, 1000, 2 ** 17, 2 ** 30, 2 ** 45]) {
      const bounds = [
        theorem2Regret({ ...second, formulas, horizon }),
        theorem4Regret({ ...fourth, formulas, horizon, linearInCovariate: true }),
      ]
      bounds.forEach((bound, k) => {
        expect(bound.total).toBeGreaterThan(last[k]! - 1e-12)
        expect(Number.isFinite(bound.total)).toBe(true)
        expect(bound.warnings.some(({ code }) => code === 'bound-vacuous')).toBe(bound.total >= horizon)
      })
      last = bounds.map((bound) => bound.total)
    }
  }
})

test('with a reward linear in the covariate only the floor stays linear, without sqrt(K) (E46)', () => {
  const input = { ...fourth, linearInCovariate: true, floorPerRound: 0.007 }
  const at = (horizon: number) => theorem4Regret({ ...input, horizon })
  const beyond = (horizon: number) => at(horizon).total / horizon - 0.007
  // With d = 1 the rest is between T^(1/2) and T^(2/3): 2^6 times the rounds leave between 1/8 and 1/4 of it per round.
  expect(beyond(2 ** 52) / beyond(2 ** 46)).toBeGreaterThan(1 / 8)
  expect(beyond(2 ** 52) / beyond(2 ** 46)).toBeLessThan(1 / 4)
  const late = theorem4Epoch({ ...input, epoch: 52 })
  expect(late.terms.some(({ name }) => name === 'covariate-noise')).toBe(false)
  expect(at(2 ** 52).terms.find(({ name }) => name === 'floor')!.value / 2 ** 52).toBeLessThanOrEqual(0.007)
  const printed = theorem4Regret({ ...fourth, formulas: 'printed', horizon: 2 ** 52 })
  expect(printed.total / 2 ** 52).toBeGreaterThan(0.4 * 0.3)
})

test('a horizon of 0, and constants out of range, are refused even when no epoch is summed', () => {
  expect(() => theorem2Regret({ ...second, horizon: 0 })).toThrow('horizon must be a whole number >= 1, got 0')
  expect(() => theorem2Regret({ ...second, horizon: 1, delta: 2 })).toThrow('delta must be in (0, 1), got 2')
  expect(() => theorem4Regret({ ...fourth, formulas: 'printed', horizon: 1, floor: 0 })).toThrow(
    'floor must be in (0, 1], got 0',
  )
})
