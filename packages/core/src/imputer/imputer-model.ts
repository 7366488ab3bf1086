// The fitted correction of one pre-trained model as frozen data: z = g~ + c(g~, x), where the value is missing.

import { columnCount, compileColumns, type ModelColumns } from '../model/columns.js'
import type { EncodedFeature } from '../problem/encoding.js'

/** The correction of one column of a covariate. */
export interface ImputerPart {
  readonly columns: ModelColumns
  readonly coefficients: readonly number[]
  /** Variance of what it leaves open, inside units. */
  readonly variance: number
}

export interface ImputerModel {
  readonly kind: 'imputer'
  readonly class: 'linear'
  readonly points?: readonly number[]
  /** By column of the covariate. */
  readonly parts: readonly ImputerPart[]
  /** Moments of what the imputation leaves open: 1, 0, and the mean variance over the parts. */
  readonly moments: readonly number[]
}

/** Adds c to the pre-trained values at values[to ...], for the context row at x[at]. */
export function imputerAdder(
  { parts }: ImputerModel,
  context: readonly EncodedFeature[],
): (x: Float64Array, at: number, values: Float64Array, to: number) => void {
  const width = parts.length
  const p = context.reduce((sum, feature) => sum + feature.width, 0)
  const compiled = parts.map(({ columns, coefficients }) => ({
    write: compileColumns(columns),
    theta: Float64Array.from(coefficients),
    phi: new Float64Array(columnCount(columns)),
  }))
  const said = new Float64Array(width)
  const raw = new Float64Array(width + p + 1)
  const missing = new Float64Array(1).fill(1)
  const spread = new Float64Array(1)
  return (x, at, values, to) => {
    for (let k = 0; k < width; k++) said[k] = values[to + k]!
    for (let k = 0; k < width; k++) {
      const { write, theta, phi } = compiled[k]!
      for (let i = 0; i < width; i++) raw[i] = said[i]!
      for (let i = 0; i < p; i++) raw[width + i] = x[at + i]!
      write(raw, missing, spread, phi, 0)
      let sum = said[k]!
      for (let i = 0; i < phi.length; i++) sum += theta[i]! * phi[i]!
      values[to + k] = sum
    }
  }
}
