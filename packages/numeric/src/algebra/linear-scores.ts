// Scores of one row under a linear model by action: the plain kernel. scores-simd.ts has the same for many rows.

/**
 * out[a] = theta_a'phi, four actions at a time; each sum runs in column order, so the bits do not depend on the tiling.
 */
export function linearScores(
  theta: Float64Array,
  actions: number,
  phi: Float64Array,
  columns: number,
  out: Float64Array,
): void {
  let a = 0
  for (; a + 4 <= actions; a += 4) {
    const t0 = a * columns
    const t1 = t0 + columns
    const t2 = t1 + columns
    const t3 = t2 + columns
    let s0 = 0
    let s1 = 0
    let s2 = 0
    let s3 = 0
    for (let k = 0; k < columns; k++) {
      const value = phi[k]!
      s0 += theta[t0 + k]! * value
      s1 += theta[t1 + k]! * value
      s2 += theta[t2 + k]! * value
      s3 += theta[t3 + k]! * value
    }
    out[a] = s0
    out[a + 1] = s1
    out[a + 2] = s2
    out[a + 3] = s3
  }
  for (; a < actions; a++) {
    let sum = 0
    for (let k = 0, t = a * columns; k < columns; k++, t++) sum += theta[t]! * phi[k]!
    out[a] = sum
  }
}
