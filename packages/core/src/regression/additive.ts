// Sums of functions of one column each: f(x) = offset + sum_j f_j(x_j), every f_j in the class and with weighted mean 0, fitted by
// backfitting: f_j is the class's least squares fit of what the others leave, over and over, until nothing moves or PASSES are
// done. With one column it is the class's exact fit. Degrees of freedom: 1 + sum (dof_j - 1).

import { type Curve, compileCurve } from './curve.js'
import { type ColumnPoints, type CurveClass, columnPoints } from './curve-fit.js'
import type { Predictor, RegressionRows } from './regression.js'
import { checkedRows, targetMean } from './regression-rows.js'

export interface AdditiveModel {
  readonly kind: 'isotonic' | 'lipschitz' | 'convex' | 'spline'
  readonly columns: number
  readonly offset: number
  /** One curve per column. */
  readonly curves: readonly Curve[]
  readonly effectiveDimension: number
  /** Total weight of the rows fitted. */
  readonly weight: number
}

const PASSES = 25
const CHANGE = 1e-12

export function fitAdditive(kind: AdditiveModel['kind'], given: RegressionRows, fitter: CurveClass): AdditiveModel {
  const rows = checkedRows(given)
  const { columns, count, targets, weights } = rows
  const { weight, mean } = targetMean(rows)
  const parts = Array.from({ length: columns }, (_, k) => {
    const points = columnPoints(rows, k, fitter.mostPoints)
    return {
      points,
      fit: fitter.prepare(points.x, points.w),
      values: new Float64Array(points.x.length),
      curve: null as Curve | null,
      dof: 1,
    }
  })
  const single = columns === 1
  const offset = single ? 0 : mean
  const residuals = Float64Array.from({ length: count }, (_, i) => targets[i]! - offset)
  let size = 0
  for (let i = 0; i < count; i++) size = Math.max(size, Math.abs(targets[i]! - mean))
  for (let pass = 0; pass < (single ? 1 : PASSES); pass++) {
    let moved = 0
    for (const part of parts) {
      const { points, values } = part
      for (let i = 0; i < count; i++) residuals[i] = residuals[i]! + values[points.point[i]!]!
      const { y, within } = pointMeans(residuals, weights, points)
      const found = part.fit(y, within)
      const level = single ? 0 : weightedMean(found.values, points.w, weight)
      for (let k = 0; k < values.length; k++) {
        const value = found.values[k]! - level
        moved = Math.max(moved, Math.abs(value - values[k]!))
        values[k] = value
      }
      part.curve = moveCurve(found.curve, -level)
      part.dof = found.degreesOfFreedom
      for (let i = 0; i < count; i++) residuals[i] = residuals[i]! - values[points.point[i]!]!
    }
    if (moved <= CHANGE * size) break
  }
  return {
    kind,
    columns,
    offset,
    curves: parts.map(({ curve }) => curve!),
    effectiveDimension: parts.reduce((sum, { dof }) => sum + dof - 1, 1),
    weight,
  }
}

function pointMeans(
  residuals: Float64Array,
  weights: Float64Array | null,
  { x, w, point }: ColumnPoints,
): { y: Float64Array; within: number } {
  const y = new Float64Array(x.length)
  for (let i = 0; i < residuals.length; i++) {
    const k = point[i]!
    y[k] = y[k]! + (weights === null ? 1 : weights[i]!) * residuals[i]!
  }
  for (let k = 0; k < y.length; k++) y[k] = y[k]! / w[k]!
  let within = 0
  for (let i = 0; i < residuals.length; i++) {
    within += (weights === null ? 1 : weights[i]!) * (residuals[i]! - y[point[i]!]!) ** 2
  }
  return { y, within }
}

function weightedMean(values: Float64Array, w: Float64Array, weight: number): number {
  let sum = 0
  for (let k = 0; k < values.length; k++) sum += w[k]! * values[k]!
  return sum / weight
}

/** B-splines sum to 1 everywhere, so both kinds move by moving their numbers. */
function moveCurve(curve: Curve, by: number): Curve {
  if (by === 0) return curve
  return curve.kind === 'line'
    ? { ...curve, y: curve.y.map((value) => value + by) }
    : { ...curve, coefficients: curve.coefficients.map((value) => value + by) }
}

export function compileAdditive({ columns, offset, curves }: AdditiveModel): Predictor {
  const compiled = curves.map(compileCurve)
  const row = (inputs: Float64Array, at: number) => {
    let sum = offset
    for (let k = 0; k < columns; k++) sum += compiled[k]!(inputs[at + k]!)
    return sum
  }
  return {
    row,
    table: (inputs, count, out) => {
      for (let i = 0, at = 0; i < count; i++, at += columns) out[i] = row(inputs, at)
    },
  }
}
