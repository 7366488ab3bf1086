import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { normalPoints, RESIDUAL_POINTS, residualPoints } from './residual-points.js'

const mean = (list: readonly number[], power = 1) => list.reduce((sum, value) => sum + value ** power, 0) / list.length

describe('residual points', () => {
  it('have mean 0 and the given variance, whatever the residuals', () => {
    const random = Random.fromSeed(1)
    for (const count of [2, 5, 16, 300]) {
      const residuals = Float64Array.from({ length: count }, () => 0.3 + random.uniform() ** 2)
      const points = residualPoints(residuals, 0.07)
      expect(points).toHaveLength(RESIDUAL_POINTS)
      expect(mean(points)).toBeCloseTo(0, 12)
      expect(mean(points, 2)).toBeCloseTo(0.07, 12)
    }
  })

  it('keep the shape of the residuals: skewed ones stay skewed, a normal is symmetric', () => {
    const random = Random.fromSeed(2)
    const skewed = residualPoints(
      Float64Array.from({ length: 400 }, () => -Math.log(1 - random.uniform())),
      1,
    )
    expect(mean(skewed, 3)).toBeGreaterThan(0.7)
    expect(mean(normalPoints(1), 3)).toBeCloseTo(0, 12)
  })

  it('are zero where nothing is left open, and normal where there is nothing to go by', () => {
    expect(residualPoints(new Float64Array([1, 1, 1]), 0)).toEqual(Array.from({ length: 16 }, () => 0))
    expect(residualPoints(new Float64Array([1, 1, 1]), 4)).toEqual(normalPoints(4))
    expect(residualPoints(new Float64Array(), 0.5)).toEqual(normalPoints(0.5))
  })
})
