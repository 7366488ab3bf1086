// A fit that always gives something, for learners whose first rows are few: columns that do not vary are left out (they come back as
// soon as they do), and with fewer than two rows, or no column left, the model is the mean target, or the start where there is none.

import type { Random } from '@primo/numeric'
import { compileConstant } from './constant.js'
import type { Predictor, Regression, RegressionModel, RegressionRows } from './regression.js'
import { targetMean } from './regression-rows.js'

/** A fitted model and the columns that it reads. */
export interface UsableModel {
  /** Columns of the inputs that the model reads, in its order. */
  readonly columns: readonly number[]
  readonly model: RegressionModel
}

export interface UsableFit {
  readonly fitted: UsableModel
  readonly predictor: Predictor
}

export interface UsableOptions {
  /** Fits log odds of targets 0 and 1, where the class has such a fit. */
  readonly logOdds?: boolean
  /** Prediction where there is nothing to learn from; default: the rows' start, else 0. */
  readonly otherwise?: number
  /** The model of the fit before, where there is one. */
  readonly before?: RegressionModel | undefined
}

/** Fits on the columns that vary; gives a constant where nothing can be learnt. */
export function fitUsable(
  regression: Regression,
  rows: RegressionRows,
  random: Random,
  { logOdds = false, otherwise, before }: UsableOptions = {},
): UsableFit {
  const columns = usableColumns(rows)
  const { weight, mean } = targetMean(rows)
  let positive = 0
  for (let i = 0; i < rows.count; i++) if (rows.weights === null || rows.weights[i]! > 0) positive++
  if (positive < 2 || columns.length === 0) {
    // Toward the start by one row's weight, so that a single row does not decide alone.
    const start = otherwise ?? rows.start ?? (weight > 0 ? mean : 0)
    const value = weight > 0 && !logOdds ? (weight * mean + start) / (weight + 1) : start
    const model = { kind: 'constant', value, effectiveDimension: 1, weight } as const
    return { fitted: { columns, model }, predictor: compileConstant(model) }
  }
  const chosen =
    columns.length === rows.columns ? rows : { ...rows, columns: columns.length, inputs: narrowed(rows, columns) }
  const model = logOdds ? regression.fitLogOdds!(chosen, random) : regression.fit(chosen, random, before)
  const fitted = { columns, model }
  return { fitted, predictor: compileUsable(fitted, regression.compile(model), rows.columns) }
}

/** A predictor that reads rows with all columns. */
export function compileUsable({ columns }: UsableModel, predictor: Predictor, width: number): Predictor {
  if (columns.length === width || columns.length === 0) return predictor
  const chosen = Int32Array.from(columns)
  const narrow = new Float64Array(chosen.length)
  const row = (inputs: Float64Array, at: number) => {
    for (let k = 0; k < chosen.length; k++) narrow[k] = inputs[at + chosen[k]!]!
    return predictor.row(narrow, 0)
  }
  return {
    row,
    table: (inputs, count, out) => {
      for (let i = 0, at = 0; i < count; i++, at += width) out[i] = row(inputs, at)
    },
  }
}

function usableColumns({ columns, count, inputs, weights }: RegressionRows): number[] {
  const usable: number[] = []
  for (let k = 0; k < columns; k++) {
    let first = Number.NaN
    let seen = false
    for (let i = 0; i < count; i++) {
      if (weights !== null && weights[i] === 0) continue
      const value = inputs[i * columns + k]!
      if (!seen) {
        first = value
        seen = true
      } else if (!Object.is(value + 0, first + 0)) {
        usable.push(k)
        break
      }
    }
  }
  return usable
}

function narrowed({ columns, count, inputs }: RegressionRows, chosen: readonly number[]): Float64Array {
  const out = new Float64Array(count * chosen.length)
  for (let i = 0, to = 0; i < count; i++) for (const k of chosen) out[to++] = inputs[i * columns + k]!
  return out
}
