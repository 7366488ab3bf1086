// The evidence of columns, from Gram matrices. With columns X in the model, R their ridges and M = (I + X R^-1 X')^-1, one more column
// phi whose coefficients by action are N(0, t sigma^2) raises the log evidence by
//   (n/2) ln(Q / (Q - sum_a t s_a^2 / (1 + t v_a))) - 1/2 sum_a ln(1 + t v_a),   v_a = phi'M phi,  s_a = phi'M r,  Q = sum_a r'M r.
// These are the cells that are left when the columns of X, with their ridges, are eliminated one after the other.

import type { Sums } from '@primo/numeric'
import { targetSquare } from '@primo/numeric'

/** Gram matrices by action of [features, r - mean], row-major, upper triangle; the target is at index `columns`. */
export interface Grams {
  readonly columns: number
  readonly rows: number
  readonly cells: readonly Float64Array[]
}

/** The first feature is the constant 1. */
export function centredGrams(sums: readonly Sums[], mean: number): Grams {
  const { columns } = sums[0]!
  const rows = sums.reduce((total, { weight }) => total + weight, 0)
  return { columns, rows, cells: sums.map((sum) => centred(sum, mean)) }
}

function centred(sums: Sums, mean: number): Float64Array {
  const width = sums.columns + 1
  const made = sums.gram.slice()
  for (let i = 0; i < sums.columns; i++) {
    const last = (i + 1) * width - 1
    made[last] = made[last]! - mean * made[i]!
  }
  made[width * width - 1] = targetSquare(sums, mean)
  return made
}

/** A copy with the first columns and the target alone. */
export function firstColumns({ columns, rows, cells }: Grams, count: number): Grams {
  const width = count + 1
  const copy = (matrix: Float64Array) => {
    const made = new Float64Array(width * width)
    for (let i = 0; i < width; i++) {
      const row = (i < count ? i : columns) * (columns + 1)
      for (let j = i; j < count; j++) made[i * width + j] = matrix[row + j]!
      made[i * width + count] = matrix[row + columns]!
    }
    return made
  }
  return { columns: count, rows, cells: cells.map(copy) }
}

/** Takes a column into the model; only cells of columns from `first` on that are not in it yet, and of the target, go on to be true. Returns its log price. */
export function eliminate({ columns, cells }: Grams, column: number, ridge: number, first: number): number {
  const width = columns + 1
  const own = column * width
  const products = new Float64Array(width)
  let logs = 0
  for (const matrix of cells) {
    const pivot = matrix[own + column]! + ridge
    logs += Math.log(pivot / ridge)
    for (let i = first; i < width; i++) products[i] = matrix[i < column ? i * width + column : own + i]!
    for (let i = first, row = first * width; i < width; i++, row += width) {
      const share = products[i]! / pivot
      if (share === 0) continue
      for (let j = i; j < width; j++) matrix[row + j] = matrix[row + j]! - share * products[j]!
    }
  }
  return logs / 2
}

/** Q. */
export function residualLeft({ columns, cells }: Grams): number {
  const last = (columns + 2) * columns
  return cells.reduce((total, matrix) => total + Math.max(0, matrix[last]!), 0)
}

/** What is left of the column's square: sum_a v_a. */
export function squareLeft({ columns, cells }: Grams, column: number): number {
  const at = column * (columns + 2)
  return cells.reduce((total, matrix) => total + Math.max(0, matrix[at]!), 0)
}

/** What the log evidence gains by the column with variance t sigma^2 of its coefficients. */
export function columnGain({ columns, rows, cells }: Grams, column: number, t: number, residual: number): number {
  const at = column * (columns + 1)
  let explained = 0
  let logs = 0
  for (const matrix of cells) {
    const v = Math.max(0, matrix[at + column]!)
    const s = matrix[at + columns]!
    explained += (t * s * s) / (1 + t * v)
    logs += Math.log1p(t * v)
  }
  return (rows / 2) * Math.log(residual / Math.max(1e-12 * residual, residual - explained)) - logs / 2
}
