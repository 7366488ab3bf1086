// Buckets of one width. When there are too many, the oldest are forgotten, or neighbours are joined and the width doubles.

import type { HistoryBucket } from '@primo/contract'
import { type Filling, noneMissing } from './history-book.js'

export interface Tier {
  readonly width: () => number
  /** The bucket of a time, to be changed by a record; made where there is none; times before the first bucket count in the first. */
  readonly at: (time: number, seq: number) => Filling
  /** The bucket of a time, to be changed by a record, unless it was forgotten. */
  readonly find: (time: number, seq: number) => Filling | undefined
  /** Those that a record after this one changed, oldest first. */
  readonly buckets: (since?: number) => readonly HistoryBucket[]
  /** Time of the first bucket; null: there is none. */
  readonly from: () => number | null
}

interface TierOptions {
  readonly empty: (time: number) => Filling
  /** Milliseconds. */
  readonly width: number
  readonly most: number
  readonly when: 'forget' | 'widen'
}

export function createTier({ empty, width: first, most, when }: TierOptions): Tier {
  let width = first
  let buckets = new Map<number, Filling>()
  let newest = Number.NEGATIVE_INFINITY
  let oldest = Number.POSITIVE_INFINITY

  function widen(): void {
    width *= 2
    const joined = new Map<number, Filling>()
    for (const [index, bucket] of [...buckets].sort(([a], [b]) => a - b)) {
      const to = Math.floor(index / 2)
      const before = joined.get(to)
      if (before === undefined) joined.set(to, { ...bucket, time: to * width })
      else join(before, bucket)
    }
    buckets = joined
    newest = Math.floor(newest / 2)
    oldest = Math.floor(oldest / 2)
  }

  function bucketAt(time: number): Filling {
    let index = Math.floor(time / width)
    // A clock that was set back does not open buckets in the past.
    if (index < oldest && oldest !== Number.POSITIVE_INFINITY) index = oldest
    const found = buckets.get(index)
    if (found !== undefined) return found
    const before = buckets.get(newest)
    const made = empty(index * width)
    // Values are cumulative: a bucket begins with what the one before it ended with.
    if (before !== undefined) made.value = before.value
    buckets.set(index, made)
    newest = Math.max(newest, index)
    oldest = Math.min(oldest, index)
    if (when === 'forget') {
      oldest = Math.max(oldest, newest - most + 1)
      for (const one of buckets.keys()) if (one < oldest) buckets.delete(one)
      return made
    }
    if (newest - oldest < most) return made
    while (newest - oldest >= most) widen()
    return buckets.get(Math.floor(time / width))!
  }

  const changed = (bucket: Filling, seq: number) => {
    bucket.changed = seq
    return bucket
  }
  return {
    width: () => width,
    at: (time, seq) => changed(bucketAt(time), seq),
    find: (time, seq) => {
      const found = buckets.get(Math.floor(time / width))
      return found === undefined ? undefined : changed(found, seq)
    },
    from: () => (oldest === Number.POSITIVE_INFINITY ? null : oldest * width),
    buckets: (since = -1) =>
      [...buckets]
        .filter(([, { changed }]) => changed > since)
        .sort(([a], [b]) => a - b)
        .map(([, { delays, changed: _, ...bucket }]) => ({
          ...bucket,
          delay: { count: delays.count, median: delays.quantile(0.5), p95: delays.quantile(0.95) },
        })),
  }
}

function join(into: Filling, next: Filling): void {
  into.decisions += next.decisions
  into.joined += next.joined
  into.dropped += next.dropped
  into.reward.count += next.reward.count
  into.reward.sum += next.reward.sum
  into.reward.squares += next.reward.squares
  into.value = next.value
  into.delays.merge(next.delays)
  for (const [action, count] of Object.entries(next.actions)) into.actions[action] = (into.actions[action] ?? 0) + count
  for (const [name, counts] of Object.entries(next.covariates)) {
    into.covariates[name] ??= noneMissing()
    const to = into.covariates[name]
    to.missing += counts.missing
    to.observing.count += counts.observing.count
    to.observing.sum += counts.observing.sum
    to.observing.positive += counts.observing.positive
    for (const [reason, count] of Object.entries(counts.reasons)) to.reasons[reason] = (to.reasons[reason] ?? 0) + count
  }
}
