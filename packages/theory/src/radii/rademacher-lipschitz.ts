// Local complexity of L-Lipschitz functions on [0, 1] with h(0) = 0 (method#critical-radius). For a sign vector eps
//   maximise (1/N) sum eps_i h_i - (nu/2)(1/N) sum h_i^2   over   |h_{i+1} - h_i| <= L (x_{i+1} - x_i), |h_1| <= L x_1,
// which is the projection of eps/nu onto the chain constraints; nu runs over a grid, each nu gives one point (norm,
// value) of the concave curve t -> supremum, and chords join them. The norm is that of the sample.

import type { Random } from '@primo/numeric'
import { invalidOption, projectChain, requireAllFinite, requireInteger, requirePositive } from '@primo/numeric'
import { curveComplexity, type LocalComplexity, requireDraws } from './local-complexity.js'

/** A sample, and a class of Lipschitz functions. */
export interface LipschitzComplexityOptions {
  /** Points in [0, 1], in any order. */
  readonly points: Float64Array
  readonly lipschitz: number
  readonly random: Random
  /** Default 200. */
  readonly draws?: number
  /** Points on the curve per sign vector, default 48. */
  readonly grid?: number
}

/** Local complexity of Lipschitz functions on [0, 1]. */
export function lipschitzComplexity(options: LipschitzComplexityOptions): LocalComplexity {
  const { points, lipschitz, random, draws = 200, grid = 48 } = options
  requirePositive('lipschitz', lipschitz)
  requireInteger('points.length', points.length, 1)
  requireAllFinite('points', points)
  requireDraws(draws)
  requireInteger('grid', grid, 2)
  const sorted = points.slice().sort()
  if (sorted[0]! < 0 || sorted.at(-1)! > 1)
    invalidOption('points', 'in [0, 1]', sorted[0]! < 0 ? sorted[0] : sorted.at(-1))
  const reach = sorted.map((x, i) => lipschitz * (i === 0 ? x : x - sorted[i - 1]!))
  return curveComplexity({ rows: sorted.length, draws, grid, random, size: lipschitz }, (target) =>
    projectChain(target, reach),
  )
}
