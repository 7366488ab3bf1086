// How a problem went, in a few points: neighbouring buckets of its history are taken together, and the last hour is summed up. What the
// baseline would have earned in it is the ratio of the weighted sums, sum(w r) / sum(w), which stays in the range of rewards.

import type { HistoryBucket, HistoryValue, Trend } from '@primo/contract'
import type { HistoryBook } from './history-book.js'

const POINTS = 32
const HOUR = 3_600_000

export function trendOf(book: HistoryBook, complete: boolean): Trend {
  const buckets = book.tier('all').buckets()
  const group = Math.ceil(buckets.length / POINTS)
  const points: Trend['points'] = []
  for (let first = 0; first < buckets.length; first += group) points.push(pointOf(buckets.slice(first, first + group)))
  return { complete, points, hour: hourOf(book), value: buckets.at(-1)?.value ?? null }
}

function pointOf(buckets: readonly HistoryBucket[]): Trend['points'][number] {
  const decisions = sum(buckets, (bucket) => bucket.decisions)
  const rewards = sum(buckets, ({ reward }) => reward.count)
  const names = new Set(buckets.flatMap(({ covariates }) => Object.keys(covariates)))
  const missing = [...names].map((name) => sum(buckets, ({ covariates }) => covariates[name]?.missing ?? 0))
  return {
    time: buckets[0]!.time,
    decisions,
    reward: rewards === 0 ? null : sum(buckets, ({ reward }) => reward.sum) / rewards,
    missing: decisions === 0 ? null : Math.max(0, ...missing) / decisions,
  }
}

function hourOf(book: HistoryBook): Trend['hour'] {
  const day = book.tier('day').buckets()
  const { min, span } = book.reward
  const begin = (day.at(-1)?.time ?? 0) - HOUR
  const first = day.findIndex(({ time }) => time > begin)
  const last = first < 0 ? [] : day.slice(first)
  const decisions = sum(last, (bucket) => bucket.decisions)
  const rewards = sum(last, ({ reward }) => reward.count)
  const [gained, lost] = since(last.at(-1)?.value, day[first - 1]?.value)
  return {
    decisions,
    reward: rewards === 0 ? null : sum(last, ({ reward }) => reward.sum) / rewards,
    baseline: gained + lost > 0 ? min + (span * gained) / (gained + lost) : null,
    joined: decisions === 0 ? null : sum(last, ({ joined }) => joined) / decisions,
  }
}

/** What the baseline's sums grew by. */
function since(now: HistoryValue | undefined, before: HistoryValue | undefined): readonly [number, number] {
  const { baseline } = now ?? { baseline: null }
  if (baseline === null) return [0, 0]
  const earlier = before?.baseline
  return [baseline.gained.sum - (earlier?.gained.sum ?? 0), baseline.lost.sum - (earlier?.lost.sum ?? 0)]
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
