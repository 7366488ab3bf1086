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
    for (let i = j + 1; i < n; i++) {
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
