// Local complexity of convex L-Lipschitz functions on [0, 1] with h(0) = 0: as for Lipschitz functions, by projections
// of eps/nu. Functions are piecewise linear between `knots` equally spaced knots kappa_k:
//   h(x) = -L x + c_0 x + sum_k c_k (x - kappa_k)^+,   c >= 0, sum c <= 2L   (slopes rise from -L + c_0 to at most L),
// so the projection is least squares over a simplex (nonnegative-least-squares.ts). Restricting to knots makes the
// answer a lower approximation; more knots change it little once a function of the radius's size cannot bend between
// two of them. The centre matters: around a straight line the class is locally small (nearly parametric), around a
// strictly convex function it is as large as its entropy says.

import type { Random } from '@primo/numeric'
import {
  gram,
  invalidOption,
  requireAllFinite,
  requireInteger,
  requireLength,
  requirePositive,
  simplexLeastSquares,
} from '@primo/numeric'
import { curveComplexity, type LocalComplexity, requireDraws } from './local-complexity.js'

/** A sample, and a class of convex Lipschitz functions. */
export interface ConvexComplexityOptions {
  /** Points in [0, 1], in any order. */
  readonly points: Float64Array
  readonly lipschitz: number
  readonly random: Random
  /** Default 100. */
  readonly draws?: number
  /** Points on the curve per sign vector, default 32. */
  readonly grid?: number
  /** Default 24. */
  readonly knots?: number
  /** f* at the points, default 0; it is replaced by the nearest function of the class. */
  readonly centre?: Float64Array
}

/** Local complexity of convex Lipschitz functions on [0, 1]. */
export function convexLipschitzComplexity(options: ConvexComplexityOptions): LocalComplexity {
  const { points, lipschitz, random, draws = 100, grid = 32, knots = 24 } = options
  requirePositive('lipschitz', lipschitz)
  requireInteger('points.length', points.length, 1)
  requireAllFinite('points', points)
  requireDraws(draws)
  requireInteger('grid', grid, 2)
  requireInteger('knots', knots, 1)
  const outside = points.find((x) => x < 0 || x > 1)
  if (outside !== undefined) invalidOption('points', 'in [0, 1]', outside)
  const project = convexProjection(points, lipschitz, knots)
  const given = options.centre ?? new Float64Array(points.length)
  requireLength('centre', given.length, points.length)
  const centre = project(given)
  const around = (target: Float64Array): Float64Array =>
    project(target.map((value, i) => value + centre[i]!)).map((value, i) => value - centre[i]!)
  return curveComplexity({ rows: points.length, draws, grid, random, size: lipschitz }, around)
}

/** Projection onto the class's values at `points`. */
export function convexProjection(
  points: Float64Array,
  lipschitz: number,
  knots: number,
): (target: Float64Array) => Float64Array {
  const rows = points.length
  const p = knots
  const design = new Float64Array(rows * p)
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < p; k++) design[i * p + k] = 2 * lipschitz * Math.max(0, points[i]! - k / p)
  }
  const normal = new Float64Array(p * p)
  gram(design, design, rows, p, normal)
  for (let i = 0; i < p; i++) for (let j = 0; j < i; j++) normal[i * p + j] = normal[j * p + i]!
  return (target) => {
    const side = new Float64Array(p)
    for (let i = 0, at = 0; i < rows; i++) {
      const value = target[i]! + lipschitz * points[i]!
      for (let k = 0; k < p; k++) side[k] = side[k]! + design[at++]! * value
    }
    const c = simplexLeastSquares(normal, side)
    const h = new Float64Array(rows)
    for (let i = 0, at = 0; i < rows; i++) {
      let sum = -lipschitz * points[i]!
      for (let k = 0; k < p; k++) sum += design[at++]! * c[k]!
      h[i] = sum
    }
    return h
  }
}
