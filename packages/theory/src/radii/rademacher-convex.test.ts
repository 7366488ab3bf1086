import { PrimoError, Random } from '@primo/numeric'
import { expect, test } from 'vitest'
import { complexityAt, monteCarloRadius } from './local-complexity.js'
import { convexLipschitzComplexity, convexProjection } from './rademacher-convex.js'
import { lipschitzComplexity } from './rademacher-lipschitz.js'

test('the projection is convex and Lipschitz, and leaves a function of the class alone', () => {
  const random = Random.fromSeed(2)
  const points = Float64Array.from({ length: 60 }, () => random.uniform()).sort()
  const project = convexProjection(points, 1.5, 20)
  const noisy = project(points.map(() => random.normal()))
  let slope = Number.NEGATIVE_INFINITY
  for (let i = 1; i < points.length; i++) {
    const next = (noisy[i]! - noisy[i - 1]!) / (points[i]! - points[i - 1]!)
    expect(Math.abs(next)).toBeLessThanOrEqual(1.5 + 1e-6)
    expect(next).toBeGreaterThanOrEqual(slope - 1e-6)
    slope = next
  }
  const member = points.map((x) => -0.5 * x + 1.2 * Math.max(0, x - 0.5))
  const again = project(member)
  for (let i = 0; i < points.length; i++) expect(again[i]!).toBeCloseTo(member[i]!, 2)
})

test('the projection is nearer than every member tried (variational inequality)', () => {
  const random = Random.fromSeed(4)
  const points = Float64Array.from({ length: 40 }, () => random.uniform())
  const knots = 10
  const project = convexProjection(points, 1, knots)
  const y = points.map(() => 2 * random.normal())
  const h = project(y)
  for (let trial = 0; trial < 300; trial++) {
    const c = Array.from({ length: knots }, () => -Math.log(1 - random.uniform()) * (random.uniform() < 0.3 ? 1 : 0))
    const total = c.reduce((a, b) => a + b, 0) || 1
    const scale = (2 * random.uniform()) / total
    let inner = 0
    points.forEach((x, i) => {
      const member = -x + c.reduce((sum, value, k) => sum + scale * value * Math.max(0, x - k / knots), 0)
      inner += (y[i]! - h[i]!) * (member - h[i]!)
    })
    expect(inner).toBeLessThan(1e-3)
  }
})

test('convexity makes the class smaller than the Lipschitz class at every norm', () => {
  const random = Random.fromSeed(8)
  const points = Float64Array.from({ length: 80 }, () => random.uniform())
  const wide = lipschitzComplexity({ points, lipschitz: 1, random: Random.fromSeed(9), draws: 8 })
  const narrow = convexLipschitzComplexity({ points, lipschitz: 1, random: Random.fromSeed(9), draws: 8, knots: 16 })
  for (const t of [0.05, 0.1, 0.3, 0.6]) {
    expect(complexityAt(narrow, t).value).toBeLessThan(complexityAt(wide, t).value)
  }
  expect(monteCarloRadius(narrow, false).radius).toBeLessThan(monteCarloRadius(wide, false).radius)
})

test('no points is refused', () => {
  const call = () =>
    convexLipschitzComplexity({ points: new Float64Array(0), lipschitz: 1, random: Random.fromSeed(1) })
  expect(call).toThrow(PrimoError)
  expect(call).toThrow('points.length must be a whole number >= 1, got 0')
})
