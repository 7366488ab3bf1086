// Local complexity of convex L-Lipschitz functions on [0, 1] with h(0) = 0: as for Lipschitz functions, by projections of
// eps/nu. Functions are piecewise linear between `knots` equally spaced knots kappa_k:
//   h(x) = -L x + c_0 x + sum_k c_k (x - kappa_k)^+,   c >= 0, sum c <= 2L   (slopes rise from -L + c_0 to at most L),
// so the projection is least squares over a simplex: accelerated projected gradient, stopped by the duality gap.
// Restricting to knots makes the answer a lower approximation; more knots change it little once their spacing is below
// the radius.

import { invalidOption, requireInteger } from '../errors.js'
import { symmetricEigen } from '../numeric/eigen.js'
import { gram } from '../numeric/gram.js'
import { projectToSimplex } from '../numeric/simplex.js'
import type { Random } from '../random/random.js'
import { requireAllFinite, requirePositive } from './legal-input.js'
import { curveComplexity, type LocalComplexity, requireDraws } from './local-complexity.js'

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
}

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
  const projection = convexProjection(points, lipschitz, knots)
  return curveComplexity({ rows: points.length, draws, grid, random, size: lipschitz }, projection)
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
  const steepest = Math.max(symmetricEigen(normal, p).values[p - 1]!, Number.MIN_VALUE)
  return (target) => {
    const side = new Float64Array(p)
    for (let i = 0, at = 0; i < rows; i++) {
      const value = target[i]! + lipschitz * points[i]!
      for (let k = 0; k < p; k++) side[k] = side[k]! + design[at++]! * value
    }
    const c = simplexLeastSquares(normal, side, p, steepest)
    const h = new Float64Array(rows)
    for (let i = 0, at = 0; i < rows; i++) {
      let sum = -lipschitz * points[i]!
      for (let k = 0; k < p; k++) sum += design[at++]! * c[k]!
      h[i] = sum
    }
    return h
  }
}

/** Minimises c'Ac/2 - b'c over c >= 0, sum c <= 1; the last entry of the iterate is the slack. */
function simplexLeastSquares(a: Float64Array, b: Float64Array, p: number, steepest: number): Float64Array {
  let c = new Float64Array(p + 1).fill(1 / (p + 1))
  let ahead = Float64Array.from(c)
  let momentum = 1
  const gradient = new Float64Array(p + 1)
  for (let step = 0; step < 2000; step++) {
    gradientAt(a, b, p, ahead, gradient)
    const next = ahead.map((value, k) => value - gradient[k]! / steepest)
    projectToSimplex(next, 0, p + 1)
    // Restart the momentum when it points uphill.
    let uphill = 0
    for (let k = 0; k <= p; k++) uphill += gradient[k]! * (next[k]! - c[k]!)
    const following = uphill > 0 ? 1 : (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2
    const push = uphill > 0 ? 0 : (momentum - 1) / following
    ahead = next.map((value, k) => value + push * (value - c[k]!))
    c = next
    momentum = following
    if (step % 20 === 19 && gap(a, b, p, c, gradient) <= 1e-6 * (1 + Math.abs(objective(a, b, p, c)))) break
  }
  return c
}

function gradientAt(a: Float64Array, b: Float64Array, p: number, c: Float64Array, out: Float64Array): void {
  for (let i = 0; i < p; i++) {
    let sum = -b[i]!
    for (let j = 0; j < p; j++) sum += a[i * p + j]! * c[j]!
    out[i] = sum
  }
  out[p] = 0
}

function objective(a: Float64Array, b: Float64Array, p: number, c: Float64Array): number {
  let sum = 0
  for (let i = 0; i < p; i++) {
    let row = 0
    for (let j = 0; j < p; j++) row += a[i * p + j]! * c[j]!
    sum += c[i]! * (row / 2 - b[i]!)
  }
  return sum
}

/** How far the objective can still fall at most: the gradient against the best vertex. */
function gap(a: Float64Array, b: Float64Array, p: number, c: Float64Array, gradient: Float64Array): number {
  gradientAt(a, b, p, c, gradient)
  let product = 0
  let least = 0
  for (let k = 0; k <= p; k++) {
    product += gradient[k]! * c[k]!
    least = Math.min(least, gradient[k]!)
  }
  return product - least
}
