// A function class as a regression: rows, targets and weights in, a frozen JSON-safe model out. One file per class; the same
// class serves rewards (f), missingness (e) and corrections (h). Every class keeps the laws in regression.laws.ts. A weight
// counts how often a row is there: a doubled weight is a repeated row.

import type { Random } from '@primo/numeric'
import type { AdditiveModel } from './additive.js'
import type { ConstantModel } from './constant.js'
import type { KernelModel } from './kernel-model.js'
import type { LipschitzModel } from './lipschitz-surrogate.js'
import type { NetworkModel } from './network-model.js'
import type { OwnModel } from './own-class.js'
import type { RidgeModel } from './ridge.js'
import type { SelectedModel } from './selector.js'
import type { TreesModel } from './trees-model.js'

/** Rows of inputs with their targets and weights. */
export interface RegressionRows {
  readonly columns: number
  readonly count: number
  /** Row-major, count x columns. */
  readonly inputs: Float64Array
  readonly targets: Float64Array
  /** null: all 1. A row of weight 0 is as good as absent. */
  readonly weights: Float64Array | null
  /** What the fit shrinks to and starts from; absent: the mean of the targets. A correction starts from 0. */
  readonly start?: number
  /** What a row counts where classes are compared, beside its weight; absent: all alike. */
  readonly importance?: Float64Array
}

/** What a function class fitted. */
export type RegressionModel =
  | ConstantModel
  | RidgeModel
  | AdditiveModel
  | LipschitzModel
  | KernelModel
  | TreesModel
  | NetworkModel
  | SelectedModel
  | OwnModel

/** Functions that engines may round differently; `Math` has them, and so does arithmetic alone (portableExp, portableTanh). */
export interface Elementary {
  readonly exp: (x: number) => number
  readonly tanh: (x: number) => number
}

/** A model compiled for one thread; allocates nothing per row. */
export interface Predictor {
  /** The prediction for the row of inputs that starts at inputs[at]. */
  readonly row: (inputs: Float64Array, at: number) => number
  /** The predictions for `count` rows back to back. */
  readonly table: (inputs: Float64Array, count: number, out: Float64Array) => void
}

export interface Regression<M extends RegressionModel = RegressionModel> {
  readonly kind: string
  /** Whether inputs may be NaN (missing). */
  readonly takesMissing: boolean
  /**
   * Pure: same rows and randomness give an equal model. Throws `degenerate-rows` on fewer than two rows of positive weight or a
   * constant column, `not-finite` on what is no number. A class may go on from choices of the model before.
   */
  readonly fit: (rows: RegressionRows, random: Random, before?: RegressionModel) => M
  /** The same for targets 0 and 1 with the log loss; predicts log odds. Absent: no fit of its own. */
  readonly fitLogOdds?: (rows: RegressionRows, random: Random) => M
  readonly compile: (model: M) => Predictor
  /** Critical radius of the class over this many columns at this many rows; null: none is usable, the label is 'heuristic'. */
  readonly radius: (columns: number, rows: number, constant16: boolean) => number | null
}
