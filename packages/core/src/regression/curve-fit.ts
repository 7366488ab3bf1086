// What a class of functions of one column is to the additive fit: points in, a curve out. Points are the distinct values of a
// column with the mean target and the total weight of their rows, which is all that least squares needs of them.

import { sortOrder } from '@primo/numeric'
import type { Curve } from './curve.js'
import type { RegressionRows } from './regression.js'

export interface CurveFit {
  readonly curve: Curve
  /** Fitted values at the points. */
  readonly values: Float64Array
  readonly degreesOfFreedom: number
}

/** Fits targets at fixed points; `within` is the weighted sum of squares of the rows around their point's mean. */
export type PointFitter = (y: Float64Array, within: number) => CurveFit

export interface CurveClass {
  /** Prepares whatever depends on x and weights alone. */
  readonly prepare: (x: Float64Array, w: Float64Array) => PointFitter
  /** Beyond so many distinct values, neighbours are joined at their weighted mean. */
  readonly mostPoints: number
}

export interface ColumnPoints {
  /** Distinct values, increasing. */
  readonly x: Float64Array
  readonly w: Float64Array
  /** The point of each row. */
  readonly point: Uint32Array
}

export function columnPoints(rows: RegressionRows, column: number, mostPoints: number): ColumnPoints {
  const { columns, count, inputs, weights } = rows
  const values = new Float64Array(count)
  for (let i = 0; i < count; i++) values[i] = inputs[i * columns + column]! + 0
  const order = sortOrder(values)
  let distinct = count > 0 ? 1 : 0
  for (let i = 1; i < count; i++) if (values[order[i]!] !== values[order[i - 1]!]) distinct++
  const low = values[order[0]!]!
  const high = values[order[count - 1]!]!
  const binned = distinct > mostPoints
  const x = new Float64Array(Math.min(distinct, mostPoints))
  const w = new Float64Array(x.length)
  const point = new Uint32Array(count)
  let last = -1
  let before = Number.NaN
  let bin = -1
  for (let i = 0; i < count; i++) {
    const row = order[i]!
    const value = values[row]!
    const own = binned ? Math.min(mostPoints - 1, Math.floor((mostPoints * (value - low)) / (high - low))) : -1
    if (binned ? own !== bin : value !== before) {
      last++
      bin = own
      before = value
    }
    const weight = weights === null ? 1 : weights[row]!
    point[row] = last
    w[last] = w[last]! + weight
    x[last] = binned ? x[last]! + weight * value : value
  }
  if (binned) for (let k = 0; k <= last; k++) x[k] = x[k]! / w[k]!
  return { x: x.subarray(0, last + 1), w: w.subarray(0, last + 1), point }
}
