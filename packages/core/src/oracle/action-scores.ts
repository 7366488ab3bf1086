// The linear model's score of one action per row, the one that was taken, for rows whose covariates are tried with several values.

import type { ResidualMoments } from '../residuals/residual-moments.js'
import { compileDesignRows, designColumns, hasPlainColumns } from './design.js'
import type { LinearModel } from './linear-model.js'
import type { InputRow } from './oracle.js'

/** f-hat of each row's own action, for rows in which only the features from some column on are tried with other values. */
export interface ActionScores {
  /** phi of the rows as they were scored last, row-major. */
  readonly features: Float64Array
  /** Takes up rows 0 ... count - 1: what comes before that column is summed once. */
  readonly begin: (input: InputRow, count: number, action: Uint16Array) => void
  /** Writes f-hat of the rows taken up to `out`, clipped. The bits are those of `scores`. */
  readonly score: (input: InputRow, out: Float64Array) => void
}

/** For at most `most` rows; covariate columns from `firstCovariate` on may change between two scores. */
export function compileActionScores(
  model: LinearModel,
  spread: readonly ResidualMoments[],
  firstCovariate: number,
  most: number,
): ActionScores {
  const { design } = model
  const columns = designColumns(design)
  const { contextWidth: p, covariateWidth: m } = design
  const write = compileDesignRows(design, spread)
  const plain = hasPlainColumns(design)
  // Columns before it are the same whatever is tried; where there are products all are written each time.
  const first = plain ? 1 + p + firstCovariate : 0
  const theta = Float64Array.from(model.coefficients.flat())
  const min = model.clip?.min ?? Number.NEGATIVE_INFINITY
  const max = model.clip?.max ?? Number.POSITIVE_INFINITY
  const features = new Float64Array(most * columns)
  const heads = new Float64Array(most)
  /** Where theta of a row's action begins. */
  const own = new Int32Array(most)
  let rows = 0
  return {
    features,
    begin: (input, count, action) => {
      rows = count
      if (plain) write(input, null, 0, count, features, columns, null)
      for (let row = 0, at = 0; row < count; row++, at += columns) {
        const t = action[row]! * columns
        own[row] = t
        let head = 0
        for (let k = 0; k < first; k++) head += theta[t + k]! * features[at + k]!
        heads[row] = head
      }
    },
    score: (input, out) => {
      if (!plain) write(input, null, 0, rows, features, columns, null)
      const { covariates } = input
      for (let row = 0, at = 0; row < rows; row++, at += columns) {
        const t = own[row]!
        let value = heads[row]!
        for (let k = first; k < columns; k++) {
          if (plain) features[at + k] = covariates[row * m + k - 1 - p]!
          value += theta[t + k]! * features[at + k]!
        }
        out[row] = value < min ? min : value > max ? max : value
      }
    },
  }
}
