// The Cholesky factor by panels, for matrices that are not small. U = L' stands row by row in linear memory; a panel of
// PANEL rows is factored, then
//   U[i][j] += sum over the panel's rows of (-U[row][i]) U[row][j]   for what is behind the panel,
// which is the Gram kernel with SIMD. Every entry loses its products one by one in row order, so the bits are those of
// cholesky.ts and do not depend on the size of a panel.

import { residentKernels, simdArray, simdScratch } from './gram-simd.js'

const PANEL = 8
/** Below it the plain factor is faster. */
const FEWEST_ROWS = 48
/** Room for matrices up to this size is kept from call to call. */
const MAX_KEPT = 640

const kept = simdScratch()

/** A pivot must be greater than `least` of the diagonal entry it began as; otherwise `fail` ends the work. */
export interface PivotCheck {
  readonly least: (diagonal: number) => number
  readonly fail: (pivot: number, row: number) => never
}

/** The lower factor; null: this machine has no SIMD, or the matrix is too small for them. */
export function choleskyWithSimd(matrix: Float64Array, n: number, { least, fail }: PivotCheck): Float64Array | null {
  if (n < FEWEST_ROWS) return null
  // Whole tiles; behind the last column stand zeros.
  const width = 4 * Math.ceil(n / 4)
  const length = (width + PANEL) * width
  const space = n <= MAX_KEPT ? kept(length) : simdArray(length)
  const lanes = residentKernels(space.buffer)
  if (lanes === undefined) return null
  const negative = width * width
  for (let i = 0; i < width; i++) {
    for (let j = i, at = i * width; j < width; j++) space[at + j] = i < n && j < n ? matrix[i * n + j]! : 0
  }
  for (let first = 0; first < n; first += PANEL) {
    const end = Math.min(n, first + PANEL)
    factorPanel(space, first, end, n, width, (pivot, row) => {
      if (!(pivot > least(matrix[row * n + row]!) && Number.isFinite(pivot))) fail(pivot, row)
    })
    if (end === n) break
    const from = first * width + end
    for (let row = 0; row < PANEL; row++) {
      for (let j = end, at = row * width; j < width; j++) space[negative + at + j] = -space[first * width + at + j]!
    }
    const address = (cell: number) => space.byteOffset + 8 * cell
    lanes.kernels.add(
      address(negative + end),
      address(from),
      PANEL,
      8 * width,
      8 * (width - end),
      address(end * width + end),
      8 * width,
    )
  }
  const lower = new Float64Array(n * n)
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) lower[i * n + j] = space[j * width + i]!
  return lower
}

/**
 * Rows first ... end - 1: each loses its products with the earlier ones of the panel, four at a time, and is divided by
 * its pivot's root.
 */
function factorPanel(
  u: Float64Array,
  first: number,
  end: number,
  n: number,
  width: number,
  check: (pivot: number, row: number) => void,
): void {
  for (let k = first; k < end; k++) {
    const own = k * width
    let row = first
    for (; row + 4 <= k; row += 4) {
      const r0 = row * width
      const r1 = r0 + width
      const r2 = r1 + width
      const r3 = r2 + width
      const f0 = u[r0 + k]!
      const f1 = u[r1 + k]!
      const f2 = u[r2 + k]!
      const f3 = u[r3 + k]!
      for (let j = k; j < n; j++) {
        u[own + j] = u[own + j]! - f0 * u[r0 + j]! - f1 * u[r1 + j]! - f2 * u[r2 + j]! - f3 * u[r3 + j]!
      }
    }
    for (; row < k; row++) {
      const factor = u[row * width + k]!
      for (let j = k, from = row * width; j < n; j++) u[own + j] = u[own + j]! - factor * u[from + j]!
    }
    const pivot = u[own + k]!
    check(pivot, k)
    const root = Math.sqrt(pivot)
    u[own + k] = root
    for (let j = k + 1; j < n; j++) u[own + j] = u[own + j]! / root
  }
}
