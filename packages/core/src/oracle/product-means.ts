// Means of products with powers of missing covariates (method#distribution): each missing z of a product counts E[(g + eta)^k], as if
// what imputations leave open were independent. Products that are linear in every missing value keep their plug-in value to the bit.

import { meanPower, type ResidualMoments } from '../residuals/residual-moments.js'
import type { Design } from './design.js'
import type { InputRow } from './oracle.js'

export interface ProductMean {
  /** The product's place among the products. */
  readonly index: number
  /** Its mean at a row; undefined: the plug-in value is the mean. */
  readonly mean: (input: InputRow, row: number) => number | undefined
}

/** Products whose mean differs from their value at the imputed covariates. */
export function productMeans(design: Design, spread: readonly ResidualMoments[]): readonly ProductMean[] {
  const { contextWidth: p, covariateWidth: m, covariateCount: c, owners, products } = design
  return products.flatMap((factors, index): ProductMean[] => {
    const own = factors.filter((factor) => factor >= p && factor < p + m).map((factor) => factor - p)
    const raised = [...new Set(own)].map((column) => {
      const power = own.filter((one) => one === column).length
      return { column, power, which: owners[column]!, moments: spread[owners[column]!] ?? null }
    })
    const bent = raised.filter(({ power, moments }) => power > 1 && moments !== null)
    if (bent.length === 0) return []
    const mean: ProductMean['mean'] = ({ context, covariates, observed }, row) => {
      if (bent.every(({ which }) => observed[row * c + which] === 1)) return undefined
      let value = 1
      for (const { column, power, which, moments } of raised) {
        const z = covariates[row * m + column]!
        value *= observed[row * c + which] === 1 || moments === null ? z ** power : meanPower(z, power, moments)
      }
      for (const factor of factors) if (factor < p) value *= context[row * p + factor]!
      return value
    }
    return [{ index, mean }]
  })
}
