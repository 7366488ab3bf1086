// Which columns the linear reward model has and how far each is shrunk, by evidence (column-evidence.ts). A unit is the variance that a
// column's part of the reward has beforehand, as a share of the noise's; one unit serves all columns that are always there. A quarter is
// expected: a unit u has the log prior -3 |ln 4u|, so that few rows, whose evidence is mostly chance, do not choose it; widths expect at
// least a quarter. Then the candidate with the largest gain enters, with its best unit. Its price is ln(number of candidates
// of its kind) + 1, since most products are not there: s = gain - price are the log-odds that it is. It enters from s = -3 on, from 4,096
// rows on from s = 0: what is still in doubt then matters little. Its coefficients are shrunk to the probability that it is there,
// 1/(1 + e^-s), by n/K e^-s of its spread on its ridge. Where coefficients are tested only sure candidates enter, and none is shrunk so.

import type { Sums } from '@primo/numeric'
import {
  centredGrams,
  columnGain,
  eliminate,
  firstColumns,
  type Grams,
  residualLeft,
  squareLeft,
} from './column-evidence.js'

const UNITS = [4, 1, 1 / 4, 1 / 16, 1 / 64]
const EXPECTED = 1 / 4
const DEPARTURE = 3
const ENTRY = 1
const LOWEST_LOG_ODDS = -3
const DOUBTFUL_ROWS = 4096
/** A column with less than this share of its square left is a combination of the others. */
const NOTHING_LEFT = 1e-8

export interface ColumnChoiceInput {
  /** By action, of all columns: those that are always there, the constant first, then the candidates. */
  readonly sums: readonly Sums[]
  /** Of the columns that are always there: whether each is a number, in units of its own, or 0 and 1. */
  readonly numbers: readonly boolean[]
  /** By candidate: how many there are of its kind. */
  readonly alike: readonly number[]
  /** Ridge of the constant. */
  readonly ridge: number
  /** Taken off the rewards. */
  readonly mean: number
  /** Whether only candidates that are likely to be there enter. */
  readonly sure: boolean
}

export interface ChosenColumns {
  readonly columns: readonly number[]
  /** By chosen column: its ridge, and the one that widths are computed with, which does not trust the shrinkage. */
  readonly ridges: readonly number[]
  readonly wide: readonly number[]
}

/** Mean square of a number spread evenly over [-1, 1], and of a fair coin around its mean. */
const EVEN = 1 / 3
const COIN = 1 / 4

export function chooseColumns({ sums, numbers, alike, ridge, mean, sure }: ColumnChoiceInput): ChosenColumns {
  const base = numbers.length
  const grams = centredGrams(sums, mean)
  const { columns, rows } = grams
  const squares = Array.from({ length: columns }, (_, k) => squareLeft(grams, k))
  const ridges = new Map<number, number>()
  const doubts = new Map<number, number>()
  const take = (column: number, own: number, doubt = 0) => {
    eliminate(grams, column, own + doubt, Math.min(column + 1, base))
    ridges.set(column, own)
    doubts.set(column, doubt)
  }
  take(0, ridge)
  // Columns that are constant so far have the spread that was declared.
  const spreads = squares.map((square, k) => {
    const own = squareLeft(grams, k)
    if (k < base && !numbers[k]) return COIN
    return own > NOTHING_LEFT * square ? own / rows : EVEN
  })
  const unit = base > 1 && rows > 0 ? bestUnit(grams, spreads.slice(0, base)) : 1
  for (let k = 1; k < base; k++) take(k, spreads[k]! / unit)
  for (let entered = true; entered && rows > 0; ) {
    entered = false
    let best = 0
    let own = 0
    let doubt = 0
    let highest = sure || rows >= DOUBTFUL_ROWS ? 0 : LOWEST_LOG_ODDS
    const residual = residualLeft(grams)
    for (let column = base; column < columns; column++) {
      if (ridges.has(column)) continue
      const spread = squareLeft(grams, column) / rows
      if (!(residual > 0 && spread * rows > NOTHING_LEFT * squares[column]!)) continue
      const price = Math.log(alike[column - base]!) + ENTRY
      for (const each of UNITS) {
        const odds = columnGain(grams, column, each / spread, residual) - price
        if (odds <= highest) continue
        highest = odds
        best = column
        own = spread / each
        doubt = sure ? 0 : spread * (rows / sums.length) * Math.exp(-odds)
        entered = true
      }
    }
    if (entered) take(best, own, doubt)
  }
  const chosen = [...ridges.keys()].sort((one, two) => one - two)
  return {
    columns: chosen,
    ridges: chosen.map((column) => ridges.get(column)! + doubts.get(column)!),
    wide: chosen.map(
      (column) =>
        (column === 0 ? ridge : Math.min(ridges.get(column)!, spreads[column]! / EXPECTED)) + doubts.get(column)!,
    ),
  }
}

/** The likeliest unit of the columns 1 ... base - 1; the constant is eliminated. */
function bestUnit(grams: Grams, spreads: readonly number[]): number {
  let best = 1
  let highest = Number.NEGATIVE_INFINITY
  for (const unit of UNITS) {
    const tried = firstColumns(grams, spreads.length)
    let price = DEPARTURE * Math.abs(Math.log(unit / EXPECTED))
    for (let column = 1; column < spreads.length; column++) {
      price += eliminate(tried, column, spreads[column]! / unit, column + 1)
    }
    const evidence = (-grams.rows / 2) * Math.log(Math.max(Number.MIN_VALUE, residualLeft(tried))) - price
    if (evidence > highest) {
      highest = evidence
      best = unit
    }
  }
  return best
}
