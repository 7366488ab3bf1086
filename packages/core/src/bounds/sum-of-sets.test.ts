import { describe, expect, it } from 'vitest'
import { type Equation, setOf } from './equations.js'
import { sumOfSets } from './sum-of-sets.js'

const target = Float64Array.of(0, 1)
/** Told apart well: the estimate is (mean - 0.2) / 0.6, with an error of 0.01 / 0.6. */
const equation = (mean: number): Equation => ({
  means: Float64Array.of(0.2, 0.8),
  covariance: new Float64Array(4),
  mean,
  variance: 1e-4,
  degrees: 1e6,
})

describe('the sum of cells', () => {
  it('is the set of a single cell, up to what separates an estimate from its limits', () => {
    const alone = setOf([equation(0.5)], target, 0.95)!
    const sum = sumOfSets([{ share: 1, equation: equation(0.5) }], target, 0.95)!
    expect(sum.lower).toBeCloseTo(alone.lower, 9)
    expect(sum.upper).toBeCloseTo(alone.upper, 9)
  })

  it('has the error of independent parts: sqrt(sum share^2 error^2)', () => {
    const means = [0.4, 0.5, 0.6, 0.5]
    const sum = sumOfSets(
      means.map((mean) => ({ share: 0.25, equation: equation(mean) })),
      target,
      0.95,
    )!
    const half = (1.96 * (0.01 / 0.6)) / Math.sqrt(4)
    expect(Math.abs((sum.lower + sum.upper) / 2 - 0.5)).toBeLessThan(0.001)
    // A slice of the search is 1/2048, on either side of estimate and limit.
    expect(Math.abs((sum.upper - sum.lower) / 2 - half)).toBeLessThan(0.002)
  })

  it('gives the range to what no equation tells, and to rows in no cell', () => {
    const half = sumOfSets(
      [
        { share: 0.5, equation: equation(0.5) },
        { share: 0.25, equation: null },
      ],
      target,
      0.95,
    )!
    const alone = setOf([equation(0.5)], target, 0.95)!
    expect(half.lower).toBeCloseTo(alone.lower / 2, 9)
    expect(half.upper).toBeCloseTo(alone.upper / 2 + 0.5, 9)
  })

  it('is empty only where every cell contradicts itself', () => {
    const wrong = { share: 0.5, equation: equation(0.99) }
    expect(sumOfSets([wrong, wrong], target, 0.95)).toBeNull()
    expect(sumOfSets([wrong, { share: 0.5, equation: equation(0.5) }], target, 0.95)!.lower).toBeCloseTo(0.23, 1)
  })
})
