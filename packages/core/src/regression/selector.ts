// Choosing among classes: k-fold cross-validation with weights over a ladder from simple to rich. A rung's loss is its weighted mean
// squared held-out error, rows counted by their importance. The one-standard-error rule: the first rung whose loss is within one
// standard error of the smallest, the error being that of the mean difference between the two rungs, row by row (paired). The chosen
// class is then fitted on all rows. Folds go by the hash of what a row says, so equal rows share a fold.
// Going on from a model before, the choice stands until there is half as much data again, and then as long as its loss is within
// one standard error of the smallest.

import type { Random } from '@primo/numeric'
import { invalidOption, requireInteger, requireOptions } from '@primo/numeric'
import { type ClassOptions, compileModel, regressionOf } from './function-class.js'
import type { Regression, RegressionModel, RegressionRows } from './regression.js'
import { checkedRows, rowFolds, rowsAt, targetMean } from './regression-rows.js'
import { fitUsable } from './usable-fit.js'

/** How much the rows must have grown for the choice to be made anew: of few rows it is cheap, and more often worth it. */
const FEW_ROWS = 1000
const growthOf = (judged: number) => (judged < FEW_ROWS ? 1.2 : 1.5)

export interface SelectOptions {
  readonly kind: 'select'
  /** From the simplest class to the richest. */
  readonly ladder: readonly ClassOptions[]
  /** Default 5. */
  readonly folds?: number
  /** 'one-error' (default), or 'smallest' loss. */
  readonly rule?: 'one-error' | 'smallest'
}

export interface HeldOutLoss {
  readonly kind: string
  readonly loss: number
  /** Mean difference to the smallest loss, and its standard error. */
  readonly excess: number
  readonly standardError: number
  readonly chosen: boolean
}

export interface SelectedModel {
  readonly kind: 'select'
  readonly columns: number
  readonly chosen: number
  /** Weight of the rows that the choice was made on; absent: this one's. */
  readonly judged?: number
  readonly model: Exclude<RegressionModel, SelectedModel>
  readonly heldOut: readonly HeldOutLoss[]
  readonly effectiveDimension: number
  readonly weight: number
}

/** `rungOf`: which regression a rung is; default that of its class. */
export function selectRegression(
  options: SelectOptions,
  rungOf: (rung: ClassOptions) => Regression = regressionOf,
): Regression<SelectedModel> {
  requireOptions('select', options, ['kind', 'ladder', 'folds', 'rule'])
  const { ladder, folds = 5, rule = 'one-error' } = options
  if (!Array.isArray(ladder) || ladder.length === 0) invalidOption('select.ladder', 'a list of classes', ladder)
  requireInteger('select.folds', folds, 2)
  if (rule !== 'one-error' && rule !== 'smallest') invalidOption('select.rule', '"one-error" or "smallest"', rule)
  const rungs = ladder.map((rung) => {
    if (rung?.kind === 'select') invalidOption('select.ladder', 'of classes other than "select"', rung.kind)
    return rungOf(rung)
  })
  return {
    kind: 'select',
    takesMissing: rungs.every(({ takesMissing }) => takesMissing),
    fit: (rows, random, before) => select(rows, rungs, { folds, rule }, random, before),
    compile: ({ model }) => compileModel(model),
    radius: (columns, rows, constant16) => {
      const radii = rungs.map((rung) => rung.radius(columns, rows, constant16))
      return radii.some((radius) => radius === null) ? null : Math.max(...(radii as number[]))
    },
  }
}

function select(
  given: RegressionRows,
  rungs: readonly Regression[],
  { folds, rule }: { readonly folds: number; readonly rule: 'one-error' | 'smallest' },
  random: Random,
  last?: RegressionModel,
): SelectedModel {
  const rows = checkedRows(
    given,
    rungs.every(({ takesMissing }) => takesMissing),
  )
  const before = last?.kind === 'select' && last.chosen < rungs.length ? last : undefined
  const { weight } = targetMean(rows)
  const judged = before === undefined ? 0 : (before.judged ?? before.weight)
  if (before !== undefined && weight >= judged && weight < growthOf(judged) * judged) {
    const model = rungs[before.chosen]!.fit(rows, random.split('chosen')) as SelectedModel['model']
    return { ...before, columns: rows.columns, judged, model, effectiveDimension: model.effectiveDimension, weight }
  }
  const errors = heldOutErrors(rows, rungs, folds, random)
  const importanceOf = (i: number) => rows.importance?.[i] ?? 1
  const weightOf = (i: number) => (rows.weights === null ? 1 : rows.weights[i]!)
  const losses = errors.map((list) => weightedMean(list, weightOf, importanceOf))
  const best = losses.indexOf(Math.min(...losses))
  const differences = errors.map((list) => paired(list, errors[best]!, weightOf, importanceOf))
  const within = differences.map(({ mean, standardError }) => mean <= standardError)
  const stays = before !== undefined && within[before.chosen]!
  const chosen = rule === 'smallest' ? best : stays ? before.chosen : within.indexOf(true)
  const model = rungs[chosen]!.fit(rows, random.split('chosen')) as SelectedModel['model']
  return {
    kind: 'select',
    columns: rows.columns,
    chosen,
    model,
    heldOut: rungs.map(({ kind }, k) => ({
      kind,
      loss: losses[k]!,
      excess: differences[k]!.mean,
      standardError: differences[k]!.standardError,
      chosen: k === chosen,
    })),
    effectiveDimension: model.effectiveDimension,
    weight: model.weight,
  }
}

/** Squared held-out error of every row, by rung. */
function heldOutErrors(
  rows: RegressionRows,
  rungs: readonly Regression[],
  folds: number,
  random: Random,
): readonly Float64Array[] {
  const fold = rowFolds(rows, Math.min(folds, rows.count), random.split('folds'))
  const errors = rungs.map(() => new Float64Array(rows.count))
  for (let f = 0; f < folds; f++) {
    const inside: number[] = []
    const outside: number[] = []
    fold.forEach((own, i) => {
      ;(own === f ? inside : outside).push(i)
    })
    if (inside.length === 0) continue
    const training = rowsAt(rows, Uint32Array.from(outside))
    rungs.forEach((rung, k) => {
      // A fold may leave a column constant or too few rows: then the rung does what it would do in a learner.
      const { row } = fitUsable(rung, training, random.split('fold', f, k)).predictor
      for (const i of inside) errors[k]![i] = (rows.targets[i]! - row(rows.inputs, i * rows.columns)) ** 2
    })
  }
  return errors
}

type OfRow = (i: number) => number

function weightedMean(values: Float64Array, weightOf: OfRow, importanceOf: OfRow): number {
  let sum = 0
  let total = 0
  for (let i = 0; i < values.length; i++) {
    const weight = weightOf(i) * importanceOf(i)
    sum += weight * values[i]!
    total += weight
  }
  return sum / total
}

/** A weight counts repeated rows; an importance multiplies what one row says. */
function paired(a: Float64Array, b: Float64Array, weightOf: OfRow, importanceOf: OfRow) {
  const differences = a.map((value, i) => value - b[i]!)
  const mean = weightedMean(differences, weightOf, importanceOf)
  let square = 0
  let total = 0
  for (let i = 0; i < a.length; i++) {
    square += weightOf(i) * (importanceOf(i) * (differences[i]! - mean)) ** 2
    total += weightOf(i) * importanceOf(i)
  }
  return { mean, standardError: Math.sqrt(square) / total }
}
