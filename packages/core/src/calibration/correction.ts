// A fitted correction and how it is applied: g-hat = g~ + B(x)'beta, then brought back to where the covariate can lie when clipping is on:
// a number to [-1, 1] (inside units), a probability to [0, 1], a category to the simplex.

import { addDots, addLinearDots, projectToSimplex } from '@primo/numeric'
import { type ImputerModel, imputerAdder } from '../imputer/imputer-model.js'
import type { EncodedCovariate, EncodedFeature } from '../problem/encoding.js'
import type { ModelCompiler } from '../regression/function-class.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import { type ClassCorrection, classAdder } from './class-correction.js'
import { type CorrectionBasis, type CorrectionClass, correctionBasis } from './correction-basis.js'

/** The function that is added to a pre-trained prediction, as coefficients of known columns. */
export interface Correction {
  readonly kind: 'correction'
  readonly class: CorrectionClass
  /** One list of basis coefficients per column of the covariate. */
  readonly coefficients: readonly (readonly number[])[]
  /** Moments of z - g-hat (m_0 = 1, m_1 = 0, m_2, ...), for distributional imputation; absent: plug-in. */
  readonly moments?: readonly number[]
}

/** One value for every row, such as the mean of the observed ones; inside units, one number per column. */
export interface ConstantImputation {
  readonly kind: 'constant'
  readonly values: readonly number[]
}

/** The model that fills a missing covariate; null in its place means the pre-trained model as it is. */
export type CovariateModel = Correction | ClassCorrection | ImputerModel | ConstantImputation

/** A model that adds to the pre-trained one. */
export type AnyCorrection = Exclude<CovariateModel, ConstantImputation>

export function isCorrection(model: CovariateModel | null | undefined): model is AnyCorrection {
  return model != null && model.kind !== 'constant'
}

/** Replaces the pre-trained values at values[to ...] by calibrated ones, for the context row at x[at]. */
export type Corrector = (x: Float64Array, at: number, values: Float64Array, to: number) => void

/** The correction as a function on rows, with scratch space for one thread. `compile`: of models of a user's class. */
export function compileCorrection(
  correction: AnyCorrection,
  context: readonly EncodedFeature[],
  covariate: EncodedCovariate,
  clip: 'range' | 'none',
  compile?: ModelCompiler,
): Corrector {
  const { width } = covariate
  const add =
    correction.kind === 'correction'
      ? basisAdder(correction, context)
      : correction.kind === 'imputer'
        ? imputerAdder(correction, context)
        : classAdder(correction, context, compile)
  const type = covariate.feature.type
  const low = type === 'number' ? -1 : 0
  return (x, at, values, to) => {
    add(x, at, values, to)
    if (clip === 'none') return
    if (type === 'category') projectToSimplex(values, to, width)
    else values[to] = Math.min(1, Math.max(low, values[to]!))
  }
}

/** Replaces the pre-trained values[i] by calibrated ones, for the context rows rows[i], as a Corrector does for one. */
export type RowsCorrector = (
  x: Float64Array,
  contextWidth: number,
  rows: Int32Array,
  count: number,
  values: Float64Array,
) => void

/** For at most `most` rows at a time; null: only a covariate of one column with a correction by a basis has one. */
export function compileRowsCorrection(
  correction: AnyCorrection,
  context: readonly EncodedFeature[],
  covariate: EncodedCovariate,
  clip: 'range' | 'none',
  most: number,
): RowsCorrector | null {
  if (correction.kind !== 'correction' || covariate.width !== 1) return null
  const basis = correctionBasis(correction.class, context)
  const parts: CorrectedRows = {
    basis,
    b: new Float64Array(most * basis.columns),
    coefficients: Float64Array.from(correction.coefficients[0]!),
    low: clip === 'none' ? Number.NEGATIVE_INFINITY : covariate.feature.type === 'number' ? -1 : 0,
    high: clip === 'none' ? Number.POSITIVE_INFINITY : 1,
  }
  return (x, contextWidth, rows, count, values) => correctRows(parts, x, contextWidth, rows, count, values)
}

interface CorrectedRows {
  readonly basis: CorrectionBasis
  /** Room for B of all rows. */
  readonly b: Float64Array
  readonly coefficients: Float64Array
  readonly low: number
  readonly high: number
}

function correctRows(
  { basis: { kind, columns, expand }, b, coefficients, low, high }: CorrectedRows,
  x: Float64Array,
  contextWidth: number,
  rows: Int32Array,
  count: number,
  values: Float64Array,
): void {
  // 1 and x are read where they stand.
  if (kind === 'linear') {
    addLinearDots(x, contextWidth, rows, count, coefficients[0]!, coefficients.subarray(1), values)
  } else {
    for (let i = 0; i < count; i++) expand(x, rows[i]! * contextWidth, b, i * columns)
    addDots(b, count, columns, coefficients, columns, values)
  }
  for (let i = 0; i < count; i++) values[i] = Math.min(high, Math.max(low, values[i]!))
}

/** Adds h = B'beta to the values. */
function basisAdder({ class: kind, coefficients: given }: Correction, context: readonly EncodedFeature[]): Corrector {
  const width = given.length
  const { columns, expand } = correctionBasis(kind, context)
  const row = new Float64Array(columns)
  const coefficients = Float64Array.from(given.flat())
  return (x, at, values, to) => {
    expand(x, at, row, 0)
    for (let k = 0, from = 0; k < width; k++) {
      let sum = values[to + k]!
      for (let i = 0; i < columns; i++) sum += coefficients[from++]! * row[i]!
      values[to + k] = sum
    }
  }
}

/** The moments of its residual, where they are known. */
export function spreadOf({ moments }: AnyCorrection): ResidualMoments {
  return moments ?? null
}
