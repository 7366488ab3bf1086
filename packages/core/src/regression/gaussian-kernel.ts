// The Gaussian kernel k(a, b) = exp(-|a - b|^2 / (2 bandwidth^2)) of rows of numbers.

export function kernelMatrix(a: Float64Array, b: Float64Array, columns: number, bandwidth: number): Float64Array {
  const n = a.length / columns
  const m = b.length / columns
  const out = new Float64Array(n * m)
  for (let i = 0; i < n; i++) writeKernelRow(a, i * columns, b, columns, bandwidth, out, i * m)
  return out
}

/** Kernel of the row at a[at] with every centre. */
export function writeKernelRow(
  a: Float64Array,
  at: number,
  centres: Float64Array,
  columns: number,
  bandwidth: number,
  out: Float64Array,
  to: number,
): void {
  const factor = -1 / (2 * bandwidth * bandwidth)
  for (let from = 0, next = to; from < centres.length; ) {
    let square = 0
    for (let k = 0; k < columns; k++) {
      const difference = a[at + k]! - centres[from++]!
      square += difference * difference
    }
    out[next++] = Math.exp(factor * square)
  }
}

/** Of all pairs of different points; 1 when there is none. */
export function medianDistance(points: Float64Array, columns: number): number {
  const n = points.length / columns
  const distances: number[] = []
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      let square = 0
      for (let k = 0; k < columns; k++) square += (points[i * columns + k]! - points[j * columns + k]!) ** 2
      if (square > 0) distances.push(Math.sqrt(square))
    }
  }
  if (distances.length === 0) return 1
  distances.sort((a, b) => a - b)
  return distances[Math.floor(distances.length / 2)]!
}
