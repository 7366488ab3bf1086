// Labels at the ends of lines: moved apart as little as possible, in the order of the ends.

/** Centres at least `gap` apart inside [top, bottom], closest to `ends` in least squares; null when they do not fit. */
export function spreadLabels(
  ends: readonly number[],
  options: { readonly gap: number; readonly top: number; readonly bottom: number },
): readonly number[] | null {
  const { gap, top, bottom } = options
  if ((ends.length - 1) * gap > bottom - top) return null
  const order = ends.map((_, i) => i).sort((a, b) => ends[a]! - ends[b]! || a - b)
  // With y_i = u_i + i gap the rule is u_1 <= u_2 <= ...: isotonic regression by pooling neighbours, then cut to the range.
  const pools: { sum: number; count: number }[] = []
  order.forEach((index, rank) => {
    pools.push({ sum: ends[index]! - rank * gap, count: 1 })
    while (pools.length > 1) {
      const [a, b] = [pools.at(-2)!, pools.at(-1)!]
      if (a.sum / a.count <= b.sum / b.count) break
      pools.splice(-2, 2, { sum: a.sum + b.sum, count: a.count + b.count })
    }
  })
  const highest = bottom - (ends.length - 1) * gap
  const placed = new Array<number>(ends.length)
  let rank = 0
  for (const { sum, count } of pools) {
    const start = Math.min(Math.max(sum / count, top), highest)
    for (let k = 0; k < count; k++, rank++) placed[order[rank]!] = start + rank * gap
  }
  return placed
}
