// Histograms out of the Prometheus text of /metrics.

export interface Histogram {
  /** Upper limits in seconds, ascending, the last one infinite, with cumulative counts. */
  readonly limits: readonly number[]
  readonly counts: readonly number[]
}

/** The histogram of this name, added up over all label sets that match. */
export function histogramOf(text: string, name: string, matches: (labels: string) => boolean = () => true): Histogram {
  const counts = new Map<number, number>()
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${name}_bucket{`)) continue
    const close = line.lastIndexOf('}')
    const labels = line.slice(name.length + 8, close)
    if (!matches(labels)) continue
    const le = /le="([^"]+)"/.exec(labels)?.[1]
    if (le === undefined) continue
    const limit = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
    counts.set(limit, (counts.get(limit) ?? 0) + Number(line.slice(close + 1)))
  }
  const limits = [...counts.keys()].sort((a, b) => a - b)
  return { limits, counts: limits.map((limit) => counts.get(limit)!) }
}

export function since(now: Histogram, before: Histogram | null): Histogram {
  if (before === null || before.limits.length !== now.limits.length) return now
  return { limits: now.limits, counts: now.counts.map((count, i) => count - before.counts[i]!) }
}

/** By linear interpolation inside the bucket, as Prometheus does; null without observations. */
export function quantileOf({ limits, counts }: Histogram, p: number): number | null {
  const total = counts.at(-1) ?? 0
  if (total <= 0) return null
  const wanted = p * total
  const at = counts.findIndex((count) => count >= wanted)
  const below = at === 0 ? 0 : counts[at - 1]!
  const from = at === 0 ? 0 : limits[at - 1]!
  const to = limits[at]!
  if (!Number.isFinite(to)) return from
  return from + ((to - from) * (wanted - below)) / Math.max(1, counts[at]! - below)
}
