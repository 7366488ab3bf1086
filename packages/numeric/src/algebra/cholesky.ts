// Cholesky factor A = L L' of a symmetric positive definite matrix, and the solves that use it. Row-major, n x n.

import { PrimoError } from '../errors.js'
import { choleskyWithSimd } from '../simd/cholesky-simd.js'
import { invertWithSimd } from '../simd/solve-simd.js'

/** The lower factor. Reads the upper triangle of `matrix`; throws `not-positive-definite` naming the pivot. */
export function cholesky(matrix: Float64Array, n: number): Float64Array {
  const least = (diagonal: number) => n * Number.EPSILON * diagonal
  return choleskyWithSimd(matrix, n, { least, fail }) ?? choleskyPlainly(matrix, n)
}

function fail(pivot: number, row: number): never {
  throw new PrimoError('not-positive-definite', `matrix must be positive definite, got pivot ${pivot} at row ${row}`, {
    row,
    pivot,
  })
}

/** Without SIMD, whatever the size. */
export function choleskyPlainly(matrix: Float64Array, n: number): Float64Array {
  const lower = new Float64Array(n * n)
  for (let j = 0; j < n; j++) {
    const diagonal = matrix[j * n + j]!
    let pivot = diagonal
    for (let k = 0; k < j; k++) pivot -= lower[j * n + k]! * lower[j * n + k]!
    // Written so that NaN fails too.
    if (!(pivot > n * Number.EPSILON * diagonal && Number.isFinite(pivot))) fail(pivot, j)
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

/** Solves L y = b in place, four rows at a time; each sum runs in column order, so the bits do not depend on it. */
export function solveLower(lower: Float64Array, n: number, b: Float64Array): void {
  let i = 0
  for (; i + 4 <= n; i += 4) {
    const r0 = i * n
    const r1 = r0 + n
    const r2 = r1 + n
    const r3 = r2 + n
    let s0 = b[i]!
    let s1 = b[i + 1]!
    let s2 = b[i + 2]!
    let s3 = b[i + 3]!
    for (let k = 0; k < i; k++) {
      const value = b[k]!
      s0 -= lower[r0 + k]! * value
      s1 -= lower[r1 + k]! * value
      s2 -= lower[r2 + k]! * value
      s3 -= lower[r3 + k]! * value
    }
    const y0 = s0 / lower[r0 + i]!
    const y1 = (s1 - lower[r1 + i]! * y0) / lower[r1 + i + 1]!
    const y2 = (s2 - lower[r2 + i]! * y0 - lower[r2 + i + 1]! * y1) / lower[r2 + i + 2]!
    const y3 = s3 - lower[r3 + i]! * y0 - lower[r3 + i + 1]! * y1 - lower[r3 + i + 2]! * y2
    b[i] = y0
    b[i + 1] = y1
    b[i + 2] = y2
    b[i + 3] = y3 / lower[r3 + i + 3]!
  }
  for (; i < n; i++) {
    let sum = b[i]!
    for (let k = 0; k < i; k++) sum -= lower[i * n + k]! * b[k]!
    b[i] = sum / lower[i * n + i]!
  }
}

/** Solves L' x = y in place, from the last row on, four at a time with the bits of one at a time. */
export function solveLowerTransposed(lower: Float64Array, n: number, b: Float64Array): void {
  let i = n - 1
  for (; i >= 3; i -= 4) {
    const r0 = i * n
    const r1 = r0 - n
    const r2 = r1 - n
    const r3 = r2 - n
    const x0 = b[i]! / lower[r0 + i]!
    const x1 = (b[i - 1]! - lower[r0 + i - 1]! * x0) / lower[r1 + i - 1]!
    const x2 = (b[i - 2]! - lower[r0 + i - 2]! * x0 - lower[r1 + i - 2]! * x1) / lower[r2 + i - 2]!
    const s3 = b[i - 3]! - lower[r0 + i - 3]! * x0 - lower[r1 + i - 3]! * x1 - lower[r2 + i - 3]! * x2
    const x3 = s3 / lower[r3 + i - 3]!
    b[i] = x0
    b[i - 1] = x1
    b[i - 2] = x2
    b[i - 3] = x3
    for (let k = 0; k < i - 3; k++) {
      b[k] = b[k]! - lower[r0 + k]! * x0 - lower[r1 + k]! * x1 - lower[r2 + k]! * x2 - lower[r3 + k]! * x3
    }
  }
  for (; i >= 0; i--) {
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

/** The full symmetric inverse of A: several columns at a time, the sums of each in the order of the solves above. */
export function invertCholesky(lower: Float64Array, n: number): Float64Array {
  return invertWithSimd(lower, n) ?? invertPlainly(lower, n)
}

/** Without SIMD, whatever the size. */
export function invertPlainly(lower: Float64Array, n: number): Float64Array {
  const inverse = new Float64Array(n * n)
  // Entry i of four columns side by side.
  const x = new Float64Array(4 * n)
  for (let j = 0; j < n; j += 4) {
    const columns = Math.min(4, n - j)
    x.fill(0)
    for (let c = 0; c < columns; c++) x[4 * (j + c) + c] = 1
    solveFour(lower, n, j, x)
    for (let c = 0; c < columns; c++) {
      for (let i = 0, at = j + c; i <= at; i++) {
        inverse[i * n + at] = x[4 * i + c]!
        inverse[at * n + i] = x[4 * i + c]!
      }
    }
  }
  return inverse
}

/** Solves L L' x = b for four right sides whose entries before `first` are zero, in place. */
function solveFour(lower: Float64Array, n: number, first: number, x: Float64Array): void {
  for (let i = first; i < n; i++) {
    const to = 4 * i
    let s0 = x[to]!
    let s1 = x[to + 1]!
    let s2 = x[to + 2]!
    let s3 = x[to + 3]!
    for (let k = first, at = i * n + first, from = 4 * first; k < i; k++, at++, from += 4) {
      const value = lower[at]!
      s0 -= value * x[from]!
      s1 -= value * x[from + 1]!
      s2 -= value * x[from + 2]!
      s3 -= value * x[from + 3]!
    }
    const diagonal = lower[i * n + i]!
    x[to] = s0 / diagonal
    x[to + 1] = s1 / diagonal
    x[to + 2] = s2 / diagonal
    x[to + 3] = s3 / diagonal
  }
  for (let i = n - 1; i >= 0; i--) {
    const from = 4 * i
    const diagonal = lower[i * n + i]!
    const v0 = x[from]! / diagonal
    const v1 = x[from + 1]! / diagonal
    const v2 = x[from + 2]! / diagonal
    const v3 = x[from + 3]! / diagonal
    x[from] = v0
    x[from + 1] = v1
    x[from + 2] = v2
    x[from + 3] = v3
    for (let k = 0, at = i * n, to = 0; k < i; k++, at++, to += 4) {
      const value = lower[at]!
      x[to] = x[to]! - value * v0
      x[to + 1] = x[to + 1]! - value * v1
      x[to + 2] = x[to + 2]! - value * v2
      x[to + 3] = x[to + 3]! - value * v3
    }
  }
}
