// Writes phi of rows: the columns of a design (design.ts), products, indicators, and the means of powers of what is missing.

import type { ResidualMoments } from '../residuals/residual-moments.js'
import { baseColumns, type Design } from './design.js'
import type { InputRow } from './oracle.js'
import { type ProductMean, productMeans } from './product-means.js'

/** Writes phi of one row to out[to ...]. */
export type FeatureWriter = (input: InputRow, row: number, out: Float64Array, to: number) => void

/**
 * Writes phi of `count` rows, `stride` doubles apart: row first + i of the input, or rows[first + i] where there is a list, to place i
 * of `out`, or to slots[i].
 */
export type RowsWriter = (
  input: InputRow,
  rows: Int32Array | null,
  first: number,
  count: number,
  out: Float64Array,
  stride: number,
  slots: Int32Array | null,
) => void

/**
 * With `spread`, powers of a missing covariate are averaged over what its imputation leaves open; features linear in it are
 * the same with and without.
 */
export function compileDesign(design: Design, spread: readonly ResidualMoments[] = []): FeatureWriter {
  const places = placesOf(design, spread)
  return (input, row, out, to) => writeRows(places, input, null, row, 1, out, to, 0, null)
}

/** The same for many rows, to the bit. */
export function compileDesignRows(design: Design, spread: readonly ResidualMoments[] = []): RowsWriter {
  const places = placesOf(design, spread)
  return (input, rows, first, count, out, stride, slots) =>
    writeRows(places, input, rows, first, count, out, 0, stride, slots)
}

/** Where everything stands in phi. */
interface Places {
  readonly contextWidth: number
  readonly covariateWidth: number
  readonly covariateCount: number
  /** By product its first two factors, then the factors that some have beyond two: the product's place and the factor's. */
  readonly first: Int32Array
  readonly second: Int32Array
  readonly longer: Int32Array
  readonly factors: Int32Array
  /** Columns without indicators, and those that each indicator adds. */
  readonly base: number
  readonly block: number
  readonly interacted: boolean
  readonly means: readonly ProductMean[]
}

function placesOf(design: Design, spread: readonly ResidualMoments[]): Places {
  const { contextWidth: p, covariateWidth: m, covariateCount, products, indicator } = design
  const linear = 1 + p + m
  const base = baseColumns(design)
  // Columns stand one place further on because of the constant.
  const placeOf = (factor: number) => 1 + factor
  const further = products.flatMap((product, k) => product.slice(2).map((factor) => [linear + k, placeOf(factor)]))
  return {
    contextWidth: p,
    covariateWidth: m,
    covariateCount,
    first: Int32Array.from(products, (product) => placeOf(product[0]!)),
    second: Int32Array.from(products, (product) => placeOf(product[1]!)),
    longer: Int32Array.from(further, ([place]) => place!),
    factors: Int32Array.from(further, ([, factor]) => factor!),
    base,
    block: indicator === 'none' ? 0 : indicator === 'intercept' ? 1 : base,
    interacted: indicator === 'interacted',
    means: productMeans(design, spread),
  }
}

function writeRows(
  places: Places,
  input: InputRow,
  rows: Int32Array | null,
  from: number,
  count: number,
  out: Float64Array,
  start: number,
  stride: number,
  slots: Int32Array | null,
): void {
  const { contextWidth: p, covariateWidth: m, covariateCount, base, block, means } = places
  const { first, second, longer, factors } = places
  const { context, covariates, observed } = input
  const products = first.length
  for (let i = 0; i < count; i++) {
    const row = rows === null ? from + i : rows[from + i]!
    const to = start + (slots === null ? i : slots[i]!) * stride
    out[to] = 1
    for (let k = 0, at = row * p; k < p; k++) out[to + 1 + k] = context[at + k]!
    for (let k = 0, at = row * m; k < m; k++) out[to + 1 + p + k] = covariates[at + k]!
    for (let k = 0, at = to + 1 + p + m; k < products; k++) out[at + k] = out[to + first[k]!]! * out[to + second[k]!]!
    for (let k = 0; k < longer.length; k++) out[to + longer[k]!] = out[to + longer[k]!]! * out[to + factors[k]!]!
    if (block > 0)
      for (let which = 0, next = to + base; which < covariateCount; which++) {
        const missing = observed[row * covariateCount + which] === 1 ? 0 : 1
        for (let k = 0; k < block; k++) out[next++] = missing * out[to + k]!
      }
    if (means.length > 0) writeMeans(places, input, row, out, to)
  }
}

/** In place of products of what was filled in. */
function writeMeans(places: Places, input: InputRow, row: number, out: Float64Array, to: number): void {
  const { contextWidth: p, covariateWidth: m, covariateCount, base, interacted, means } = places
  for (const { index, mean } of means) {
    const value = mean(input, row)
    if (value === undefined) continue
    const column = 1 + p + m + index
    out[to + column] = value
    if (!interacted) continue
    for (let k = 0; k < covariateCount; k++) {
      if (input.observed[row * covariateCount + k] !== 1) out[to + base * (k + 1) + column] = value
    }
  }
}
