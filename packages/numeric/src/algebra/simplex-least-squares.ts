// min c'Ac/2 - b'c over the simplex c >= 0, sum c = 1, exactly, by an active set: the free set grows by the entry with
// the smallest gradient and shrinks by the first entry that would turn negative. Ends at the optimality conditions: all
// free entries have the same gradient, no other a smaller one (to 1e-12 of the scale). The free set stays small where
// few entries are needed, and then a step costs little even for many entries.

import { PrimoError } from '../errors.js'
import { cholesky, solveCholesky } from './cholesky.js'

/** A is symmetric positive semidefinite, p x p, row-major; `first` is the entry that starts with all the weight. */
export function leastSquaresOnSimplex(a: Float64Array, b: Float64Array, first: number): Float64Array {
  const p = b.length
  let scale = 0
  for (let i = 0; i < p; i++) scale = Math.max(scale, a[i * p + i]!, Math.abs(b[i]!))
  const tolerance = 1e-12 * scale
  const c = new Float64Array(p)
  c[first] = 1
  const free = [first]
  // Entries that are combinations of free ones; they are looked at again when the free set shrinks.
  const dependent = new Set<number>()
  const gradient = new Float64Array(p)
  for (let step = 0; step < 50 * p; step++) {
    for (let i = 0; i < p; i++) {
      let sum = -b[i]!
      for (const j of free) sum += a[i * p + j]! * c[j]!
      gradient[i] = sum
    }
    let level = Number.NEGATIVE_INFINITY
    for (const j of free) level = Math.max(level, gradient[j]!)
    let entering = -1
    for (let i = 0; i < p; i++) {
      if (gradient[i]! >= level - tolerance || free.includes(i) || dependent.has(i)) continue
      if (entering < 0 || gradient[i]! < gradient[entering]!) entering = i
    }
    if (entering < 0) return c
    free.push(entering)
    if (!settle(a, b, c, free, entering)) dependent.add(entering)
    else dependent.clear()
  }
  return c
}

/** Moves c to the minimiser over its free entries, dropping those that turn 0; false: the new entry adds nothing. */
function settle(a: Float64Array, b: Float64Array, c: Float64Array, free: number[], entering: number): boolean {
  for (;;) {
    const target = minimiser(a, b, free)
    if (target === null) {
      free.splice(free.indexOf(entering), 1)
      c[entering] = 0
      return false
    }
    let share = 1
    let leaving = -1
    free.forEach((j, k) => {
      if (target[k]! > 0) return
      const own = c[j]! / (c[j]! - target[k]!)
      // The entry that just came has nothing to lose yet: it goes first.
      if (own < share || leaving < 0) {
        share = own
        leaving = k
      }
    })
    if (leaving < 0) {
      free.forEach((j, k) => {
        c[j] = target[k]!
      })
      return true
    }
    free.forEach((j, k) => {
      c[j] = Math.max(0, c[j]! + share * (target[k]! - c[j]!))
    })
    const gone = free[leaving]!
    c[gone] = 0
    free.splice(leaving, 1)
    if (gone === entering) return false
    if (free.length === 1) {
      c[free[0]!] = 1
      return true
    }
  }
}

/** Least squares over the free entries with sum 1: the first is what the others leave. */
function minimiser(a: Float64Array, b: Float64Array, free: readonly number[]): Float64Array | null {
  const p = b.length
  const m = free.length - 1
  const base = free[0]!
  const matrix = new Float64Array(m * m)
  const right = new Float64Array(m)
  const corner = a[base * p + base]!
  for (let i = 0; i < m; i++) {
    const row = free[i + 1]!
    right[i] = b[row]! - b[base]! - a[row * p + base]! + corner
    for (let j = 0; j < m; j++) {
      const column = free[j + 1]!
      matrix[i * m + j] = a[row * p + column]! - a[row * p + base]! - a[base * p + column]! + corner
    }
  }
  let solved: Float64Array
  try {
    solved = solveCholesky(cholesky(matrix, m), m, right)
  } catch (error) {
    if (error instanceof PrimoError && error.code === 'not-positive-definite') return null
    throw error
  }
  const out = new Float64Array(m + 1)
  let rest = 1
  for (let i = 0; i < m; i++) {
    out[i + 1] = solved[i]!
    rest -= solved[i]!
  }
  out[0] = rest
  return out
}
