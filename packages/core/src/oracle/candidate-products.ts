// Products that the data may ask for (interactions 'auto'): every covariate column times every context column and every column of
// another covariate, squares of numbers, z * z * x where both z * z and z * x were chosen before, and, for values that are not missing
// at random, 1{z missing} alone and times every context column.

import type { Encoding } from '../problem/encoding.js'
import { columnPairs } from './column-pairs.js'
import { type Design, designColumns } from './design.js'

/** Cells of the Gram matrices of all actions that candidates may fill; beyond it there are fewer candidates. */
const MAX_CELLS = 2 ** 19

export interface Candidates {
  /** Of the constant and the plain columns: whether each is a number. */
  readonly numbers: readonly boolean[]
  /** The design with all candidates as its products, given the products chosen before. */
  readonly design: (before: Design['products']) => Design
  /** By product of that design, how many there are of its kind: indicators alone are one, all others the other. */
  readonly alike: (design: Design) => readonly number[]
}

export function candidateProducts(encoding: Encoding, given: Design): Candidates {
  const plain: Design = { ...given, indicator: 'none' }
  const { contextWidth: p } = encoding
  const all = columnPairs(encoding)
  const squares = all.filter(([a, b]) => a === b && a >= p)
  const contextSquares = all.filter(([a, b]) => a === b && a < p)
  // The covariate comes first.
  const pairs = all.flatMap(([a, b]) => (a === b || b < p ? [] : [a < p ? [b, a] : [a, b]]))
  const missing = given.indicator === 'none' ? encoding.covariates.map((_, k) => p + encoding.covariateWidth + k) : []
  // A product has two factors: an indicator alone is its square.
  const alone = missing.map((k) => [k, k])
  const byContext = missing.flatMap((k) => Array.from({ length: p }, (_, column) => [k, column]))
  const fits = (products: Design['products']) =>
    (designColumns({ ...plain, products }) + 1) ** 2 * encoding.actions.length <= MAX_CELLS
  const first =
    [
      [...squares, ...pairs, ...contextSquares, ...alone, ...byContext],
      [...squares, ...pairs, ...alone, ...byContext],
      [...squares, ...pairs, ...alone],
      [...squares, ...alone],
    ].find(fits) ?? []
  const isNumber = [...encoding.context, ...encoding.covariates].flatMap(({ feature, width }) =>
    Array.from({ length: width }, () => feature.type === 'number'),
  )
  const design = (before: Design['products']) => {
    const has = (a: number, b: number) =>
      before.some((product) => product.length === 2 && product[0] === a && product[1] === b)
    const second = pairs.flatMap(([a, b]) => (b! < p && has(a!, a!) && has(a!, b!) ? [[a!, a!, b!]] : []))
    const products = [...first, ...second]
    return { ...plain, products: fits(products) ? products : first }
  }
  const alike = ({ products }: Design) => {
    const indicators = products.map(([a, b]) => a === b && missing.includes(a!))
    const count = indicators.filter((is) => is).length
    return indicators.map((is) => (is ? count : products.length - count))
  }
  return { numbers: [false, ...isNumber], design, alike }
}
