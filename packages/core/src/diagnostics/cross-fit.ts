// Cross-fitted nuisances for estimates under MAR: rows are split at random into folds, observed and missing rows apart; for the
// rows of a fold the observation probability e(x) and the regression m(x) = E[v | x, b = 1] come from the other folds. Each is of
// the class with the smallest held-out loss (log loss for e, squared loss weighted by 1/e for m): a constant, the columns, a
// basis that bends (nuisance-basis.ts), or boosted trees. On long tables the class is chosen, and logits and trees are fitted, on
// some of the rows, evenly spread.

import type { Random } from '@primo/numeric'
import { invalidOption, requireAllFinite, requireInteger, requireLength } from '@primo/numeric'
import { crossFittedProbabilities } from './cross-fit-probabilities.js'
import { type FoldRegressions, foldRegressions } from './cross-fit-regression.js'
import { bentBasis, inSeenRange, type NuisanceBasis, plainBasis } from './nuisance-basis.js'

/** Contexts, and where a value was observed. */
export interface MissingTable {
  /** Encoded context, rows x contextWidth, row-major. */
  readonly context: Float64Array
  readonly contextWidth: number
  /** b_i, 0 or 1. */
  readonly observed: Uint8Array
}

export interface CrossFitOptions {
  readonly random: Random
  /** Default 5. */
  readonly folds?: number
  /** Class of e(x) that is known already; default by held-out loss. */
  readonly observationClass?: NuisanceClass
}

/** Which fold each row is in. */
export interface Folds {
  readonly count: number
  /** Fold of each row. */
  readonly of: Uint8Array
}

/** The function class of a nuisance, chosen by held-out loss. */
export type NuisanceClass = 'constant' | 'columns' | 'basis' | 'trees'

export interface FoldedTable extends MissingTable {
  readonly folds: Folds
  readonly random: Random
  readonly plain: NuisanceBasis
  /** null: there is none. */
  readonly bent: NuisanceBasis | null
}

/** Nuisances of each row, fitted without its fold. */
export interface CrossFit {
  readonly folds: Folds
  /** e(x_i), and the class it is of. */
  readonly probabilities: Float64Array
  readonly observationClass: NuisanceClass
  /** m(x_i) of a value that is read where b = 1, by the best class or by the one given. */
  readonly regression: (values: ArrayLike<number>, of?: NuisanceClass) => Regressed
  /** Two regressions per row, from two halves of the other folds, independent given the contexts; trees are not tried. */
  readonly halves: (values: ArrayLike<number>) => RegressedTwice
}

export interface RegressedTwice {
  readonly first: Float64Array
  readonly second: Float64Array
  /** So many coefficients, hardly shrunk, were fitted, each with an error of its own; 1: not known. */
  readonly columns: number
}

export interface Regressed {
  readonly fitted: Float64Array
  readonly class: NuisanceClass
}

/** Classes are chosen on at most so many rows. */
const CHOICE_ROWS = 10_000
/** With fewer observed values among them everything is a constant. */
const FEWEST_TO_CHOOSE = 20

/** Fits the observation probability without the fold of each row, and regressions when they are asked for. */
export function crossFit(given: MissingTable, options: CrossFitOptions): CrossFit {
  const { random } = options
  const rows = checkTable(given)
  const table = inSeenRange(given)
  const folds = makeFolds(table, options)
  const folded: FoldedTable = { ...table, folds, random, plain: plainBasis(table), bent: bentBasis(table) }
  const step = Math.ceil(rows / CHOICE_ROWS)
  const part = step === 1 ? null : everyRow(table, step)
  const tooFew = part !== null && part.observed.reduce((sum, b) => sum + b, 0) < FEWEST_TO_CHOOSE
  // Made when a class has to be chosen.
  let some: CrossFit | null = null
  const sample = (given: MissingTable) => {
    some ??= crossFit(given, { ...options, random: random.split('some') })
    return some
  }
  const wanted =
    options.observationClass ?? (part === null ? undefined : tooFew ? 'constant' : sample(part).observationClass)
  const { probabilities, class: observationClass } = crossFittedProbabilities(folded, wanted)
  let regressions: FoldRegressions | null = null
  const checked = (values: ArrayLike<number>) => {
    requireLength('values', values.length, rows)
    regressions ??= foldRegressions(folded, probabilities)
    return regressions
  }
  const chosen = (values: ArrayLike<number>): NuisanceClass | undefined => {
    if (part === null) return undefined
    const own = Float64Array.from(part.observed, (_, i) => values[i * step]!)
    return tooFew ? 'constant' : sample(part).regression(own).class
  }
  return {
    folds,
    probabilities,
    observationClass,
    regression: (values, of) => checked(values).regression(values, of ?? chosen(values)),
    halves: (values) => checked(values).halves(values),
  }
}

export function checkTable(table: MissingTable): number {
  const rows = table.observed.length
  if (rows === 0) invalidOption('observed', 'a table with at least one row', table.observed)
  requireInteger('contextWidth', table.contextWidth, 0)
  requireLength('context', table.context.length, rows * table.contextWidth)
  requireAllFinite('context', table.context)
  if (!table.observed.includes(1)) invalidOption('observed', 'a table with at least one observed row', 0)
  return rows
}

/** Random folds of equal size up to one row, separately among observed and missing rows. */
export function makeFolds(table: MissingTable, options: CrossFitOptions): Folds {
  const { random, folds: count = 5 } = options
  requireInteger('folds', count, 2)
  const rows = checkTable(table)
  const of = new Uint8Array(rows)
  const next = [0, 0]
  for (const row of random.permutation(rows)) {
    const kind = table.observed[row]!
    of[row] = next[kind]! % count
    next[kind] = next[kind]! + 1
  }
  return { count, of }
}

function everyRow({ context, contextWidth: width, observed }: MissingTable, step: number): MissingTable {
  const rows = Math.ceil(observed.length / step)
  const part = new Float64Array(rows * width)
  for (let i = 0; i < rows; i++) part.set(context.subarray(i * step * width, (i * step + 1) * width), i * width)
  return {
    context: part,
    contextWidth: width,
    observed: Uint8Array.from({ length: rows }, (_, i) => observed[i * step]!),
  }
}
