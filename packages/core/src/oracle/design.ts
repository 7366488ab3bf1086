// Features of the linear reward class: phi(x, z) = 1, every context column, every covariate column, then chosen products
// such as z * x1 or z * z. A product is a list of feature names; a category in it stands for each of its columns.
// Missing indicators: 'intercept' adds 1{z missing} per covariate, 'interacted' adds 1{z missing} times all of the above.

import { invalidOption } from '@primo/numeric'
import type { Encoding } from '../problem/encoding.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import type { ColumnScale } from './column-scale.js'
import type { InputRow } from './oracle.js'
import { type ProductMean, productMeans } from './product-means.js'
import type { RewardFences } from './reward-fences.js'

/** Whether the reward model has columns that say where a value was missing. */
export type MissingIndicator = 'none' | 'intercept' | 'interacted'

/** Which products the linear reward model has: none, all, or those listed by the names of their features. */
export type Interactions = 'none' | 'all' | readonly (readonly string[])[]

/**
 * Which columns are multiplied: indexes into [context columns, covariate columns, 1{z missing} by covariate]; the first terms are the
 * context's and the covariates' columns themselves.
 */
export interface Design {
  readonly contextWidth: number
  readonly covariateWidth: number
  readonly covariateCount: number
  /** Which covariate a covariate column belongs to. */
  readonly owners: readonly number[]
  readonly products: readonly (readonly number[])[]
  readonly indicator: MissingIndicator
  /** By column, what is taken for its value; absent: all as they are declared. */
  readonly scale?: readonly ColumnScale[]
  /** Rewards outside count as the nearer of the two; absent: all count as they are. */
  readonly fences?: RewardFences
}

/** The columns of the linear reward model of a problem. */
export function designOf(
  encoding: Encoding,
  interactions: Interactions = 'none',
  indicator: MissingIndicator = 'none',
): Design {
  if (!['none', 'intercept', 'interacted'].includes(indicator)) {
    invalidOption('oracle.indicator', '"none", "intercept" or "interacted"', indicator)
  }
  const { contextWidth, covariateWidth } = encoding
  const columnsOf = new Map<string, readonly number[]>([
    ...encoding.context.map(({ name, at, width }) => [name, range(at, width)] as const),
    ...encoding.covariates.map(({ name, at, width }) => [name, range(contextWidth + at, width)] as const),
  ])
  const products: number[][] = []
  for (const names of productNames(encoding, interactions)) {
    if (!Array.isArray(names) || names.length < 2) {
      invalidOption('oracle.interactions', 'lists of two or more feature names', names)
    }
    let combinations: number[][] = [[]]
    for (const name of names) {
      const columns = columnsOf.get(name)
      if (columns === undefined)
        invalidOption('oracle.interactions', `over the features ${[...columnsOf.keys()].join(', ')}`, name)
      combinations = combinations.flatMap((chosen) => columns.map((column) => [...chosen, column]))
    }
    products.push(...combinations)
  }
  const owners = encoding.covariates.flatMap(({ width }, which) => Array.from({ length: width }, () => which))
  return { contextWidth, covariateWidth, covariateCount: encoding.covariates.length, owners, products, indicator }
}

function productNames(encoding: Encoding, interactions: Interactions): readonly (readonly string[])[] {
  if (interactions === 'none') return []
  if (interactions === 'all') {
    return encoding.covariates.flatMap(({ name }) => encoding.context.map((feature) => [name, feature.name]))
  }
  if (!Array.isArray(interactions))
    invalidOption('oracle.interactions', '"none", "all", "auto" or a list of products', interactions)
  return interactions as readonly (readonly string[])[]
}

function range(at: number, width: number): readonly number[] {
  return Array.from({ length: width }, (_, k) => at + k)
}

/** Columns without the indicators. */
function baseColumns(design: Design): number {
  return 1 + design.contextWidth + design.covariateWidth + design.products.length
}

/** Number of columns of a design. */
export function designColumns(design: Design): number {
  const base = baseColumns(design)
  if (design.indicator === 'none') return base
  return base + design.covariateCount * (design.indicator === 'intercept' ? 1 : base)
}

/** Whether the features are a constant and the columns themselves. */
export function hasPlainColumns({ products, indicator, scale }: Design): boolean {
  return products.length === 0 && indicator === 'none' && scale === undefined
}

/** A feature's place in phi, and the places of the features whose product is its derivative. */
export interface Derivative {
  readonly feature: number
  readonly factors: readonly number[]
}

/** Derivatives of the features that contain a covariate column; null: one of them is not linear in it. */
export function derivativesIn(design: Design, column: number): readonly Derivative[] | null {
  const { contextWidth: p, covariateWidth: m, covariateCount, products, indicator } = design
  const own = p + column
  if (products.some((product) => product.filter((factor) => factor === own).length > 1)) return null
  const base = baseColumns(design)
  const found: Derivative[] = [{ feature: 1 + own, factors: [] }]
  products.forEach((product, k) => {
    // Columns stand one place further on because of the constant.
    const factors = product.filter((factor) => factor !== own).map((factor) => 1 + factor)
    if (product.includes(own)) found.push({ feature: 1 + p + m + k, factors })
  })
  if (indicator !== 'interacted') return found
  // A block begins with its indicator times the constant.
  const blocks = Array.from({ length: covariateCount }, (_, which) => base * (which + 1))
  return [
    ...found,
    ...blocks.flatMap((block) =>
      found.map(({ feature, factors }) => ({ feature: block + feature, factors: [block, ...factors] })),
    ),
  ]
}

/** Writes phi of one row to out[to ...]. */
export type FeatureWriter = (input: InputRow, row: number, out: Float64Array, to: number) => void

/**
 * Writes phi of `count` rows, `stride` doubles apart: row first + i of the input, or rows[first + i] where there is a list, to place i
 * of `out`, or to slots[i]. The input's columns are looked up once.
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
  const plain = compilePlain(design)
  const write: FeatureWriter = ({ context, covariates, observed }, row, out, to) =>
    plain(context, covariates, observed, row, out, to)
  const means = productMeans(design, spread)
  return means.length === 0 ? write : withMeans(design, write, means)
}

/** The same for many rows, to the bit. */
export function compileDesignRows(design: Design, spread: readonly ResidualMoments[] = []): RowsWriter {
  if (productMeans(design, spread).length > 0) {
    const write = compileDesign(design, spread)
    return (input, rows, first, count, out, stride, slots) => {
      for (let i = 0; i < count; i++)
        write(input, rows === null ? first + i : rows[first + i]!, out, (slots === null ? i : slots[i]!) * stride)
    }
  }
  const plain = compilePlain(design)
  return ({ context, covariates, observed }, rows, first, count, out, stride, slots) => {
    for (let i = 0; i < count; i++) {
      const row = rows === null ? first + i : rows[first + i]!
      plain(context, covariates, observed, row, out, (slots === null ? i : slots[i]!) * stride)
    }
  }
}

function withMeans(design: Design, write: FeatureWriter, means: readonly ProductMean[]): FeatureWriter {
  const { contextWidth: p, covariateWidth: m, covariateCount } = design
  const base = baseColumns(design)
  const interacted = design.indicator === 'interacted'
  return (input, row, out, to) => {
    write(input, row, out, to)
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
}

type PlainWriter = (
  context: Float64Array,
  covariates: Float64Array,
  observed: Uint8Array,
  row: number,
  out: Float64Array,
  to: number,
) => void

function compilePlain(design: Design): PlainWriter {
  const { contextWidth: p, covariateWidth: m, covariateCount, products, indicator, scale = [] } = design
  const linear = 1 + p + m
  const centres = Float64Array.from(scale, ({ centre }) => centre)
  const units = Float64Array.from(scale, ({ unit }) => unit)
  const base = baseColumns(design)
  const block = indicator === 'none' ? 0 : indicator === 'intercept' ? 1 : base
  // Columns stand one place further on because of the constant, which is there in place of an indicator. All products have two
  // factors; what else some have comes after.
  const placeOf = (factor: number) => (factor < p + m ? 1 + factor : 0)
  const first = Int32Array.from(products, (product) => placeOf(product[0]!))
  const second = Int32Array.from(products, (product) => placeOf(product[1]!))
  const further = products.flatMap((product, k) => product.slice(2).map((factor) => [linear + k, placeOf(factor)]))
  const longer = Int32Array.from(further, ([place]) => place!)
  const factors = Int32Array.from(further, ([, factor]) => factor!)
  const gates = products.flatMap((product, k) =>
    product.filter((factor) => factor >= p + m).map((factor) => [linear + k, factor - p - m]),
  )
  const gated = Int32Array.from(gates, ([place]) => place!)
  const gatedBy = Int32Array.from(gates, ([, which]) => which!)
  return (context, covariates, observed, row, out, to) => {
    out[to] = 1
    for (let k = 0, at = row * p; k < p; k++) out[to + 1 + k] = context[at + k]!
    for (let k = 0, at = row * m; k < m; k++) out[to + 1 + p + k] = covariates[at + k]!
    for (let k = 0; k < units.length; k++) out[to + 1 + k] = (out[to + 1 + k]! - centres[k]!) * units[k]!
    for (let k = 0, at = to + linear; k < first.length; k++) out[at + k] = out[to + first[k]!]! * out[to + second[k]!]!
    for (let k = 0; k < longer.length; k++) out[to + longer[k]!] = out[to + longer[k]!]! * out[to + factors[k]!]!
    for (let k = 0; k < gated.length; k++) {
      if (observed[row * covariateCount + gatedBy[k]!] === 1) out[to + gated[k]!] = 0
    }
    if (block === 0) return
    for (let which = 0, next = to + base; which < covariateCount; which++) {
      const missing = observed[row * covariateCount + which] === 1 ? 0 : 1
      for (let k = 0; k < block; k++) out[next++] = missing * out[to + k]!
    }
  }
}
