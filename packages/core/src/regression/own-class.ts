// A function class that a user brings, as a regression: what it fitted is kept beside its name.

import { invalidOption, type Random } from '@primo/numeric'
import type { CodeOptions, OwnCode } from '../problem/own-code.js'
import type { Regression, RegressionRows } from './regression.js'
import { checkedRows, targetMean } from './regression-rows.js'

/** Rows to fit: inputs row-major, a target and a weight per row. At least two rows; every column varies. */
export interface ClassRows extends RegressionRows {
  /** How often a row counts, > 0. */
  readonly weights: Float64Array
}

/**
 * A function class of your own: it serves as a reward model (`oracle`) and as a correction (`calibration.class`). Inputs are rows of columns:
 * numbers scaled to [-1, 1], booleans 0 or 1, a column per level. Whatever was learnt is JSON.
 * @example
 * const mean: RegressionClass<number> = {
 *   kind: 'mean',
 *   version: '1',
 *   fit: ({ targets }) => targets.reduce((sum, y) => sum + y, 0) / targets.length,
 *   compile: (model) => () => model,
 * }
 * createLearner(problem, { oracle: mean })
 */
export interface RegressionClass<Model = unknown, Options = CodeOptions> extends OwnCode {
  /** Throws where the options are not right. */
  check?(options: Options): void
  /** Pure: the same rows and randomness give an equal model. */
  fit(rows: ClassRows, random: Random, options: Options): Model
  /** The prediction for the row of inputs that begins at inputs[at]; allocates nothing per row. */
  compile(model: Model): (inputs: Float64Array, at: number) => number
  /** About how many parameters the model has, for widths and gamma; default one per column and one. */
  dimension?(model: Model, rows: ClassRows): number
}

/** What a user's class fitted. */
export interface OwnModel {
  readonly kind: 'own'
  readonly class: string
  readonly version: string
  readonly columns: number
  readonly model: unknown
  readonly effectiveDimension: number
  readonly weight: number
}

export function ownRegression(own: RegressionClass, given: CodeOptions | undefined): Regression<OwnModel> {
  const options = { ...own.options, ...given }
  own.check?.(options)
  return {
    kind: own.kind,
    takesMissing: false,
    fit: (given, random) => {
      const checked = checkedRows(given)
      const rows = { ...checked, weights: checked.weights ?? new Float64Array(checked.count).fill(1) }
      const model = own.fit(rows, random, options)
      const effectiveDimension = own.dimension?.(model, rows) ?? rows.columns + 1
      if (!(effectiveDimension > 0 && Number.isFinite(effectiveDimension)))
        invalidOption(`dimension of class "${own.kind}"`, '> 0', effectiveDimension)
      const { weight } = targetMean(rows)
      const { kind, version } = own
      return { kind: 'own', class: kind, version, columns: rows.columns, model, effectiveDimension, weight }
    },
    compile: ({ model, columns }) => {
      const row = own.compile(model)
      return {
        row,
        table: (inputs, count, out) => {
          for (let i = 0; i < count; i++) out[i] = row(inputs, i * columns)
        },
      }
    },
    radius: () => null,
  }
}
