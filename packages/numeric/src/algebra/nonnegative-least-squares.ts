// min c'Ac/2 - b'c over c >= 0 and, optionally, sum c <= 1, by the active-set method of Lawson and Hanson: the free set
// grows by the entry with the largest gradient and shrinks by the first entry that would turn negative. Ends at the
// optimality conditions: c >= 0, Ac - b >= 0, c'(Ac - b) = 0 (to `tolerance`). The sum constraint enters as a stiff
// penalty (sum c - 1)^2 when the free solution violates it; what is left of the violation is scaled away.

import { cholesky, solveCholesky } from './cholesky.js'

const STIFFNESS = 1e6

/** Minimiser over c >= 0; A is symmetric positive semidefinite, p x p, row-major. */
export function nonnegativeLeastSquares(a: Float64Array, b: Float64Array): Float64Array {
  const p = b.length
  let scale = 0
  for (let i = 0; i < p; i++) scale = Math.max(scale, a[i * p + i]!, Math.abs(b[i]!))
  const tolerance = 1e-11 * scale
  const c = new Float64Array(p)
  const free: number[] = []
  // Entries that could not be added because they are linear combinations of free ones.
  const dependent = new Set<number>()
  for (let step = 0; step < 20 * p; step++) {
    const entering = steepest(a, b, c, free, dependent, tolerance)
    if (entering < 0) break
    free.push(entering)
    if (!settle(a, b, c, free, entering)) dependent.add(entering)
  }
  return c
}

/** Minimiser over c >= 0, sum c <= 1. */
export function simplexLeastSquares(a: Float64Array, b: Float64Array): Float64Array {
  const p = b.length
  const open = nonnegativeLeastSquares(a, b)
  if (total(open) <= 1) return open
  let largest = 0
  for (let i = 0; i < p; i++) largest = Math.max(largest, a[i * p + i]!, Math.abs(b[i]!))
  const weight = STIFFNESS * largest
  const closed = nonnegativeLeastSquares(
    a.map((value) => value + weight),
    b.map((value) => value + weight),
  )
  const sum = total(closed)
  return sum > 1 ? closed.map((value) => value / sum) : closed
}

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** The bound entry along which the objective falls fastest; -1 when none does. */
function steepest(
  a: Float64Array,
  b: Float64Array,
  c: Float64Array,
  free: readonly number[],
  dependent: ReadonlySet<number>,
  tolerance: number,
): number {
  const p = b.length
  let best = -1
  let most = tolerance
  for (let j = 0; j < p; j++) {
    if (free.includes(j) || dependent.has(j)) continue
    let fall = b[j]!
    for (const k of free) fall -= a[j * p + k]! * c[k]!
    if (fall > most) {
      most = fall
      best = j
    }
  }
  return best
}

/**
 * Moves to the minimiser over the free entries, dropping those that reach 0; false when the last one cannot be free.
 */
function settle(a: Float64Array, b: Float64Array, c: Float64Array, free: number[], entering: number): boolean {
  const p = b.length
  while (free.length > 0) {
    const n = free.length
    const matrix = new Float64Array(n * n)
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) matrix[i * n + j] = a[free[i]! * p + free[j]!]!
    let solved: Float64Array
    try {
      solved = solveCholesky(
        cholesky(matrix, n),
        n,
        Float64Array.from(free, (j) => b[j]!),
      )
    } catch {
      free.splice(free.indexOf(entering), 1)
      c[entering] = 0
      return false
    }
    let step = 1
    for (let i = 0; i < n; i++) {
      const from = c[free[i]!]!
      if (solved[i]! <= 0) step = Math.min(step, from / (from - solved[i]!))
    }
    if (Number.isNaN(step)) step = 0
    const leaving: number[] = []
    for (let i = 0; i < n; i++) {
      const j = free[i]!
      const value = c[j]! + step * (solved[i]! - c[j]!)
      c[j] = value
      if (step < 1 && solved[i]! <= 0 && value <= 1e-14 * (1 + Math.abs(solved[i]!))) leaving.push(j)
    }
    if (step === 1) return true
    for (const j of leaving) {
      c[j] = 0
      free.splice(free.indexOf(j), 1)
    }
    if (leaving.includes(entering) || leaving.length === 0) return false
  }
  return true
}
