import { describe, expect, it } from 'vitest'
import { stretches, sweepTitle } from './sweep-findings.js'

describe('a sweep', () => {
  const point = (value: number, action: string) => ({ value, action, scores: {}, propensities: {} })
  it('says where the preferred action changes', () => {
    const points = [point(0, 'high'), point(1, 'high'), point(2, 'low')]
    expect(stretches(points)).toEqual([
      { action: 'high', from: 0, to: 1 },
      { action: 'low', from: 2, to: 2 },
    ])
    expect(sweepTitle('z', points)).toBe('z decides: “high”, then “low” as it grows')
    expect(sweepTitle('z', points.slice(0, 2))).toBe('Whatever z is, “high” is preferred')
  })
})
