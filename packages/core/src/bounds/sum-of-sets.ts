// The set of a mean over several cells of different rows, t = sum_c share_c t_c, from each cell's set (method#missing-set). Errors of cells
// are independent, so they add up as squares:
//   lower = sum share_c l0_c - sqrt(sum share_c^2 (l0_c - l_c)^2),   upper likewise,
// with [l0_c, u0_c] what the cell's estimates say without their errors and [l_c, u_c] with them. A limit of a cell that is no
// better than the range of the target has no error to add up: it enters as it is, as does a cell that alone contradicts itself.

import type { CellEquation } from './cells.js'
import { type MissingSet, setOf } from './equations.js'

/** Nearly none: estimates as they are. */
const NONE = 0.02

export function sumOfSets(cells: readonly CellEquation[], target: Float64Array, confidence: number): MissingSet {
  const range = { lower: Math.min(...target), upper: Math.max(...target) }
  let told = 0
  let agreeing = 0
  const lower = { sum: 0, squares: 0 }
  const upper = { sum: 0, squares: 0 }
  const add = (side: typeof lower, share: number, estimate: number | undefined, limit: number, free: number) => {
    if (estimate === undefined || limit === free) side.sum += share * limit
    else {
      side.sum += share * estimate
      side.squares += (share * (estimate - limit)) ** 2
    }
  }
  for (const { share, equation } of cells) {
    told += share
    const found = equation === null ? range : setOf([equation], target, confidence)
    if (found !== null) agreeing++
    const limits = found ?? range
    const estimate = equation === null ? null : setOf([equation], target, NONE)
    add(lower, share, estimate?.lower, limits.lower, range.lower)
    add(upper, share, estimate?.upper, limits.upper, range.upper)
  }
  if (agreeing === 0) return null
  const rest = Math.max(0, 1 - told)
  return {
    lower: Math.max(range.lower, lower.sum + rest * range.lower - Math.sqrt(lower.squares)),
    upper: Math.min(range.upper, upper.sum + rest * range.upper + Math.sqrt(upper.squares)),
  }
}
