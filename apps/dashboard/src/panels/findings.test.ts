import type { HistoryBucket, HistoryValue } from '@primo/contract'
import { describe, expect, it } from 'vitest'
import { histogramOf, quantileOf, since } from './metrics-text.js'
import { missingDrift } from './missing-findings.js'
import { estimateOf, valueTitle } from './value-findings.js'

const sums = (count: number, mean: number, variance: number) => ({
  count,
  sum: count * mean,
  deviation: count * variance,
})
const value = (played: number, baseline: number, count: number): HistoryValue => ({
  played: sums(count, played, 0.2),
  baseline: { gained: sums(count, baseline, 1), lost: sums(count, 1 - baseline, 1) },
  uniform: { gained: sums(count, 0.3, 1e6), lost: sums(count, 0.7, 1e6) },
})

describe('value of the policy', () => {
  it('is in the units of the reward, inside its interval', () => {
    const estimate = estimateOf(value(0.6, 0.4, 5000), 'played', { min: 10, max: 30 })!
    expect(estimate.mean).toBeCloseTo(22, 9)
    expect(estimate.low).toBeGreaterThan(21)
    expect(estimate.low).toBeLessThan(22)
    expect(estimate.high).toBeGreaterThan(22)
  })

  it('is left out where the interval says nothing', () => {
    expect(estimateOf(value(0.6, 0.4, 5000), 'uniform', { min: 0, max: 1 })).toBeNull()
    expect(estimateOf(value(0.6, 0.4, 0), 'played', { min: 0, max: 1 })).toBeNull()
  })

  it('stays inside its interval when rare large weights carry the estimate away', () => {
    const odd: HistoryValue = {
      ...value(0.6, 0.4, 20_000),
      baseline: { gained: sums(20_000, 0.4, 0.2), lost: sums(20_000, 0.9, 400) },
    }
    const estimate = estimateOf(odd, 'baseline', { min: 0, max: 1 })!
    expect(estimate.mean).toBe(estimate.low)
    expect(estimate.low).toBeGreaterThan(0.35)
  })

  it('claims a difference only when the intervals are apart', () => {
    const range = { min: 0, max: 1 }
    expect(valueTitle(value(0.6, 0.4, 20_000), range, 'medium')).toContain('more than always "medium"')
    expect(valueTitle(value(0.3, 0.5, 20_000), range, 'medium')).toContain('less than always "medium"')
    expect(valueTitle(value(0.41, 0.4, 20_000), range, 'medium')).toContain('not settled')
    expect(valueTitle(undefined, range, null)).toBe('No reward has come back yet')
  })
})

describe('drift of the missing share', () => {
  const bucket = (decisions: number, missing: number) =>
    ({
      decisions,
      covariates: { z: { missing, reasons: {}, observing: { count: 0, sum: 0, positive: 0 } } },
    }) as unknown as HistoryBucket

  it('compares the newest tenth with what was before', () => {
    const steady = Array.from({ length: 20 }, () => bucket(100, 50))
    expect(missingDrift(steady, 'z')).toMatchObject({ moved: false, statistic: 0, now: { share: 0.5, decisions: 200 } })
    const moved = [...steady.slice(2), bucket(100, 80), bucket(100, 80)]
    expect(missingDrift(moved, 'z')).toMatchObject({ moved: true, before: { share: 0.5 }, now: { share: 0.8 } })
  })

  it('says nothing of few decisions', () => {
    expect(missingDrift([bucket(50, 20), bucket(60, 20)], 'z')).toBeNull()
  })
})

describe('histograms of /metrics', () => {
  const text = [
    'primo_request_seconds_bucket{le="0.001",route="/v1/problems/:problem/decisions",status="200"} 10',
    'primo_request_seconds_bucket{le="0.01",route="/v1/problems/:problem/decisions",status="200"} 20',
    'primo_request_seconds_bucket{le="+Inf",route="/v1/problems/:problem/decisions",status="200"} 20',
    'primo_request_seconds_bucket{le="0.001",route="/livez",status="200"} 1000',
    'primo_request_seconds_sum{route="/livez",status="200"} 3',
  ].join('\n')
  const histogram = histogramOf(text, 'primo_request_seconds', (labels) => /decisions(\/batch)?"/.test(labels))

  it('are added up over the labels that match', () => {
    expect(histogram).toEqual({ limits: [0.001, 0.01, Number.POSITIVE_INFINITY], counts: [10, 20, 20] })
  })

  it('give quantiles by interpolation, and of what is new', () => {
    expect(quantileOf(histogram, 0.5)).toBeCloseTo(0.001, 12)
    expect(quantileOf(histogram, 0.75)).toBeCloseTo(0.0055, 12)
    expect(quantileOf(since(histogram, histogram), 0.5)).toBeNull()
  })
})
