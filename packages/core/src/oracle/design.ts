// Features of the linear reward class: phi(x, z) = 1, every context column, every covariate column, then chosen products
// such as z * x1 or z * z. A product is a list of feature names; a category in it stands for each of its columns.
// Missing indicators: 'intercept' adds 1{z missing} per covariate, 'interacted' adds 1{z missing} times all of the above.

import { invalidOption } from '@primo/numeric'
import type { Encoding } from '../problem/encoding.js'

/** Whether the reward model has columns that say where a value was missing. */
export type MissingIndicator = 'none' | 'intercept' | 'interacted'

/** Which products the linear reward model has: none, all, or those listed by the names of their features. */
export type Interactions = 'none' | 'all' | readonly (readonly string[])[]

/**
 * Which columns are multiplied: indexes into [context columns, covariate columns].
 */
export interface Design {
  readonly contextWidth: number
  readonly covariateWidth: number
  readonly covariateCount: number
  /** Which covariate a covariate column belongs to. */
  readonly owners: readonly number[]
  readonly products: readonly (readonly number[])[]
  readonly indicator: MissingIndicator
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
    invalidOption('oracle.interactions', '"none", "all" or a list of products', interactions)
  return interactions as readonly (readonly string[])[]
}

function range(at: number, width: number): readonly number[] {
  return Array.from({ length: width }, (_, k) => at + k)
}

/** Columns without the indicators. */
export function baseColumns(design: Design): number {
  return 1 + design.contextWidth + design.covariateWidth + design.products.length
}

/** Number of columns of a design. */
export function designColumns(design: Design): number {
  const base = baseColumns(design)
  if (design.indicator === 'none') return base
  return base + design.covariateCount * (design.indicator === 'intercept' ? 1 : base)
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
