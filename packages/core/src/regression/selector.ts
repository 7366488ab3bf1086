// Choosing among classes: k-fold cross-validation with weights over a ladder from simple to rich. A rung's loss is its weighted mean
// squared held-out error. The one-standard-error rule: the first rung whose loss is within one standard error of the smallest,
// the error being that of the mean difference between the two rungs, row by row (paired). The chosen class is then fitted on all
// rows. Folds go by the hash of what a row says, so equal rows share a fold.

import type { Random } from '@primo/numeric'
import { invalidOption, requireInteger, requireOptions } from '@primo/numeric'
import { type ClassOptions, compileModel, regressionOf } from './function-class.js'
import type { Regression, RegressionModel, RegressionRows } from './regression.js'
import { checkedRows, rowFolds, rowsAt } from './regression-rows.js'
import { fitUsable } from './usable-fit.js'

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
  readonly model: Exclude<RegressionModel, SelectedModel>
  readonly heldOut: readonly HeldOutLoss[]
  readonly effectiveDimension: number
  readonly weight: number
}

export function selectRegression(options: SelectOptions): Regression<SelectedModel> {
  requireOptions('select', options, ['kind', 'ladder', 'folds', 'rule'])
  const { ladder, folds = 5, rule = 'one-error' } = options
  if (!Array.isArray(ladder) || ladder.length === 0) invalidOption('select.ladder', 'a list of classes', ladder)
  requireInteger('select.folds', folds, 2)
  if (rule !== 'one-error' && rule !== 'smallest') invalidOption('select.rule', '"one-error" or "smallest"', rule)
  const rungs = ladder.map((rung) => {
    if (rung?.kind === 'select') invalidOption('select.ladder', 'of classes other than "select"', rung.kind)
    return regressionOf(rung)
  })
  return {
    kind: 'select',
    takesMissing: rungs.every(({ takesMissing }) => takesMissing),
    fit: (rows, random) => select(rows, rungs, { folds, rule }, random),
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
): SelectedModel {
  const rows = checkedRows(
    given,
    rungs.every(({ takesMissing }) => takesMissing),
  )
  const errors = heldOutErrors(rows, rungs, folds, random)
  const weightOf = (i: number) => (rows.weights === null ? 1 : rows.weights[i]!)
  const losses = errors.map((list) => weightedMean(list, weightOf))
  const best = losses.indexOf(Math.min(...losses))
  const differences = errors.map((list) => paired(list, errors[best]!, weightOf))
  const chosen = rule === 'smallest' ? best : differences.findIndex(({ mean, standardError }) => mean <= standardError)
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

function weightedMean(values: Float64Array, weightOf: (i: number) => number): number {
  let sum = 0
  let total = 0
  for (let i = 0; i < values.length; i++) {
    sum += weightOf(i) * values[i]!
    total += weightOf(i)
  }
  return sum / total
}

function paired(a: Float64Array, b: Float64Array, weightOf: (i: number) => number) {
  const mean = weightedMean(
    a.map((value, i) => value - b[i]!),
    weightOf,
  )
  let square = 0
  let total = 0
  for (let i = 0; i < a.length; i++) {
    square += weightOf(i) * (a[i]! - b[i]! - mean) ** 2
    total += weightOf(i)
  }
  return { mean, standardError: Math.sqrt(square) / total }
}
