import { normalQuantile } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { readUncertain } from './uncertain-prediction.js'

describe('a prediction that says how sure it is', () => {
  it('is a value with a standard deviation, or with none', () => {
    expect(readUncertain(3)).toEqual({ value: 3, sd: Number.NaN })
    expect(readUncertain({ value: 3, sd: 0.5 })).toEqual({ value: 3, sd: 0.5 })
    expect(readUncertain({ value: 3 })).toEqual({ value: 3, sd: Number.NaN })
  })

  it('reads a normal off its quantiles, whichever and in whatever order they are given', () => {
    const q = (p: number) => 2 + 0.7 * normalQuantile(p)
    for (const levels of [
      [0.1, 0.9],
      [0.75, 0.05, 0.5],
      [0.6, 0.99],
    ]) {
      const read = readUncertain({ quantiles: Object.fromEntries(levels.map((p) => [String(p), q(p)])) })
      expect(read).toEqual({ value: expect.closeTo(2, 10), sd: expect.closeTo(0.7, 10) })
    }
  })

  it('takes value and sd that are given beside the quantiles', () => {
    const quantiles = { '0.1': 1, '0.9': 3 }
    expect(readUncertain({ value: 1.8, quantiles })).toEqual({ value: 1.8, sd: 1 / normalQuantile(0.9) })
    expect(readUncertain({ sd: 2, quantiles })).toEqual({ value: 2, sd: 2 })
  })

  it.each([
    [{ sd: 1 }, 'predicted no value'],
    [{ value: 1, sd: -1 }, 'predicted the standard deviation -1'],
    [{ value: 1, sd: Number.NaN }, 'predicted the standard deviation NaN'],
    [{ value: 1, median: 2 }, 'predicted an object with "median"'],
    [{ quantiles: { '0.5': 1 } }, 'predicted 1 quantiles, fewer than two'],
    [{ quantiles: { '0.1': 1, '1.5': 2 } }, 'predicted a quantile whose level is not between 0 and 1'],
    [{ quantiles: { '0.1': 2, '0.9': 1 } }, 'predicted quantiles that fall'],
    [{ quantiles: { '0.1': 2, '0.9': Number.POSITIVE_INFINITY } }, 'predicted the quantile Infinity'],
    ['high', 'predicted "high"'],
  ])('%j is a failure: %s', (given, failure) => {
    expect(readUncertain(given)).toBe(failure)
  })
})
