// The linear model's score of one action per row, the one that was taken, for rows whose covariates are tried with several values.

import type { ResidualMoments } from '../residuals/residual-moments.js'
import { designColumns, hasPlainColumns } from './design.js'
import type { LinearModel } from './linear-model.js'
import type { InputRow } from './oracle.js'
import { compileDesignRows, type RowsWriter } from './write-design.js'

/** f-hat of each row's own action, for rows in which only the features from some column on are tried with other values. */
export interface ActionScores {
  /** phi of the rows as they were scored last, row-major. */
  readonly features: Float64Array
  /** Takes up rows 0 ... count - 1: what comes before that column is summed once. */
  readonly begin: (input: InputRow, count: number, action: Uint16Array) => void
  /** Writes f-hat of the rows taken up to `out`, clipped. The bits are those of `scores`. */
  readonly score: (input: InputRow, out: Float64Array) => void
}

/** What scoring reads and writes, for at most so many rows. */
interface Scored {
  readonly columns: number
  readonly contextWidth: number
  readonly covariateWidth: number
  readonly write: RowsWriter
  readonly plain: boolean
  /** Columns before it are the same whatever is tried; where there are products all are written each time. */
  readonly first: number
  readonly theta: Float64Array
  readonly min: number
  readonly max: number
  readonly features: Float64Array
  readonly heads: Float64Array
  /** Where theta of a row's action begins. */
  readonly own: Int32Array
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
  const { contextWidth, covariateWidth } = design
  const plain = hasPlainColumns(design)
  const features = new Float64Array(most * columns)
  const scored: Scored = {
    columns,
    contextWidth,
    covariateWidth,
    write: compileDesignRows(design, spread),
    plain,
    first: plain ? 1 + contextWidth + firstCovariate : 0,
    theta: Float64Array.from(model.coefficients.flat()),
    min: model.clip?.min ?? Number.NEGATIVE_INFINITY,
    max: model.clip?.max ?? Number.POSITIVE_INFINITY,
    features,
    heads: new Float64Array(most),
    own: new Int32Array(most),
  }
  let rows = 0
  return {
    features,
    begin: (input, count, action) => {
      rows = count
      begin(scored, input, count, action)
    },
    score: (input, out) => score(scored, input, rows, out),
  }
}

function begin(scored: Scored, input: InputRow, count: number, action: Uint16Array): void {
  const { columns, write, plain, first, theta, features, heads, own } = scored
  if (plain) write(input, null, 0, count, features, columns, null)
  for (let row = 0, at = 0; row < count; row++, at += columns) {
    const t = action[row]! * columns
    own[row] = t
    let head = 0
    for (let k = 0; k < first; k++) head += theta[t + k]! * features[at + k]!
    heads[row] = head
  }
}

function score(scored: Scored, input: InputRow, rows: number, out: Float64Array): void {
  const { columns, contextWidth: p, covariateWidth: m, write, plain } = scored
  const { first, theta, min, max, features, heads, own } = scored
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
}
