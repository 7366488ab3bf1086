// Policy value over time from the history's cumulative sums: means with confidence sequences, in the reward's units.

import type { HistoryBucket, HistoryValue } from '@primo/contract'
import { type Interval, meanInterval, weightedInterval } from '@primo/lab'
import type { Point } from '../charts/line-chart.js'
import { figure } from '../charts/number-format.js'

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

const WIDEST = 0.6

export function valuePoints(buckets: readonly HistoryBucket[], which: Compared, range: RewardRange): Point[] {
  return buckets.flatMap(({ time, value }) => {
    const estimate = estimateOf(value, which, range)
    return estimate === null ? [] : [{ x: time, y: estimate.mean, low: estimate.low, high: estimate.high }]
  })
}

export function valueTitle(value: HistoryValue | undefined, range: RewardRange, baseline: string | null): string {
  const played = value === undefined ? null : estimateOf(value, 'played', range)
  if (played === null) return 'No reward has come back yet'
  const other = estimateOf(value!, 'baseline', range)
  const mean = `A decision earns ${figure(played.mean)} on average`
  if (other === null || baseline === null) return mean
  if (played.low > other.high) return `${mean}: more than always "${baseline}" would (${figure(other.mean)})`
  if (played.high < other.low) return `${mean}: less than always "${baseline}" would (${figure(other.mean)})`
  return `${mean}; whether always "${baseline}" (${figure(other.mean)}) is worse is not settled`
}
