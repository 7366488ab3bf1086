// Cholesky factor A = L L' of a symmetric positive definite matrix, and the solves that use it. Row-major, n x n.

import { PrimoError } from '../errors.js'

/** The lower factor. Reads the upper triangle of `matrix`; throws `not-positive-definite` naming the pivot. */
export function cholesky(matrix: Float64Array, n: number): Float64Array {
  const lower = new Float64Array(n * n)
  for (let j = 0; j < n; j++) {
    const diagonal = matrix[j * n + j]!
    let pivot = diagonal
    for (let k = 0; k < j; k++) pivot -= lower[j * n + k]! * lower[j * n + k]!
    // Written so that NaN fails too.
    if (!(pivot > n * Number.EPSILON * diagonal && Number.isFinite(pivot))) {
      throw new PrimoError(
        'not-positive-definite',
        `matrix must be positive definite, got pivot ${pivot} at row ${j}`,
        {
          row: j,
          pivot,
        },
      )
    }
    const root = Math.sqrt(pivot)
    lower[j * n + j] = root
    let i = j + 1
    // Four rows at a time; each sum runs in column order, so the bits do not depend on it.
    for (; i + 4 <= n; i += 4) {
      const r0 = i * n,
        r1 = r0 + n,
        r2 = r1 + n,
        r3 = r2 + n
      let s0 = matrix[j * n + i]!,
        s1 = matrix[j * n + i + 1]!,
        s2 = matrix[j * n + i + 2]!,
        s3 = matrix[j * n + i + 3]!
      for (let k = 0, at = j * n; k < j; k++, at++) {
        const value = lower[at]!
        s0 -= lower[r0 + k]! * value
        s1 -= lower[r1 + k]! * value
        s2 -= lower[r2 + k]! * value
        s3 -= lower[r3 + k]! * value
      }
      lower[r0 + j] = s0 / root
      lower[r1 + j] = s1 / root
      lower[r2 + j] = s2 / root
      lower[r3 + j] = s3 / root
    }
    for (; i < n; i++) {
      let sum = matrix[j * n + i]!
      for (let k = 0; k < j; k++) sum -= lower[i * n + k]! * lower[j * n + k]!
      lower[i * n + j] = sum / root
    }
  }
  return lower
}

/** Solves L y = b in place. */
export function solveLower(lower: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let sum = b[i]!
    for (let k = 0; k < i; k++) sum -= lower[i * n + k]! * b[k]!
    b[i] = sum / lower[i * n + i]!
  }
}

/** Solves L' x = y in place. */
export function solveLowerTransposed(lower: Float64Array, n: number, b: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    const value = b[i]! / lower[i * n + i]!
    b[i] = value
    for (let k = 0; k < i; k++) b[k] = b[k]! - lower[i * n + k]! * value
  }
}

/** Solves A x = b; returns a new vector. */
export function solveCholesky(lower: Float64Array, n: number, b: Float64Array): Float64Array {
  const x = Float64Array.from(b)
  solveLower(lower, n, x)
  solveLowerTransposed(lower, n, x)
  return x
}

/** The full symmetric inverse of A. */
export function invertCholesky(lower: Float64Array, n: number): Float64Array {
  const inverse = new Float64Array(n * n)
  const column = new Float64Array(n)
  for (let j = 0; j < n; j++) {
    column.fill(0)
    column[j] = 1
    solveLower(lower, n, column)
    solveLowerTransposed(lower, n, column)
    for (let i = 0; i <= j; i++) {
      inverse[i * n + j] = column[i]!
      inverse[j * n + i] = column[i]!
    }
  }
  return inverse
}
