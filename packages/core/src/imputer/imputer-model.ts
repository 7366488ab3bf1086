// The fitted correction of one pre-trained model as frozen data: z = g~ + c(g~, x), where the value is missing.

import type { EncodedFeature } from '../problem/encoding.js'
import { columnCount, compileColumns, type ModelColumns } from '../model/columns.js'

export interface ImputerModel {
  readonly kind: 'imputer'
  readonly class: 'linear'
  readonly points?: readonly number[]
  readonly columns: ModelColumns
  /** One list of coefficients per column of the covariate. */
  readonly coefficients: readonly (readonly number[])[]
  /** Moments of what the imputation leaves open: 1, 0, and the mean variance over the covariate's columns; inside units. */
  readonly moments: readonly number[]
  /** Rows that it was learnt from. */
  readonly rows: number
}

/** Adds c to the pre-trained values at values[to ...], for the context row at x[at]. */
export function imputerAdder(
  { columns, coefficients }: ImputerModel,
  context: readonly EncodedFeature[],
): (x: Float64Array, at: number, values: Float64Array, to: number) => void {
  const width = coefficients.length
  const p = context.reduce((sum, feature) => sum + feature.width, 0)
  const write = compileColumns(columns)
  const count = columnCount(columns)
  const theta = Float64Array.from(coefficients.flat())
  const raw = new Float64Array(width + p + 1)
  const missing = new Float64Array(1).fill(1)
  const spread = new Float64Array(1)
  const phi = new Float64Array(count)
  return (x, at, values, to) => {
    for (let k = 0; k < width; k++) raw[k] = values[to + k]!
    for (let k = 0; k < p; k++) raw[width + k] = x[at + k]!
    write(raw, missing, spread, phi, 0)
    for (let k = 0, from = 0; k < width; k++) {
      let sum = values[to + k]!
      for (let i = 0; i < count; i++) sum += theta[from++]! * phi[i]!
      values[to + k] = sum
    }
  }
}
