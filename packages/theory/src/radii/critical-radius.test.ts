import { expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import { linearRadius, solveRadius } from './critical-radius.js'

test('the linear class has radius 16 sqrt(p/N), or sqrt(p/N) as a rate', () => {
  expect(linearRadius({ dimension: 45, rows: 32768 }).radius).toBeCloseTo(16 * Math.sqrt(45 / 32768), 12)
  const rate = linearRadius({ dimension: 45, rows: 32768, constant16: false })
  expect(rate.radius).toBeCloseTo(Math.sqrt(45 / 32768), 12)
  expect(rate).toMatchObject({ formula: 'linear', constant16: false, rows: 32768, standardError: 0 })
})

test('bisection solves R(t) = t^2/16 to 1e-12 for complexities with a known root', () => {
  for (const scale of [1e-8, 1e-3, 1, 50]) {
    expect(solveRadius((t) => scale * t) / (16 * scale)).toBeCloseTo(1, 12)
    expect(solveRadius(() => scale) / Math.sqrt(16 * scale)).toBeCloseTo(1, 12)
    expect(solveRadius((t) => scale * Math.sqrt(t)) / (16 * scale) ** (2 / 3)).toBeCloseTo(1, 12)
  }
  expect(solveRadius(() => 0)).toBe(0)
})

test('a radius without rows or dimension is refused by field and value', () => {
  const cases: [() => unknown, string, unknown][] = [
    [() => linearRadius({ dimension: 45, rows: 0 }), 'rows', 0],
    [() => linearRadius({ dimension: -1, rows: 10 }), 'dimension', -1],
    [() => linearRadius({ dimension: Number.NaN, rows: 10 }), 'dimension', Number.NaN],
  ]
  for (const [call, field, value] of cases) {
    const error = errorOf(call)
    expect(error.code).toBe('invalid-option')
    expect(error.facts).toMatchObject({ field, value })
    expect(error.message).toMatch(new RegExp(`^${field} must be .*, got ${value}$`))
  }
})

test('a complexity that is not a number is refused', () => {
  expect(errorOf(() => solveRadius(() => Number.NaN)).code).toBe('not-finite')
})
