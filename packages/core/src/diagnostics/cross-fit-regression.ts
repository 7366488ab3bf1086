// m(x_i) = E[v | x_i, b = 1] of every row from the observed rows of the other folds: the mean, ridge regression on the columns or on
// the basis, or boosted trees. The sums of a fold's rows are taken once and serve every value: to leave a fold out is to add up the
// others. m is kept inside the range of the values it was fitted on.

import { BLOCK_ROUNDS, type BlockSums, cholesky, mergeBlocks, type Sums, solveCholesky, sumRows } from '@primo/numeric'
import { regressionOf } from '../regression/function-class.js'
import { fitUsable } from '../regression/usable-fit.js'
import type { FoldedTable, NuisanceClass, Regressed, RegressedTwice } from './cross-fit.js'
import { basisOf, trainingRows } from './cross-fit-probabilities.js'
import type { NuisanceBasis } from './nuisance-basis.js'

export interface FoldRegressions {
  readonly regression: (values: ArrayLike<number>, of?: NuisanceClass) => Regressed
  readonly halves: (values: ArrayLike<number>) => RegressedTwice
}

/** Fewer observed rows give trees nothing to grow on. */
const FEWEST_FOR_TREES = 150
/** Trees grow on at most so many rows. */
export const MAX_GROWN_ON = 30_000
/** With fewer observed rows to a column a constant may be chosen for the halves. */
const ROWS_PER_COLUMN = 20
const RIDGE = { columns: 0.1, basis: 1 } as const
type RidgeKind = keyof typeof RIDGE

export function foldRegressions(table: FoldedTable, probabilities: Float64Array): FoldRegressions {
  const { observed, folds, contextWidth } = table
  const seen = observed.reduce((sum, b) => sum + b, 0)
  const ridges = new Map<RidgeKind, RidgeFolds>()
  const ridgeFolds = (kind: RidgeKind): RidgeFolds => {
    const found = ridges.get(kind) ?? new RidgeFolds(table, kind)
    ridges.set(kind, found)
    return found
  }
  const smooth: readonly NuisanceClass[] = [
    'constant',
    ...(contextWidth > 0 ? (['columns'] as const) : []),
    ...(contextWidth > 0 && table.bent !== null ? (['basis'] as const) : []),
  ]
  const all: readonly NuisanceClass[] = contextWidth > 0 && seen >= FEWEST_FOR_TREES ? [...smooth, 'trees'] : smooth

  function fit(values: ArrayLike<number>, kind: NuisanceClass, trainedOn: TrainedOn): Float64Array {
    const out =
      kind === 'constant'
        ? means(table, values, trainedOn)
        : kind === 'trees'
          ? trees(table, values, trainedOn)
          : ridgeFolds(kind).predict(values, trainedOn)
    const ranges = rangesOf(table, values, trainedOn)
    for (let row = 0; row < out.length; row++) {
      const { low, high } = ranges[folds.of[row]!]!
      if (low <= high) out[row] = Math.min(high, Math.max(low, out[row]!))
    }
    return out
  }

  function best(values: ArrayLike<number>, classes: readonly NuisanceClass[]): Regressed {
    const lossOf = (fitted: Float64Array) =>
      fitted.map((m, row) => (observed[row] ? (values[row]! - m) ** 2 / probabilities[row]! : 0))
    let found: (Regressed & { readonly losses: Float64Array }) | null = null
    for (const kind of classes) {
      const fitted = fit(values, kind, otherFolds)
      const losses = lossOf(fitted)
      if (found === null || isBetter(losses, found.losses, kind === 'trees')) found = { fitted, class: kind, losses }
    }
    return found!
  }

  return {
    regression: (values, of) =>
      of === undefined ? best(values, all) : { fitted: fit(values, of, otherFolds), class: of },
    halves: (values) => {
      // A constant that is chosen because the slopes are small would miss them in both halves.
      const enough = contextWidth > 0 && seen >= ROWS_PER_COLUMN * (1 + contextWidth)
      const { class: kind } = best(values, enough ? smooth.slice(1) : smooth)
      const [first, second] = [0, 1].map((half) =>
        fit(values, kind, (fold, from) => from !== fold && ((from - fold + folds.count) % folds.count) % 2 === half),
      ) as [Float64Array, Float64Array]
      return { first, second, columns: kind === 'columns' ? 1 + contextWidth : 1 }
    },
  }
}

/** By the mean; trees, which cost the most, by more than one standard error of the paired difference. */
export function isBetter(losses: Float64Array, than: Float64Array, clearly: boolean): boolean {
  let sum = 0
  let square = 0
  for (let row = 0; row < losses.length; row++) {
    const gain = than[row]! - losses[row]!
    sum += gain
    square += gain * gain
  }
  return clearly ? sum > Math.sqrt(square) : sum > 0
}

/** Whether what is fitted for the rows of one fold reads the rows of another. */
type TrainedOn = (fold: number, from: number) => boolean

const otherFolds: TrainedOn = (fold, from) => from !== fold

function rangesOf({ observed, folds }: FoldedTable, values: ArrayLike<number>, trainedOn: TrainedOn) {
  const lows = new Float64Array(folds.count).fill(Number.POSITIVE_INFINITY)
  const highs = new Float64Array(folds.count).fill(Number.NEGATIVE_INFINITY)
  for (let row = 0; row < observed.length; row++) {
    if (!observed[row]) continue
    const fold = folds.of[row]!
    lows[fold] = Math.min(lows[fold]!, values[row]!)
    highs[fold] = Math.max(highs[fold]!, values[row]!)
  }
  return Array.from({ length: folds.count }, (_, fold) => ({
    low: lows.reduce(
      (least, low, from) => (trainedOn(fold, from) ? Math.min(least, low) : least),
      Number.POSITIVE_INFINITY,
    ),
    high: highs.reduce(
      (most, high, from) => (trainedOn(fold, from) ? Math.max(most, high) : most),
      Number.NEGATIVE_INFINITY,
    ),
  }))
}

function means({ observed, folds }: FoldedTable, values: ArrayLike<number>, trainedOn: TrainedOn): Float64Array {
  const sums = new Float64Array(folds.count)
  const counts = new Float64Array(folds.count)
  for (let row = 0; row < observed.length; row++) {
    if (!observed[row]) continue
    const fold = folds.of[row]!
    sums[fold] = sums[fold]! + values[row]!
    counts[fold] = counts[fold]! + 1
  }
  const means = Array.from({ length: folds.count }, (_, fold) => {
    let sum = 0
    let count = 0
    for (let from = 0; from < folds.count; from++) {
      if (!trainedOn(fold, from)) continue
      sum += sums[from]!
      count += counts[from]!
    }
    return count === 0 ? 0 : sum / count
  })
  return Float64Array.from(folds.of, (fold) => means[fold]!)
}

function trees(table: FoldedTable, values: ArrayLike<number>, trainedOn: TrainedOn): Float64Array {
  const { observed, folds, context, contextWidth: width, random } = table
  const out = new Float64Array(observed.length)
  const regression = regressionOf({ kind: 'trees', leaves: 8 })
  for (let fold = 0; fold < folds.count; fold++) {
    const kept = (row: number) => observed[row] === 1 && trainedOn(fold, folds.of[row]!)
    const rows = trainingRows(table, kept, MAX_GROWN_ON)
    const inputs = new Float64Array(rows.length * width)
    rows.forEach((row, k) => {
      inputs.set(context.subarray(row * width, (row + 1) * width), k * width)
    })
    const targets = Float64Array.from(rows, (row) => values[row]!)
    const given = { columns: width, count: rows.length, inputs, targets, weights: null }
    const { predictor } = fitUsable(regression, given, random.split('regression', fold))
    for (let row = 0; row < out.length; row++)
      if (folds.of[row] === fold) out[row] = predictor.row(context, row * width)
  }
  return out
}

/** Ridge regressions of any value on one set of columns, with any folds left out. */
class RidgeFolds {
  readonly #table: FoldedTable
  readonly #basis: NuisanceBasis
  readonly #columns: number
  readonly #ridge: number
  /** Sums of [1, columns] over the observed rows of each fold. */
  readonly #sums: readonly Sums[]

  constructor(table: FoldedTable, kind: RidgeKind) {
    this.#table = table
    this.#basis = basisOf(table, kind)
    this.#columns = this.#basis.columns
    this.#ridge = RIDGE[kind]
    this.#sums = Array.from({ length: table.folds.count }, (_, fold) => this.#foldSums(fold))
  }

  #foldSums(fold: number): Sums {
    const { observed, folds } = this.#table
    const width = this.#columns + 1
    const buffer = new Float64Array(BLOCK_ROUNDS * width)
    const leaves: BlockSums[] = []
    let count = 0
    const flush = () => {
      leaves.push({ block: leaves.length, sums: sumRows(buffer, 0, count, this.#columns, null, 0, buffer) })
      count = 0
    }
    for (let row = 0; row < observed.length; row++) {
      if (!observed[row] || folds.of[row] !== fold) continue
      buffer[count * width] = 1
      this.#basis.write(row, buffer, count * width + 1)
      if (++count === BLOCK_ROUNDS) flush()
    }
    if (count > 0 || leaves.length === 0) flush()
    return mergeBlocks(leaves, this.#columns)
  }

  predict(values: ArrayLike<number>, trainedOn: TrainedOn): Float64Array {
    const { observed, folds } = this.#table
    const columns = this.#columns
    const x = new Float64Array(columns)
    const targets = this.#targets(values)
    const out = new Float64Array(observed.length)
    const coefficients = targets.map((_, fold) => this.#solve(targets, fold, trainedOn))
    for (let row = 0; row < out.length; row++) {
      const b = coefficients[folds.of[row]!]!
      let sum = b[0]!
      this.#basis.write(row, x, 0)
      for (let k = 0; k < columns; k++) sum += b[k + 1]! * x[k]!
      out[row] = sum
    }
    return out
  }

  /** X'v of each fold. */
  #targets(values: ArrayLike<number>): readonly Float64Array[] {
    const { observed, folds } = this.#table
    const columns = this.#columns
    const x = new Float64Array(columns)
    const targets = Array.from({ length: folds.count }, () => new Float64Array(columns + 1))
    for (let row = 0; row < observed.length; row++) {
      if (!observed[row]) continue
      const target = targets[folds.of[row]!]!
      const value = values[row]!
      target[0] = target[0]! + value
      this.#basis.write(row, x, 0)
      for (let k = 0; k < columns; k++) target[k + 1] = target[k + 1]! + value * x[k]!
    }
    return targets
  }

  #solve(targets: readonly Float64Array[], fold: number, trainedOn: TrainedOn): Float64Array {
    const width = this.#columns + 1
    const matrix = new Float64Array(width * width)
    const target = new Float64Array(width)
    this.#sums.forEach(({ gram }, from) => {
      if (!trainedOn(fold, from)) return
      for (let i = 0; i < width; i++) {
        target[i] = target[i]! + targets[from]![i]!
        for (let j = i; j < width; j++) matrix[i * width + j] = matrix[i * width + j]! + gram[i * width + j]!
      }
    })
    for (let i = 0; i < width; i++) {
      for (let j = 0; j < i; j++) matrix[i * width + j] = matrix[j * width + i]!
      matrix[i * width + i] = matrix[i * width + i]! + (i === 0 ? 1e-9 : this.#ridge)
    }
    return solveCholesky(cholesky(matrix, width), width, target)
  }
}
