import { Random, studentQuantile } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { type Equation, setOf } from './equations.js'

const DEGREES = 40

/** The error of an equation at a law, or more: that of the levels, joined linearly. */
type Errors = 'exact' | 'joined'

/** The definition: every law on a grid, kept where all equations hold within their error. */
function bruteForce(equations: readonly Equation[], target: Float64Array, steps: number, errors: Errors) {
  let lower = Number.POSITIVE_INFINITY
  let upper = Number.NEGATIVE_INFINITY
  const law = new Float64Array(target.length)
  const kappa = studentQuantile(0.975, DEGREES)
  const agrees = ({ means, covariance, mean, variance }: Equation) => {
    let gap = -mean
    let square = variance
    let joined = 0
    law.forEach((q, j) => {
      gap += q * means[j]!
      joined += q * Math.sqrt(covariance[j * law.length + j]! + variance)
      law.forEach((p, k) => {
        square += q * p * covariance[j * law.length + k]!
      })
    })
    return Math.abs(gap) <= kappa * (errors === 'exact' ? Math.sqrt(square) : joined)
  }
  const fill = (level: number, left: number) => {
    if (level === law.length - 1) {
      law[level] = left / steps
      if (!equations.every(agrees)) return
      const value = law.reduce((sum, q, j) => sum + q * target[j]!, 0)
      lower = Math.min(lower, value)
      upper = Math.max(upper, value)
      return
    }
    for (let part = 0; part <= left; part++) {
      law[level] = part / steps
      fill(level + 1, left - part)
    }
  }
  fill(0, steps)
  return lower > upper ? null : { lower, upper }
}

function randomEquation(random: Random, levels: number, spread: number): Equation {
  const means = Float64Array.from({ length: levels }, () => random.uniform())
  const loadings = Array.from({ length: levels }, () =>
    Array.from({ length: levels }, () => spread * (random.uniform() - 0.5)),
  )
  const covariance = Float64Array.from({ length: levels ** 2 }, (_, at) =>
    loadings[Math.floor(at / levels)]!.reduce((sum, value, k) => sum + value * loadings[at % levels]![k]!, 0),
  )
  const law = means.map(() => random.uniform())
  const total = law.reduce((sum, q) => sum + q, 0)
  const mean = means.reduce((sum, value, j) => sum + (value * law[j]!) / total, 0) + 0.3 * spread * random.normal()
  return { means, covariance, mean, variance: (0.3 * spread) ** 2, degrees: DEGREES }
}

describe('the means that agree with equations', () => {
  it.each([
    [3, 1, 0.02, 160],
    [3, 2, 0.02, 160],
    [4, 2, 0.1, 40],
    [4, 3, 0.04, 40],
  ])('are those of all laws on a grid: %i levels, %i equations, errors of %d', (levels, count, spread, steps) => {
    const target = Float64Array.from({ length: levels }, (_, j) => j / (levels - 1))
    let compared = 0
    for (let seed = 1; seed <= 8; seed++) {
      const random = Random.fromSeed(seed)
      const equations = Array.from({ length: count }, () => randomEquation(random, levels, spread))
      const inner = bruteForce(equations, target, steps, 'exact')
      const outer = bruteForce(equations, target, steps, 'joined')
      const found = setOf(equations, target, 0.95)
      if (inner === null || outer === null) continue
      compared++
      // Never too little; at most what the larger errors allow, a step of the grid aside.
      expect(found!.lower).toBeLessThanOrEqual(inner.lower + 1e-9)
      expect(found!.upper).toBeGreaterThanOrEqual(inner.upper - 1e-9)
      expect(found!.lower).toBeGreaterThan(outer.lower - 1.5 / steps)
      expect(found!.upper).toBeLessThan(outer.upper + 1.5 / steps)
    }
    expect(compared).toBeGreaterThanOrEqual(5)
  })

  it('are a point where two levels are told apart without error, and the whole range where they are not', () => {
    const exact = { covariance: new Float64Array(4), variance: 1e-12, degrees: 1000 }
    const target = Float64Array.of(-1, 3)
    const point = setOf([{ ...exact, means: Float64Array.of(0.2, 0.6), mean: 0.3 }], target, 0.95)!
    expect(point.lower).toBeCloseTo(0, 2)
    expect(point.upper).toBeCloseTo(0, 2)
    expect(setOf([{ ...exact, means: Float64Array.of(0.3, 0.3), mean: 0.3 }], target, 0.95)).toEqual({
      lower: -1,
      upper: 3,
    })
    expect(setOf([], target, 0.95)).toEqual({ lower: -1, upper: 3 })
  })

  it('are none where no law gives the mean', () => {
    const equation = {
      means: Float64Array.of(0.2, 0.6),
      covariance: new Float64Array(4),
      mean: 0.9,
      variance: 1e-6,
      degrees: 1000,
    }
    expect(setOf([equation], Float64Array.of(0, 1), 0.99)).toBeNull()
  })
})
