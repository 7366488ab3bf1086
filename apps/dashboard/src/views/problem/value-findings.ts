// Policy value over time from the history's cumulative sums: means with confidence sequences, in the reward's units.

import type { History, HistoryBucket, HistoryValue } from '@primo/contract'
import { differenceInterval, type Interval, meanInterval, noComparison, weightedInterval } from '@primo/lab'
import { type Point, withGaps } from '../../charts/series.js'

export interface RewardRange {
  readonly min: number
  readonly max: number
}

export type Compared = 'played' | 'baseline' | 'uniform'

export interface ValueEstimate extends Interval {
  readonly mean: number
}

/** Null before anything closed, or where the interval says nothing (as wide as the range). */
export function estimateOf(value: HistoryValue, which: Compared, range: RewardRange): ValueEstimate | null {
  const { min, max } = range
  const out = (inside: number) => min + (max - min) * inside
  if (which === 'played') {
    const { played } = value
    if (played.count === 0) return null
    const { low, high } = meanInterval(played)
    return { mean: out(played.sum / played.count), low: out(low), high: out(high) }
  }
  const weighted = value[which]
  if (weighted === null || weighted.gained.count === 0) return null
  const { low, high } = weightedInterval(weighted.gained, weighted.lost)
  // Both sums estimate weights as well: their ratio is steadier than either.
  const mean = weighted.gained.sum / (weighted.gained.sum + weighted.lost.sum)
  if (!Number.isFinite(mean) || high - low > WIDEST) return null
  // Rare large weights can carry it outside of what the interval allows.
  return { mean: out(Math.min(high, Math.max(low, mean))), low: out(low), high: out(high) }
}

/** Of what was played less what the other would have earned. */
export function differenceOf(value: HistoryValue, which: 'baseline' | 'uniform', { min, max }: RewardRange): Interval {
  const { low, high } = differenceInterval(value[which] ?? noComparison())
  return { low: (max - min) * low, high: (max - min) * high }
}

const WIDEST = 0.6

/** Of all so far: still known where nothing came in between. */
export function valuePoints({ buckets }: History, which: Compared, range: RewardRange): Point[] {
  return buckets.map(({ time, value }) => {
    const estimate = estimateOf(value, which, range)
    return estimate === null
      ? { x: time, y: null }
      : { x: time, y: estimate.mean, low: estimate.low, high: estimate.high }
  })
}

/** How long a moving window is: a fifteenth of what is shown, at least three buckets. */
export function windowOf({ buckets, width }: History): number {
  const span = (buckets.at(-1)?.time ?? 0) - (buckets[0]?.time ?? 0)
  return width * Math.max(3, Math.round(span / width / 15))
}

/** Mean reward of the rounds that closed within the window before the end of each bucket, with two standard errors. */
export function windowPoints(history: History, window = windowOf(history)): Point[] {
  const { buckets, width } = history
  const sums = { count: 0, sum: 0, squares: 0 }
  let oldest = 0
  const points = buckets.map(({ time, reward }): Point => {
    add(sums, reward, 1)
    while (buckets[oldest]!.time <= time - window) add(sums, buckets[oldest++]!.reward, -1)
    const { count, sum, squares } = sums
    // A window that began before the data would say more than it has seen.
    if (count < FEWEST || time + width - buckets[0]!.time < window) return { x: time, y: null }
    const mean = sum / count
    const error = Math.sqrt(Math.max(0, squares / count - mean * mean) / (count - 1))
    return { x: time, y: mean, low: mean - 2 * error, high: mean + 2 * error }
  })
  // It is still known while the window reaches back to the last reward.
  return withGaps(points, Math.max(width, window / 2.5))
}

const FEWEST = 10

function add(sums: { count: number; sum: number; squares: number }, more: HistoryBucket['reward'], sign: number): void {
  sums.count += sign * more.count
  sums.sum += sign * more.sum
  sums.squares += sign * more.squares
}
