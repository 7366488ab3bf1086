// The calibrated predictions of a table: g-hat = g~ + h of the whole fit, for every row, observed or not.

import type { Feature } from '@primo/core'
import { type Correction, compileCorrection } from '@primo/core/engine'
import { BLOCK_ROUNDS } from '@primo/numeric'
import type { TableCalibration } from './calibrate-table.js'
import { levelsOf } from './encode-column.js'
import type { EncodedTable } from './encode-table.js'
import { numberUnit } from './user-units.js'

export interface NamedColumn {
  readonly name: string
  /** NaN: an empty cell. */
  readonly values: Float64Array
}

/** The columns of the calibrated predictions: one, or one per level of a category. */
export function calibratedNames(feature: Feature, name = 'calibrated'): readonly string[] {
  return feature.type === 'category' ? levelsOf(feature).map((level) => `${name}=${level}`) : [name]
}

/** g-hat in the user's units for every row, NaN without a prediction; one column, or one per level of a category. */
export function calibratedColumns({ encoded, report }: TableCalibration, name = 'calibrated'): readonly NamedColumn[] {
  const { encoding, table, rowsOf } = encoded
  const { feature, width } = encoding.covariates[0]!
  const correct = corrector(encoded, report.correction.model)
  const decode = feature.type === 'number' ? numberUnit(feature).fromInside : (inside: number) => inside
  const columns = calibratedNames(feature, name).map((column) => ({
    name: column,
    values: new Float64Array(table.rows),
  }))
  for (let first = 0; first < table.rows; first += BLOCK_ROUNDS) {
    const size = Math.min(BLOCK_ROUNDS, table.rows - first)
    const { context, pretrained } = rowsOf(Uint32Array.from({ length: size }, (_, k) => first + k))
    for (let row = 0; row < size; row++) {
      if (!Number.isNaN(pretrained[row * width]))
        correct?.(context, row * encoding.contextWidth, pretrained, row * width)
      for (let k = 0; k < width; k++) columns[k]!.values[first + row] = decode(pretrained[row * width + k]!)
    }
  }
  return columns
}

function corrector({ encoding }: EncodedTable, model: Correction | null) {
  return model === null ? null : compileCorrection(model, encoding.context, encoding.covariates[0]!, 'range')
}
