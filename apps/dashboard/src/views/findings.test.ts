import type { History, HistoryBucket, HistoryValue } from '@primo/contract'
import { describe, expect, it } from 'vitest'
import { missingDrift } from './data/missing-findings.js'
import { setSentence } from './learning/calibration-findings.js'
import { costOfMissing } from './learning/cost-of-missing.js'
import { histogramOf, quantileOf, since } from './operate/metrics-text.js'
import { groupedBuckets } from './problem/grouped-buckets.js'
import { playedMost } from './problem/played-most.js'
import { estimateOf, windowPoints } from './problem/value-findings.js'

const sums = (count: number, mean: number, variance: number) => ({
  count,
  sum: count * mean,
  deviation: count * variance,
})
const unknown = { ahead: sums(0, 0, 0), behind: sums(0, 0, 0) }
const value = (played: number, baseline: number, count: number): HistoryValue => ({
  played: sums(count, played, 0.2),
  baseline: { gained: sums(count, baseline, 1), lost: sums(count, 1 - baseline, 1), ...unknown },
  uniform: { gained: sums(count, 0.3, 1e6), lost: sums(count, 0.7, 1e6), ...unknown },
})

describe('value of the policy', () => {
  it('is in the units of the reward, inside its interval', () => {
    const estimate = estimateOf(value(0.6, 0.4, 5000), 'played', { min: 10, max: 30 })!
    expect(estimate.mean).toBeCloseTo(22, 9)
    expect(estimate.low).toBeGreaterThan(21)
    expect(estimate.low).toBeLessThan(22)
    expect(estimate.high).toBeGreaterThan(22)
  })

  it('of a moving window forgets what lies before it, and waits until it is full', () => {
    const rewards = [4, 4, 1, 1, 1, 1]
    const history = {
      width: 10,
      buckets: rewards.map((reward, k) => ({
        time: 10 * k + (k > 4 ? 100 : 0),
        reward: { count: 20, sum: 20 * reward, squares: 20 * reward * reward },
      })),
    } as unknown as History
    const means = windowPoints(history, 30).map(({ x, y }) => [x, y === null ? null : Number(y.toFixed(6))])
    expect(means).toEqual([
      [0, null],
      [10, null],
      [20, 3],
      [30, 2],
      [40, 1],
      [52, null],
      [150, 1],
    ])
  })

  it('is left out where the interval says nothing', () => {
    expect(estimateOf(value(0.6, 0.4, 5000), 'uniform', { min: 0, max: 1 })).toBeNull()
    expect(estimateOf(value(0.6, 0.4, 0), 'played', { min: 0, max: 1 })).toBeNull()
  })

  it('stays inside its interval when rare large weights carry the estimate away', () => {
    const odd: HistoryValue = {
      ...value(0.6, 0.4, 20_000),
      baseline: { gained: sums(20_000, 0.4, 0.2), lost: sums(20_000, 0.9, 400), ...unknown },
    }
    const estimate = estimateOf(odd, 'baseline', { min: 0, max: 1 })!
    expect(estimate.mean).toBe(estimate.low)
    expect(estimate.low).toBeGreaterThan(0.35)
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

describe('buckets taken together', () => {
  it('are at most sixty, equally wide, and leave out what is empty', () => {
    const buckets = Array.from({ length: 240 }, (_, k) => ({ time: 1000 + 10 * (k < 200 ? k : k + 400) }))
    const { groups, width } = groupedBuckets(buckets, 10)
    expect(width).toBe(110)
    expect(groups.length).toBeLessThanOrEqual(60)
    expect(groups.flatMap((group) => group.buckets)).toEqual(buckets)
    expect(Math.max(...groups.map((group) => group.buckets.length))).toBe(11)
    expect(groupedBuckets(buckets.slice(0, 5), 10)).toMatchObject({ width: 10, groups: { length: 5 } })
  })
})

describe('what is played most', () => {
  const bucket = (a: number, b: number) => ({ decisions: a + b, actions: { a, b } }) as unknown as HistoryBucket
  const said = (...buckets: HistoryBucket[]) => playedMost({ buckets }, ['a', 'b'])

  it('comes from complete buckets, and knows ties', () => {
    expect(said(bucket(90, 10), bucket(0, 3))).toBe('“a” is played most lately: 90% of decisions')
    expect(said(bucket(52, 48), bucket(0, 3))).toBe('No action stands out lately: “a” 52%, “b” 48%')
    expect(said(bucket(20, 10), bucket(60, 0))).toBe('Too few decisions to say what is played most')
  })
})

describe('what missing values cost', () => {
  const bucket = (time: number, decisions: number, count: number, sum: number) =>
    ({ time, decisions, covariates: { z: { observing: { count, sum, positive: 0 } } } }) as unknown as HistoryBucket

  it('is said and drawn from the same decisions', () => {
    const history = { width: 10, buckets: [bucket(0, 100, 50, 2), bucket(10, 300, 90, 10)] } as unknown as History
    const { mean, points } = costOfMissing(history)
    expect(mean).toBeCloseTo(30, 9)
    expect(points.map(({ y }) => y)).toEqual([20, expect.closeTo(100 / 3, 9)])
  })

  it('is not known where no value was judged', () => {
    expect(costOfMissing({ width: 10, buckets: [bucket(0, 100, 0, 0)] } as unknown as History).mean).toBeNull()
  })
})

describe('what rewards say of a missing value', () => {
  const range = { lower: 0, upper: 10 }
  it('is one sentence: limits, what was used, whether they exclude it, and how many decisions depend on it', () => {
    const limits = { lower: 2, upper: 4 }
    expect(setSentence({ limits, range, used: 3, excluded: false, settledShare: 0.75 })).toBe(
      'If values are hidden on purpose, their mean could be 2.00 to 4.00; Primo uses 3.00. For 75% of such decisions the best action is the same in all of that range.',
    )
    expect(setSentence({ limits, range, used: 6, excluded: true, settledShare: null })).toContain(
      'Primo uses 6.00, which lies outside',
    )
    expect(setSentence({ limits, range, used: 6, excluded: false, settledShare: null })).toContain('lies outside')
    expect(setSentence({ limits: null, range, used: 6, excluded: false, settledShare: null })).toContain(
      'No values agree',
    )
  })
})
