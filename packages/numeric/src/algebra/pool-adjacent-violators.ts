// Isotonic least squares: the increasing sequence m nearest to y, sum w (y - m)^2 least, by pooling adjacent violators.
// A block is a run of equal fitted values, their weighted mean; a new point merges with blocks before it while it lies
// below. O(n).

export interface PooledBlocks {
  /** First index of each block, and one more: the number of points. */
  readonly starts: Uint32Array
  /** Fitted value of each block, increasing. */
  readonly values: Float64Array
}

/** Points in the order of x; weights > 0. */
export function poolAdjacentViolators(y: Float64Array, w: Float64Array): PooledBlocks {
  const n = y.length
  const starts = new Uint32Array(n + 1)
  const values = new Float64Array(n)
  const weights = new Float64Array(n)
  let last = -1
  for (let i = 0; i < n; i++) {
    last++
    starts[last] = i
    values[last] = y[i]!
    weights[last] = w[i]!
    while (last > 0 && values[last - 1]! >= values[last]!) {
      const before = weights[last - 1]!
      const own = weights[last]!
      values[last - 1] = (before * values[last - 1]! + own * values[last]!) / (before + own)
      weights[last - 1] = before + own
      last--
    }
  }
  starts[last + 1] = n
  return { starts: starts.slice(0, last + 2), values: values.slice(0, last + 1) }
}
