// How long rewards take: counts in eight bins for each doubling, so a quantile is known to within 5%.

const PER_DOUBLING = 8

export class DelayCounts {
  count = 0
  readonly #bins = new Map<number, number>()

  add(milliseconds: number): void {
    const bin = Math.max(0, Math.floor(Math.log2(Math.max(1, milliseconds)) * PER_DOUBLING))
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + 1)
    this.count++
  }

  merge(other: DelayCounts): void {
    for (const [bin, count] of other.#bins) this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + count)
    this.count += other.count
  }

  /** The middle of the bin that holds the quantile, in milliseconds; null without any. */
  quantile(p: number): number | null {
    if (this.count === 0) return null
    let below = 0
    for (const [bin, count] of [...this.#bins].sort(([a], [b]) => a - b)) {
      below += count
      if (below >= p * this.count) return 2 ** ((bin + 0.5) / PER_DOUBLING)
    }
    return null
  }
}
