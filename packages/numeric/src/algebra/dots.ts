// out[row] += sum_k rows[row][k] vector[k] for rows that begin `stride` doubles apart. Four rows at a time; each sum
// goes on from what is in `out` and runs in column order, so the bits do not depend on the tiling.

/** Adds the product of each row with a vector to `out`. */
export function addDots(
  rows: Float64Array,
  count: number,
  stride: number,
  vector: ArrayLike<number>,
  columns: number,
  out: Float64Array,
): void {
  let row = 0
  for (; row + 4 <= count; row += 4) {
    const r0 = row * stride
    const r1 = r0 + stride
    const r2 = r1 + stride
    const r3 = r2 + stride
    let s0 = out[row]!
    let s1 = out[row + 1]!
    let s2 = out[row + 2]!
    let s3 = out[row + 3]!
    for (let k = 0; k < columns; k++) {
      const value = vector[k]!
      s0 += value * rows[r0 + k]!
      s1 += value * rows[r1 + k]!
      s2 += value * rows[r2 + k]!
      s3 += value * rows[r3 + k]!
    }
    out[row] = s0
    out[row + 1] = s1
    out[row + 2] = s2
    out[row + 3] = s3
  }
  for (; row < count; row++) {
    let sum = out[row]!
    for (let k = 0, r = row * stride; k < columns; k++, r++) sum += vector[k]! * rows[r]!
    out[row] = sum
  }
}

/** out[k] += sum over rows of weights[row] rows[row][k]: in row order for each k. */
export function addWeightedRows(
  rows: Float64Array,
  count: number,
  stride: number,
  weights: Float64Array,
  columns: number,
  out: Float64Array,
): void {
  let row = 0
  for (; row + 4 <= count; row += 4) {
    const r0 = row * stride
    const r1 = r0 + stride
    const r2 = r1 + stride
    const r3 = r2 + stride
    const w0 = weights[row]!
    const w1 = weights[row + 1]!
    const w2 = weights[row + 2]!
    const w3 = weights[row + 3]!
    for (let k = 0; k < columns; k++) {
      out[k] = out[k]! + w0 * rows[r0 + k]! + w1 * rows[r1 + k]! + w2 * rows[r2 + k]! + w3 * rows[r3 + k]!
    }
  }
  for (; row < count; row++) {
    const weight = weights[row]!
    for (let k = 0, r = row * stride; k < columns; k++, r++) out[k] = out[k]! + weight * rows[r]!
  }
}

/**
 * out[i] += first + sum_k x[rows[i]][k] vector[k], in that order, for rows `width` doubles long: [1, x]'[first, vector]
 * where x stands.
 */
export function addLinearDots(
  x: Float64Array,
  width: number,
  rows: Int32Array,
  count: number,
  first: number,
  vector: Float64Array,
  out: Float64Array,
): void {
  let i = 0
  for (; i + 4 <= count; i += 4) {
    const r0 = rows[i]! * width
    const r1 = rows[i + 1]! * width
    const r2 = rows[i + 2]! * width
    const r3 = rows[i + 3]! * width
    let s0 = out[i]! + first
    let s1 = out[i + 1]! + first
    let s2 = out[i + 2]! + first
    let s3 = out[i + 3]! + first
    for (let k = 0; k < width; k++) {
      const value = vector[k]!
      s0 += value * x[r0 + k]!
      s1 += value * x[r1 + k]!
      s2 += value * x[r2 + k]!
      s3 += value * x[r3 + k]!
    }
    out[i] = s0
    out[i + 1] = s1
    out[i + 2] = s2
    out[i + 3] = s3
  }
  for (; i < count; i++) {
    let sum = out[i]! + first
    for (let k = 0, r = rows[i]! * width; k < width; k++, r++) sum += vector[k]! * x[r]!
    out[i] = sum
  }
}
