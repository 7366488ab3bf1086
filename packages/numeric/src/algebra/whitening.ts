// Changes of basis by the Cholesky factor L of a metric M = LL': A becomes L^-1 A L^-T. Row-major, p x p.

import { solveLower } from './cholesky.js'

/** L^-1 A L^-T, symmetric. */
export function whiten(matrix: Float64Array, lower: Float64Array, p: number): Float64Array {
  const half = Float64Array.from(matrix)
  for (let pass = 0; pass < 2; pass++) {
    // Rows of `half` are right-hand sides: (L^-1 A')' = A L^-T; twice gives L^-1 A L^-T.
    const row = new Float64Array(p)
    for (let i = 0; i < p; i++) {
      row.set(half.subarray(i * p, (i + 1) * p))
      solveLower(lower, p, row)
      half.set(row, i * p)
    }
    half.set(transpose(half, p))
  }
  return half
}

/** The transpose of a p x p matrix. */
export function transpose(matrix: Float64Array, p: number): Float64Array {
  const out = new Float64Array(p * p)
  for (let i = 0; i < p; i++) for (let j = 0; j < p; j++) out[j * p + i] = matrix[i * p + j]!
  return out
}

/** The p x p identity. */
export function identity(p: number): Float64Array {
  const out = new Float64Array(p * p)
  for (let i = 0; i < p; i++) out[i * p + i] = 1
  return out
}
