// Heteroscedastic residuals (method#distribution, option): the variance of z - g-hat(x) as s^2 exp(v(x)), v linear in the
// context columns and exp(v) of mean 1 over the rows it was fitted on. Fitted by Fisher scoring of the normal likelihood of
// squared residuals,
//   minimise sum [ y exp(-w) + w ] + ridge |slopes|^2 / 2,  w = a0 + a'x,  y = squared residual,
// each step a ridge regression of y exp(-w) - 1. The factor is kept within 1/16 to 16.

import { solveRidge, sumRows } from '@primo/numeric'

const STEPS = 12
const RIDGE = 4
export const LARGEST_FACTOR = 16

/** `x`: rows of `width` context columns. Returns v: intercept and slopes; null: nothing to fit. */
export function fitLogVariance(squares: Float64Array, x: Float64Array, width: number): readonly number[] | null {
  const rows = squares.length
  const mean = squares.reduce((sum, value) => sum + value, 0) / rows
  if (rows < 4 * (width + 1) || !(mean > 0)) return null
  const columns = width + 1
  const weights = new Float64Array(columns)
  weights[0] = Math.log(mean)
  const buffer = new Float64Array(rows * (columns + 1))
  const scratch = new Float64Array(0)
  const logOf = (row: number) => {
    let w = weights[0]!
    for (let k = 0; k < width; k++) w += weights[k + 1]! * x[row * width + k]!
    return w
  }
  for (let step = 0; step < STEPS; step++) {
    for (let row = 0; row < rows; row++) {
      const at = row * (columns + 1)
      buffer[at] = 1
      for (let k = 0; k < width; k++) buffer[at + 1 + k] = x[row * width + k]!
      // A residual far beyond its present variance must not throw the step off.
      buffer[at + columns] = Math.min(25, squares[row]! * Math.exp(-logOf(row))) - 1
    }
    const { coefficients } = solveRidge(sumRows(buffer, 0, rows, columns, null, 0, scratch), RIDGE)
    for (let k = 0; k < columns; k++) weights[k] = weights[k]! + coefficients[k]!
  }
  let factor = 0
  const centre = weights[0]!
  for (let row = 0; row < rows; row++) factor += Math.exp(logOf(row) - centre) / rows
  weights[0] = -Math.log(factor)
  const fitted = Array.from(weights)
  return fitted.every(Number.isFinite) ? fitted : null
}
