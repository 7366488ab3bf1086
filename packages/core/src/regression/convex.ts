// Convex (or concave) L-Lipschitz functions of one column, by a quadratic programme on bins. With t_1 < ... < t_m the weighted mean
// inputs of m bins, every convex function with slopes in [-L, L] that bends at the t_j only is
//   h(x) = a - L x + 2 L sum_j c_j (x - t_j)^+,   c on the simplex (what is left over bends beyond t_m),
// so least squares over them is least squares over a simplex, solved exactly by an active set (simplex-least-squares.ts).
// Binning is the only approximation. Degrees of freedom: bends in use and the level. Several columns: a sum of such functions.

import { invalidOption, leastSquaresOnSimplex, requireInteger, requireOptions } from '@primo/numeric'
import { convexLipschitzRadius } from '@primo/theory'
import { type AdditiveModel, compileAdditive, fitAdditive } from './additive.js'
import type { CurveClass, CurveFit, PointFitter } from './curve-fit.js'
import { requireBound } from './lipschitz.js'
import type { Regression } from './regression.js'

export interface ConvexOptions {
  readonly kind: 'convex'
  /** L > 0. */
  readonly bound: number
  /** Default 'convex'. */
  readonly shape?: 'convex' | 'concave'
  /** Bins of equal width between the smallest and the largest input; default 200. */
  readonly bins?: number
}

export function convexRegression(options: ConvexOptions): Regression<AdditiveModel> {
  requireOptions('convex', options, ['kind', 'bound', 'shape', 'bins'])
  const { bound, shape = 'convex', bins = 200 } = options
  requireBound('convex.bound', bound)
  requireInteger('convex.bins', bins, 2)
  if (shape !== 'convex' && shape !== 'concave') invalidOption('convex.shape', '"convex" or "concave"', shape)
  const curves: CurveClass = { mostPoints: bins, prepare: (x, w) => prepareConvex(x, w, bound, shape) }
  return {
    kind: 'convex',
    takesMissing: false,
    fit: (rows) => fitAdditive('convex', rows, curves),
    compile: compileAdditive,
    radius: (columns, rows, constant16) =>
      columns === 1 ? convexLipschitzRadius({ lipschitz: bound, rows, constant16 }).radius : null,
  }
}

function prepareConvex(x: Float64Array, w: Float64Array, bound: number, shape: 'convex' | 'concave'): PointFitter {
  const m = x.length
  // Hinge j is (x - t_j)^+ for j < m; hinge m - 1 vanishes on all points and stands for bends beyond them.
  const total = w.reduce((sum, value) => sum + value, 0)
  const hinges = new Float64Array(m * m)
  for (let j = 0; j < m; j++) {
    let mean = 0
    for (let i = j + 1; i < m; i++) {
      hinges[j * m + i] = 2 * bound * (x[i]! - x[j]!)
      mean += w[i]! * hinges[j * m + i]!
    }
    mean /= total
    for (let i = 0; i < m; i++) hinges[j * m + i] = hinges[j * m + i]! - mean
  }
  const gram = new Float64Array(m * m)
  for (let j = 0; j < m; j++) {
    for (let k = j; k < m; k++) {
      let sum = 0
      for (let i = 0; i < m; i++) sum += w[i]! * hinges[j * m + i]! * hinges[k * m + i]!
      gram[j * m + k] = sum
      gram[k * m + j] = sum
    }
  }
  const sign = shape === 'convex' ? 1 : -1
  return (y) => {
    const target = new Float64Array(m)
    let mean = 0
    for (let i = 0; i < m; i++) {
      target[i] = sign * y[i]! + bound * x[i]!
      mean += w[i]! * target[i]!
    }
    mean /= total
    const product = new Float64Array(m)
    for (let j = 0; j < m; j++) {
      for (let i = 0; i < m; i++) product[j] = product[j]! + w[i]! * hinges[j * m + i]! * (target[i]! - mean)
    }
    const c = leastSquaresOnSimplex(gram, product, m - 1)
    return curveOf(x, hinges, c, { bound, mean, sign })
  }
}

function curveOf(
  x: Float64Array,
  hinges: Float64Array,
  c: Float64Array,
  { bound, mean, sign }: { readonly bound: number; readonly mean: number; readonly sign: number },
): CurveFit {
  const m = x.length
  const values = new Float64Array(m)
  const inUse: number[] = []
  for (let j = 0; j < m; j++) if (c[j]! > 0) inUse.push(j)
  for (let i = 0; i < m; i++) {
    let sum = mean - bound * x[i]!
    for (const j of inUse) sum += c[j]! * hinges[j * m + i]!
    values[i] = sign * sum
  }
  const knots = [...new Set([0, ...inUse, m - 1])].sort((a, b) => a - b)
  return {
    curve: { kind: 'line', x: knots.map((j) => x[j]!), y: knots.map((j) => values[j]!), beyond: 'linear' },
    values,
    degreesOfFreedom: inUse.length,
  }
}
