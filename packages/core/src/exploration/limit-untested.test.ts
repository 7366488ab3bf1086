import { describe, expect, it } from 'vitest'
import { limitUntested, untestedLimits } from './limit-untested.js'

const limited = (propensities: readonly number[], scores: readonly number[], rows: readonly number[]) => {
  const out = Float64Array.from(propensities)
  const limits = untestedLimits(rows.length, rows)
  if (limits !== null) limitUntested(limits, Float64Array.from(scores), rows.length, out, 0)
  return Array.from(out)
}

describe('actions that were hardly tried', () => {
  it('get a tenth at most until their first rewards are learnt from', () => {
    const [first, second, added] = limited([0, 0.01, 0.99], [0.5, 0.6, 0.9], [700, 300, 0])
    expect(added).toBeCloseTo(0.1, 12)
    // What is above goes to the best-scored of the others.
    expect(second).toBeCloseTo(0.9, 12)
    expect(first).toBe(0)
  })

  it('get a tenth more for each closed round', () => {
    for (const rows of [1, 4, 8]) expect(limited([0, 1], [0, 1], [500, rows])[1]).toBeCloseTo((rows + 1) / 10, 12)
    expect(limited([0, 1], [0, 1], [500, 9])).toEqual([0, 1])
  })

  it('are those with less than half of an equal share in the first rounds', () => {
    // 18 rounds of three actions: three are half of an equal share.
    expect(untestedLimits(3, [8, 8, 2])).toBeNull()
    expect(limited([0, 0, 1], [0.2, 0.1, 0.9], [9, 9, 0])[2]).toBeCloseTo(1 / 3, 12)
    expect(untestedLimits(3, [2, 2, 1])).toBeNull()
  })

  it('are not limited where there is nobody to prefer', () => {
    expect(untestedLimits(3, [0, 0, 0])).toBeNull()
    const propensities = Float64Array.of(0.2, 0.8)
    const limits = Float64Array.of(0.1, 0.1, 1)
    limitUntested(limits, Float64Array.of(0, 1), 2, propensities, 0, Int32Array.of(0, 1))
    expect(Array.from(propensities)).toEqual([0.2, 0.8])
  })
})
