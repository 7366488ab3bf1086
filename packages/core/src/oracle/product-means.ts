// Means of products that contain missing covariates (method#distribution): phi_k = x... z_1^a z_2^b..., each missing z_j being
// g_j + eta_j.
//   one covariate missing: x... E[(g + eta)^a] in closed form (residual-moments.ts);
//   several: the mean over 16 joint residual vectors of (g_1 + eta_1)^a (g_2 + eta_2)^b; without them, as if independent.
// Features that are linear in what is missing, and not a product of two missing values, keep their plug-in value to the bit.

import {
  asSpread,
  meanPower,
  type ResidualMoments,
  type ResidualSpread,
  spreadScale,
} from '../residuals/residual-moments.js'
import { type ColumnScale, DECLARED, inScale } from './column-scale.js'
import type { Design } from './design.js'
import type { InputRow } from './oracle.js'

/** A numeric covariate in a product, with what its imputation leaves open. */
interface Raised {
  readonly which: number
  readonly column: number
  readonly power: number
  readonly spread: ResidualSpread
  readonly scale: ColumnScale
}

export interface ProductMean {
  /** The product's place among the products. */
  readonly index: number
  /** Its mean at a row; undefined: the plug-in value is the mean. */
  readonly mean: (input: InputRow, row: number) => number | undefined
}

/** Products whose mean differs from their value at the imputed covariates. */
export function productMeans(design: Design, spread: readonly ResidualMoments[]): readonly ProductMean[] {
  const { contextWidth: p, covariateWidth: m, owners, products, scale } = design
  return products.flatMap((factors, index): ProductMean[] => {
    const raised: Raised[] = []
    const fixed: number[] = []
    for (const column of new Set(
      factors.filter((factor) => factor >= p && factor < p + m).map((factor) => factor - p),
    )) {
      const which = owners[column]!
      const power = factors.filter((factor) => factor - p === column).length
      const open = asSpread(spread[which])
      if (open !== null) raised.push({ which, column, power, spread: open, scale: scale?.[p + column] ?? DECLARED })
      else for (let k = 0; k < power; k++) fixed.push(column)
    }
    const matters = raised.length > 1 || raised.some(({ power }) => power > 1)
    return matters ? [{ index, mean: meanOf(design, raised, fixed, factors) }] : []
  })
}

function meanOf(
  { contextWidth: p, covariateWidth: m, covariateCount: c, scale: scales }: Design,
  raised: readonly Raised[],
  fixed: readonly number[],
  factors: readonly number[],
): ProductMean['mean'] {
  const others = factors.filter((factor) => factor < p)
  const scaled = (value: number, column: number) => inScale(value, scales?.[column] ?? DECLARED)
  if (raised.length === 1 && fixed.length === 0) return powerMean(p, m, c, raised[0]!, others, scaled)
  const joint = raised.every(({ spread }) => spread.joint !== undefined)
  const points = joint ? raised[0]!.spread.joint!.length : 0
  return (input, row) => {
    const { observed, covariates, context, modelSd } = input
    let missing = 0
    for (const { which } of raised) if (observed[row * c + which] !== 1) missing++
    if (missing === 0) return undefined
    let value = 1
    if (missing > 1 && joint) {
      let sum = 0
      for (let i = 0; i < points; i++) {
        let product = 1
        for (const { which, column, power, spread, scale } of raised) {
          if (observed[row * c + which] === 1) continue
          const eta = spread.joint![i]! * spreadScale(spread, context, row * p, modelSd?.[row * c + which])
          product *= inScale(covariates[row * m + column]! + eta, scale) ** power
        }
        sum += product
      }
      value = sum / points
    }
    for (const { which, column, power, spread, scale } of raised) {
      const z = inScale(covariates[row * m + column]!, scale)
      if (observed[row * c + which] === 1) value *= z ** power
      else if (!(missing > 1 && joint))
        value *= meanPower(
          z,
          power,
          spread.moments,
          scale.unit * spreadScale(spread, context, row * p, modelSd?.[row * c + which]),
        )
    }
    for (const column of fixed) value *= scaled(covariates[row * m + column]!, p + column)
    for (const other of others) value *= scaled(context[row * p + other]!, other)
    return value
  }
}

/** One covariate, raised: the usual case. */
function powerMean(
  p: number,
  m: number,
  c: number,
  { which, column, power, spread, scale: units }: Raised,
  others: readonly number[],
  scaled: (value: number, column: number) => number,
): ProductMean['mean'] {
  const { moments } = spread
  return ({ observed, covariates, context, modelSd }, row) => {
    if (observed[row * c + which] === 1) return undefined
    const scale = spreadScale(spread, context, row * p, modelSd?.[row * c + which])
    let value = meanPower(inScale(covariates[row * m + column]!, units), power, moments, units.unit * scale)
    for (const other of others) value *= scaled(context[row * p + other]!, other)
    return value
  }
}
