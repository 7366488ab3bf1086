// Histograms of binned columns: per column and bin the sums of w r and of w over a node's rows.

import type { BinnedColumns } from './tree-bins.js'

/** Numbers of a column's histogram: sum and weight of 256 bins. */
export const SPAN = 512

export interface BinnedRows {
  readonly columns: BinnedColumns
  /** Rows of the columns. */
  readonly count: number
  /** Those in use, in the order of the tree's leaves. */
  readonly rows: Int32Array
  /** w r and w of each row; w is null when all weigh 1. */
  readonly products: Float64Array
  readonly weights: Float64Array | null
  /** Room for the products of a node's rows, back to back: every column reads them anew. */
  readonly ordered: Float64Array
}

/** Adds rows[from ... to) to every column's bins. */
export function addRowsToBins(histogram: Float64Array, binned: BinnedRows, from: number, to: number): void {
  const { columns, weights, rows, products, ordered } = binned
  for (let i = from; i < to; i++) ordered[i] = products[rows[i]!]!
  const many = columns.thresholds.length
  let column = 0
  for (; column + 4 <= many; column += 4) {
    if (weights === null) addFour(histogram, binned, column, from, to)
    else addFourWeighted(histogram, binned, weights, column, from, to)
  }
  for (; column < many; column++) addOne(histogram, binned, column, from, to)
}

/** Adds w r of all rows to every column's bins; the weights there stay. */
export function addProductsToBins(histogram: Float64Array, { columns, count, rows, products }: BinnedRows): void {
  const { bins, thresholds } = columns
  let column = 0
  for (; column + 4 <= thresholds.length; column += 4) addFourProducts(histogram, bins, rows, products, column, count)
  for (; column < thresholds.length; column++) addProducts(histogram, bins, rows, products, column, count)
}

/** Adds every row's product to its bin of the column. */
function addProducts(
  histogram: Float64Array,
  bins: Uint8Array,
  rows: Int32Array,
  products: Float64Array,
  column: number,
  count: number,
): void {
  const base = column * count
  const start = column * SPAN
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const b = start + (bins[base + row]! << 1)
    histogram[b] = histogram[b]! + products[row]!
  }
}

function addFourProducts(
  histogram: Float64Array,
  bins: Uint8Array,
  rows: Int32Array,
  products: Float64Array,
  column: number,
  count: number,
): void {
  const c0 = column * count
  const c1 = c0 + count
  const c2 = c1 + count
  const c3 = c2 + count
  const h0 = column * SPAN
  const h1 = h0 + SPAN
  const h2 = h1 + SPAN
  const h3 = h2 + SPAN
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const product = products[row]!
    const b0 = h0 + (bins[c0 + row]! << 1)
    const b1 = h1 + (bins[c1 + row]! << 1)
    const b2 = h2 + (bins[c2 + row]! << 1)
    const b3 = h3 + (bins[c3 + row]! << 1)
    histogram[b0] = histogram[b0]! + product
    histogram[b1] = histogram[b1]! + product
    histogram[b2] = histogram[b2]! + product
    histogram[b3] = histogram[b3]! + product
  }
}

/** Four columns at a time: a row's number and product are read once. */
function addFour(histogram: Float64Array, binned: BinnedRows, column: number, from: number, to: number): void {
  const { rows, ordered, count } = binned
  const { bins } = binned.columns
  const c0 = column * count
  const c1 = c0 + count
  const c2 = c1 + count
  const c3 = c2 + count
  const h0 = column * SPAN
  const h1 = h0 + SPAN
  const h2 = h1 + SPAN
  const h3 = h2 + SPAN
  for (let i = from; i < to; i++) {
    const row = rows[i]!
    const product = ordered[i]!
    const b0 = h0 + (bins[c0 + row]! << 1)
    const b1 = h1 + (bins[c1 + row]! << 1)
    const b2 = h2 + (bins[c2 + row]! << 1)
    const b3 = h3 + (bins[c3 + row]! << 1)
    histogram[b0] = histogram[b0]! + product
    histogram[b0 + 1] = histogram[b0 + 1]! + 1
    histogram[b1] = histogram[b1]! + product
    histogram[b1 + 1] = histogram[b1 + 1]! + 1
    histogram[b2] = histogram[b2]! + product
    histogram[b2 + 1] = histogram[b2 + 1]! + 1
    histogram[b3] = histogram[b3]! + product
    histogram[b3 + 1] = histogram[b3 + 1]! + 1
  }
}

function addFourWeighted(
  histogram: Float64Array,
  binned: BinnedRows,
  weights: Float64Array,
  column: number,
  from: number,
  to: number,
): void {
  const { rows, ordered, count } = binned
  const { bins } = binned.columns
  const c0 = column * count
  const c1 = c0 + count
  const c2 = c1 + count
  const c3 = c2 + count
  const h0 = column * SPAN
  const h1 = h0 + SPAN
  const h2 = h1 + SPAN
  const h3 = h2 + SPAN
  for (let i = from; i < to; i++) {
    const row = rows[i]!
    const product = ordered[i]!
    const weight = weights[row]!
    const b0 = h0 + (bins[c0 + row]! << 1)
    const b1 = h1 + (bins[c1 + row]! << 1)
    const b2 = h2 + (bins[c2 + row]! << 1)
    const b3 = h3 + (bins[c3 + row]! << 1)
    histogram[b0] = histogram[b0]! + product
    histogram[b0 + 1] = histogram[b0 + 1]! + weight
    histogram[b1] = histogram[b1]! + product
    histogram[b1 + 1] = histogram[b1 + 1]! + weight
    histogram[b2] = histogram[b2]! + product
    histogram[b2 + 1] = histogram[b2 + 1]! + weight
    histogram[b3] = histogram[b3]! + product
    histogram[b3 + 1] = histogram[b3 + 1]! + weight
  }
}

function addOne(histogram: Float64Array, binned: BinnedRows, column: number, from: number, to: number): void {
  const { rows, products, weights, count } = binned
  const { bins } = binned.columns
  const base = column * count
  const start = column * SPAN
  for (let i = from; i < to; i++) {
    const row = rows[i]!
    const b = start + (bins[base + row]! << 1)
    histogram[b] = histogram[b]! + products[row]!
    histogram[b + 1] = histogram[b + 1]! + (weights === null ? 1 : weights[row]!)
  }
}
