// A fitted correction and how it is applied: g-hat = g~ + B'beta, B of the context or of (g~, x), then brought back to where the covariate can
// lie when clipping is on: a number to [-1, 1] (inside units), a probability to [0, 1], a category to the simplex.

import { type ImputerModel, imputerAdder } from '../imputer/imputer-model.js'
import { addDots, addLinearDots, projectToSimplex } from '@primo/numeric'
import type { ColumnScale } from '../oracle/column-scale.js'
import type { EncodedCovariate, EncodedFeature } from '../problem/encoding.js'
import type { ModelCompiler } from '../regression/function-class.js'
import type { ModelSdUse } from '../residuals/model-sd.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import { type ClassCorrection, classAdder } from './class-correction.js'
import type { CorrectionClass } from './correction-basis.js'
import { type CorrectionInput, type InputBasis, inputBasis } from './input-basis.js'
import { type CompiledMap, compileMap, type MonotoneMap } from './monotone-map.js'

/** What is added to a pre-trained prediction, as coefficients of known columns. */
export interface Correction {
  readonly kind: 'correction'
  readonly class: CorrectionClass
  /** What the columns are made of; absent: the context. */
  readonly input?: CorrectionInput
  /** Of g~ and the context, what is taken for their values; absent: as they are declared. */
  readonly scale?: readonly ColumnScale[]
  /** One list of basis coefficients per column of the covariate. */
  readonly coefficients: readonly (readonly number[])[]
  /** Added to g~ before the rest: d(g~) of the isotonic rung; a number or a probability only. */
  readonly map?: MonotoneMap
  /** By fold of the ladder, as byFold. */
  readonly mapByFold?: readonly [MonotoneMap, MonotoneMap]
  /** Moments of z - g-hat (m_0 = 1, m_1 = 0, m_2, ...), for distributional imputation; absent: plug-in. */
  readonly moments?: readonly number[]
  /** Where the variance depends on the context: its logarithm less that of m_2, see ResidualSpread. */
  readonly logVariance?: readonly number[]
  /** How the variance follows the standard deviation that the model gives; absent: it does not. */
  readonly bySd?: ModelSdUse
  /** This covariate's coordinates of 16 joint residual vectors, where several covariates are calibrated. */
  readonly joint?: readonly number[]
  /** 16 equally likely residuals with these moments; absent: those of a normal. */
  readonly points?: readonly number[]
  /** By fold of the ladder: its fit, shrunk alike, per column; for judging rows by the fold they had no part in. */
  readonly byFold?: readonly (readonly (readonly number[])[])[]
  /** Where an audit added to it: the coefficients without that, in a prefix of the rich class. */
  readonly beforeAudit?: readonly (readonly number[])[]
}

/** The fields as they are written: absent for the context as it is declared, as corrections of old have it. */
export function inputPart({ input, scale }: Pick<InputBasis, 'input' | 'scale'>): Pick<Correction, 'input' | 'scale'> {
  return { ...(input === 'context' ? {} : { input }), ...(scale === undefined ? {} : { scale }) }
}

/** The columns that a correction's coefficients belong to. */
export function basisOf(
  {
    class: kind,
    input = 'context',
    scale,
    coefficients,
  }: Pick<Correction, 'class' | 'input' | 'scale' | 'coefficients'>,
  context: readonly EncodedFeature[],
): InputBasis {
  return inputBasis(kind, input, context, coefficients.length, scale)
}

/** One value for every row, such as the mean of the observed ones; inside units, one number per column. */
export interface ConstantImputation {
  readonly kind: 'constant'
  readonly values: readonly number[]
}

/** What stands in for a missing covariate; null in its place means the pre-trained model as it is. */
export type CovariateModel = Correction | ClassCorrection | ImputerModel | ConstantImputation

/** Whether it corrects the pre-trained model, by a basis or by a function class. */
export function isCorrection(
  model: CovariateModel | null | undefined,
): model is Correction | ClassCorrection | ImputerModel {
  return model?.kind === 'correction' || model?.kind === 'class-correction' || model?.kind === 'imputer'
}

/** Replaces the pre-trained values at values[to ...] by calibrated ones, for the context row at x[at]. */
export type Corrector = (x: Float64Array, at: number, values: Float64Array, to: number) => void

/** The correction as a function on rows, with scratch space for one thread. `compile`: of models of a user's class. */
export function compileCorrection(
  correction: Correction | ClassCorrection | ImputerModel,
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
  correction: Correction | ClassCorrection | ImputerModel,
  context: readonly EncodedFeature[],
  covariate: EncodedCovariate,
  clip: 'range' | 'none',
  most: number,
): RowsCorrector | null {
  if (correction.kind !== 'correction' || covariate.width !== 1) return null
  const basis = basisOf(correction, context)
  const parts: CorrectedRows = {
    basis,
    b: new Float64Array(most * basis.columns),
    coefficients: Float64Array.from(correction.coefficients[0]!),
    moved: correction.map === undefined ? null : compileMap(correction.map),
    linear: correction.class === 'linear' && correction.scale === undefined,
    low: clip === 'none' ? Number.NEGATIVE_INFINITY : covariate.feature.type === 'number' ? -1 : 0,
    high: clip === 'none' ? Number.POSITIVE_INFINITY : 1,
  }
  return (x, contextWidth, rows, count, values) => correctRows(parts, x, contextWidth, rows, count, values)
}

interface CorrectedRows {
  readonly basis: InputBasis
  /** Room for B of all rows. */
  readonly b: Float64Array
  readonly coefficients: Float64Array
  readonly moved: CompiledMap | null
  /** 1, perhaps g~, and x, as they are declared: read where they stand. */
  readonly linear: boolean
  readonly low: number
  readonly high: number
}

function correctRows(
  { basis, b, coefficients, moved, linear, low, high }: CorrectedRows,
  x: Float64Array,
  contextWidth: number,
  rows: Int32Array,
  count: number,
  values: Float64Array,
): void {
  const { columns, expandAt, own } = basis
  const bias = coefficients[0]!
  const slope = own === 0 ? 0 : coefficients[1]!
  if (!linear) for (let i = 0; i < count; i++) expandAt(x, rows[i]! * contextWidth, values, i, b, i * columns)
  for (let i = 0; i < count; i++) {
    const pretrained = values[i]!
    if (moved !== null) values[i] = pretrained + moved(pretrained)
    if (linear && own === 1) values[i] = values[i]! + bias + slope * pretrained
  }
  if (linear) {
    addLinearDots(x, contextWidth, rows, count, own === 1 ? 0 : bias, coefficients.subarray(1 + own), values)
  } else addDots(b, count, columns, coefficients, columns, values)
  for (let i = 0; i < count; i++) values[i] = Math.min(high, Math.max(low, values[i]!))
}

/** Adds h = B'beta to the values, after the map of g~ where there is one. */
function basisAdder(correction: Correction, context: readonly EncodedFeature[]): Corrector {
  const width = correction.coefficients.length
  const { columns, expandAt } = basisOf(correction, context)
  const row = new Float64Array(columns)
  const coefficients = Float64Array.from(correction.coefficients.flat())
  const moved = correction.map === undefined ? null : compileMap(correction.map)
  return (x, at, values, to) => {
    expandAt(x, at, values, to, row, 0)
    if (moved !== null) values[to] = values[to]! + moved(values[to]!)
    for (let k = 0, from = 0; k < width; k++) {
      let sum = values[to + k]!
      for (let i = 0; i < columns; i++) sum += coefficients[from++]! * row[i]!
      values[to + k] = sum
    }
  }
}

/** g~ as it is, with what is known of the residual and of scales. */
export function uncorrected(correction: Correction): Correction {
  const { beforeAudit: _audit, byFold: _folds, map: _map, mapByFold: _maps, input: _input, ...model } = correction
  return { ...model, class: 'bias', coefficients: model.coefficients.map(() => [0]) }
}

/** What a correction knows of its residual. */
export function spreadOf(model: Correction | ClassCorrection | ImputerModel): ResidualMoments {
  const { moments } = model
  if (moments === undefined) return null
  const { logVariance, bySd, joint } = model.kind === 'correction' ? model : {}
  if (logVariance === undefined && bySd === undefined && joint === undefined) return moments
  return {
    moments,
    ...(bySd === undefined ? {} : { bySd }),
    ...(logVariance === undefined ? {} : { logVariance }),
    ...(joint === undefined ? {} : { joint }),
  }
}
