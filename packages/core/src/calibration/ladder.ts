// The correction ladder (method#ladder): beyond the paper. On the known rows, folds 0 and 1 swap places; for each rung (a prefix
// of the rich basis over g~ and x: bias, linear, cubic, rich) beta_f is the ridge fit on fold f and is judged on the other fold:
//   held(rung) = sum_f RSS_{1-f}(beta_f); the rung with the smallest wins.
//   shrinkage lambda = clip( sum_f beta_f'c_{1-f} / sum_f beta_f'G_{1-f} beta_f, 0, 1 )   (power tuning: 0 is g~ itself)
//   g-hat = g~ + lambda B'(beta_0 + beta_1)/2,   s^2 = sum_f RSS_{1-f}(lambda beta_f) / n.
// All of it comes from sums, so a refit costs no pass over the data. No weights: with h well specified none are needed (E16).
// Options: rows that judge may be weighted otherwise than those that fit; several ridges compete by the same held-out sum; the
// isotonic rung, an increasing map of g~ (ladder-isotonic.ts), competes as the last one; the one-standard-error rule takes the
// lowest rung whose held-out loss is within sqrt(2/n) of the best (as of normal residuals).

import type { Sums } from '@primo/numeric'
import { featureGram, featureTarget, residualSum, ridgeCoefficients, targetSquare } from '@primo/numeric'
import { columnRidge, type RidgeBasis } from './column-ridge.js'
import type { CorrectionClass } from './correction-basis.js'
import type { IsotonicRung } from './ladder-isotonic.js'
import { type MonotoneMap, meanMap, scaleMap } from './monotone-map.js'

export const LADDER = ['bias', 'linear', 'cubic', 'rich'] as const satisfies readonly CorrectionClass[]
export type Rung = (typeof LADDER)[number] | 'isotonic'

/** The basis that a rung's coefficients are in; the isotonic rung has none but a zero bias. */
export function basisOfRung(rung: Rung): CorrectionClass {
  return rung === 'isotonic' ? 'bias' : rung
}

export interface LadderInput {
  /** Per column of the covariate: sums of [B, z - g~] over the known rows of each fold, B the rich basis. */
  readonly folds: readonly (readonly [Sums, Sums])[]
  /** Columns of each rung, in the order of LADDER. */
  readonly prefixes: readonly number[]
  /** Several: the one with the smallest held-out sum is taken. */
  readonly ridge: number | readonly number[]
  /** The basis, where g~ is among its inputs; absent: columns are of the context. */
  readonly basis?: RidgeBasis
  /** Sums by which held-out rows are judged; default `folds` themselves. */
  readonly judge?: readonly (readonly [Sums, Sums])[] | undefined
  readonly rule?: 'smallest' | 'one-standard-error'
  /** The rich rung needs this many known rows. */
  readonly richRows: number
  /** One more rung, beside the basis; absent: none. */
  readonly isotonic?: IsotonicRung | null
}

export interface LadderFit {
  readonly rung: Rung
  readonly ridge: number
  readonly shrinkage: number
  /** Per column of the covariate: lambda (beta_0 + beta_1)/2. */
  readonly coefficients: readonly (readonly number[])[]
  /** The same without shrinkage, by fold: [beta_0, beta_1] per column. */
  readonly byFold: readonly (readonly [readonly number[], readonly number[]])[]
  /** What the isotonic rung adds to g~, shrunk: of both folds and by fold; absent: another rung. */
  readonly map?: MonotoneMap
  readonly mapByFold?: readonly [MonotoneMap, MonotoneMap]
  /** Per column: mean squared held-out residual, inside units. */
  readonly residualVariance: readonly number[]
  /** Mean squared error on held-out rows, summed over columns: of g~ and of g-hat. */
  readonly loss: { readonly pretrained: number; readonly calibrated: number }
  /** Held-out mean squared error of every rung that was tried, before shrinkage. */
  readonly heldOut: readonly { readonly rung: Rung; readonly loss: number }[]
  readonly rows: number
}

export function fitLadder(input: LadderInput): LadderFit {
  const { folds, prefixes, ridge, richRows, judge = folds, rule = 'smallest', isotonic, basis } = input
  const rows = folds[0]![0].count + folds[0]![1].count
  const weight = judge[0]![0].weight + judge[0]![1].weight
  const ridges = typeof ridge === 'number' ? [ridge] : ridge
  const tried: Tried[] = LADDER.flatMap((rung, index) => {
    if (rung === 'rich' && rows < richRows) return []
    const fits = ridges.map((value) => {
      const columns = folds.map((pair, k) => swapped(pair, prefixes[index]!, value, judge[k]!, basis))
      return { rung, ridge: value, columns, loss: total(columns, (column) => column.heldOut) / weight }
    })
    return [fits.reduce(smaller)]
  })
  if (isotonic != null) {
    const scale = weight / isotonic.weight
    const { heldOut, product, square, before } = isotonic
    const nothing = [new Float64Array(1), new Float64Array(1)] as const
    const column = { betas: nothing, heldOut: scale * heldOut, product: scale * product, square: scale * square }
    const columns = [{ ...column, before: scale * before }]
    tried.push({ rung: 'isotonic', ridge: ridges[0]!, columns, loss: heldOut / isotonic.weight })
  }
  const lowest = tried.reduce(smaller)
  const allowed = lowest.loss * (1 + Math.sqrt(2 / Math.max(1, rows)))
  const best = rule === 'smallest' ? lowest : tried.find(({ loss }) => loss <= allowed)!
  const product = total(best.columns, (column) => column.product)
  const square = total(best.columns, (column) => column.square)
  const shrinkage = square > 0 ? Math.min(1, Math.max(0, product / square)) : 0
  const residualVariance = best.columns.map(
    (column) =>
      Math.max(0, column.before - 2 * shrinkage * column.product + shrinkage * shrinkage * column.square) / weight,
  )
  return {
    rung: best.rung,
    ridge: best.ridge,
    shrinkage,
    coefficients: best.columns.map(({ betas: [a, b] }) =>
      Array.from(a, (value, k) => (shrinkage * (value + b[k]!)) / 2),
    ),
    ...(best.rung === 'isotonic' ? mapsOf(isotonic!, shrinkage) : {}),
    byFold: best.columns.map(({ betas: [a, b] }) => [Array.from(a), Array.from(b)]),
    residualVariance,
    loss: {
      pretrained: total(best.columns, (column) => column.before) / weight,
      calibrated: residualVariance.reduce((sum, value) => sum + value, 0),
    },
    heldOut: tried.map(({ rung, loss }) => ({ rung, loss })),
    rows,
  }
}

interface Tried {
  readonly rung: Rung
  readonly ridge: number
  readonly columns: readonly Swapped[]
  readonly loss: number
}

function mapsOf({ maps }: IsotonicRung, shrinkage: number): Pick<LadderFit, 'map' | 'mapByFold'> {
  const [a, b] = [scaleMap(maps[0], shrinkage), scaleMap(maps[1], shrinkage)]
  return { map: meanMap(a, b), mapByFold: [a, b] }
}

interface Swapped {
  readonly betas: readonly [Float64Array, Float64Array]
  /** sum_f RSS_{1-f}(beta_f), sum_f beta_f'c_{1-f}, sum_f beta_f'G_{1-f}beta_f, sum of y^2. */
  readonly heldOut: number
  readonly product: number
  readonly square: number
  readonly before: number
}

function smaller<T extends { readonly loss: number }>(found: T, one: T): T {
  return one.loss < found.loss ? one : found
}

function swapped(
  pair: readonly [Sums, Sums],
  columns: number,
  ridge: number,
  judge: readonly [Sums, Sums],
  basis: RidgeBasis | undefined,
): Swapped {
  const parts = [prefixOf(pair[0], columns), prefixOf(pair[1], columns)] as const
  const fit = (part: Sums) => ridgeCoefficients(part, basis === undefined ? ridge : columnRidge(ridge, part, basis))
  const betas = [fit(parts[0]), fit(parts[1])] as const
  const judges = judge === pair ? parts : ([prefixOf(judge[0], columns), prefixOf(judge[1], columns)] as const)
  let heldOut = 0
  let product = 0
  let square = 0
  for (const f of [0, 1] as const) {
    const beta = betas[f]
    const other = judges[1 - f]!
    heldOut += residualSum(other, beta)
    const target = featureTarget(other)
    const gram = featureGram(other)
    for (let i = 0; i < columns; i++) {
      product += beta[i]! * target[i]!
      for (let j = 0; j < columns; j++) square += beta[i]! * gram[i * columns + j]! * beta[j]!
    }
  }
  return { betas, heldOut, product, square, before: targetSquare(judges[0]) + targetSquare(judges[1]) }
}

/** The sums of the first `columns` features and the target. */
export function prefixOf(sums: Sums, columns: number): Sums {
  if (columns === sums.columns) return sums
  const from = sums.columns + 1
  const to = columns + 1
  const gram = new Float64Array(to * to)
  for (let i = 0; i < to; i++) {
    const row = i === columns ? sums.columns : i
    for (let j = i; j < to; j++) gram[i * to + j] = sums.gram[row * from + (j === columns ? sums.columns : j)]!
  }
  return { columns, count: sums.count, weight: sums.weight, gram }
}

function total<T>(list: readonly T[], value: (item: T) => number): number {
  return list.reduce((sum, item) => sum + value(item), 0)
}
