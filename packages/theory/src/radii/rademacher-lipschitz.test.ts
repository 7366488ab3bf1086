import { PrimoError, Random } from '@primo/numeric'
import { expect, test } from 'vitest'
import { complexityAt, monteCarloRadius } from './local-complexity.js'
import { lipschitzComplexity } from './rademacher-lipschitz.js'

test('two points: the supremum is the one found by searching the square', () => {
  const points = Float64Array.of(0.3, 0.8)
  const complexity = lipschitzComplexity({ points, lipschitz: 1, random: Random.fromSeed(5), draws: 20, grid: 400 })
  for (const t of [0.05, 0.2, 0.4, 2]) {
    // Signs (+,+), (+,-) and their negatives are equally likely; the draw's own signs are recovered by matching.
    const searched = [search(1, 1, t), search(1, -1, t)]
    for (let draw = 0; draw < 20; draw++) {
      const value = complexity.supremum(draw, t)
      const nearest = Math.min(...searched.map((other) => Math.abs(value - other)))
      expect(nearest).toBeLessThan(0.004)
    }
  }
})

function search(s1: number, s2: number, t: number): number {
  let best = 0
  for (let a = -0.3; a <= 0.3; a += 0.002) {
    for (let b = Math.max(-0.8, a - 0.5); b <= a + 0.5; b += 0.002) {
      if (Math.sqrt((a * a + b * b) / 2) <= t) best = Math.max(best, (s1 * a + s2 * b) / 2)
    }
  }
  return best
}

test('R(t)/t does not increase and the radius solves R(t) = t^2', () => {
  const random = Random.fromSeed(11)
  const points = Float64Array.from({ length: 200 }, () => random.uniform())
  const complexity = lipschitzComplexity({ points, lipschitz: 1, random, draws: 30 })
  let last = Number.POSITIVE_INFINITY
  for (let t = 0.01; t < 1; t *= 1.3) {
    const ratio = complexityAt(complexity, t).value / t
    expect(ratio).toBeLessThanOrEqual(last * (1 + 1e-9))
    last = ratio
  }
  const radius = monteCarloRadius(complexity, false)
  expect(complexityAt(complexity, radius.radius).value).toBeCloseTo(radius.radius ** 2, 9)
  expect(radius.standardError).toBeGreaterThan(0)
  expect(radius.formula).toBe('monte-carlo')
})

test('points outside [0, 1] are refused', () => {
  const call = () =>
    lipschitzComplexity({ points: Float64Array.of(0.5, 1.5), lipschitz: 1, random: Random.fromSeed(1) })
  expect(call).toThrow(PrimoError)
  expect(call).toThrow('points must be in [0, 1], got 1.5')
})
