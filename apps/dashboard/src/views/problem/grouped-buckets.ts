// Neighbouring buckets taken together: a share of a few decisions jumps about, and says less than it seems to.

import type { HistoryBucket } from '@primo/contract'

const MOST = 60

export interface Group<T> {
  readonly time: number
  readonly buckets: readonly T[]
}

/** At most MOST groups, each as wide as the others; those without a bucket are left out. */
export function groupedBuckets<T extends Pick<HistoryBucket, 'time'>>(
  buckets: readonly T[],
  width: number,
): { readonly groups: readonly Group<T>[]; readonly width: number } {
  const first = buckets[0]?.time ?? 0
  const span = (buckets.at(-1)?.time ?? 0) - first + width
  const wide = width * Math.max(1, Math.ceil(span / width / MOST))
  const groups = new Map<number, T[]>()
  for (const bucket of buckets) {
    const place = Math.floor((bucket.time - first) / wide)
    const found = groups.get(place)
    if (found === undefined) groups.set(place, [bucket])
    else found.push(bucket)
  }
  return { groups: [...groups.values()].map((some) => ({ time: some[0]!.time, buckets: some })), width: wide }
}
