// The reward model that the checks ask, f_w: the one of the complete rounds, f_cc, and what those rounds leave of it in squares,
// cubes and products, which the reward class may lack:
//   theta_w = theta_cc + (sum phi phi' + R)^-1 sum phi (r - f_cc),  by action, R the ridge: 1 on added columns, 0.05 on the others.
// Where the class is wrong, f_cc errs on missing rows as it does on like rows that were seen; what those show is taken out here, so
// that the test for missing at random is not blamed for it. The columns are those that a correction may have: what it could take for
// its own, the reward class must be able to take first. Of many the ones are added that complete rounds miss most (missed-columns.ts).
// Lack of fit: how clearly columns are needed, as a normal deviate: all together, or the one that is missed most.

import { cholesky, featureGram, invertCholesky, residualSum, ridgeCoefficients } from '@primo/numeric'
import { actionSums, forgetSums } from '../oracle/action-sums.js'
import { columnsOf } from '../oracle/chosen-design.js'
import { columnPairs } from '../oracle/column-pairs.js'
import { type Design, designColumns } from '../oracle/design.js'
import type { LinearModel } from '../oracle/linear-model.js'
import type { Encoding } from '../problem/encoding.js'
import type { RewardRows } from '../rounds/reward-rows.js'
import { shiftTarget } from './audit.js'
import { chiSquareDeviate } from './chi-square-deviate.js'
import { missedColumns } from './missed-columns.js'

/** At most this many columns are added. */
const MAX_ADDED = 48
/** Cells of the Gram matrices of all actions that columns to choose from may fill. */
const MAX_CELLS = 2 ** 20
const RIDGE = 0.05
const ADDED_RIDGE = 1

export interface WiderReward {
  readonly model: LinearModel
  readonly lackOfFit: number
}

/** `products`: those of a wider model before, which are added again; absent: they are chosen. */
export function widerReward(
  complete: RewardRows,
  completeCase: LinearModel,
  encoding: Encoding,
  which: number,
  products?: Design['products'],
): WiderReward {
  const { design } = completeCase
  const base = designColumns(design)
  const all: Design = { ...design, products: products ?? [...design.products, ...candidates(design, encoding, which)] }
  const allSums = actionSums(complete, all, 'wider')
  forgetSums(complete, 'wider')
  const tried = designColumns(all) - base
  const { missed, deviate } = missedColumns(allSums, base, { before: RIDGE, own: ADDED_RIDGE }, MAX_ADDED)
  const wide: Design = {
    ...design,
    products: [...design.products, ...missed.map((column) => all.products[design.products.length + column - base]!)],
  }
  const wideSums = allSums.map((sums) => columnsOf(sums, [...Array.from({ length: base }, (_, k) => k), ...missed]))
  const columns = base + missed.length
  const ridge = Float64Array.from({ length: columns }, (_, k) => (k < base ? RIDGE : ADDED_RIDGE))
  let before = 0
  let after = 0
  let count = 0
  let used = 0
  const fits = wideSums.map((sums, a) => {
    const start = completeCase.coefficients[a]!
    const left = shiftTarget(sums, start)
    const change = ridgeCoefficients(left, ridge)
    const covariance = invertCholesky(cholesky(featureGram(left, ridge), columns), columns)
    before += residualSum(left, new Float64Array(columns))
    after += residualSum(left, change)
    count += sums.weight
    for (let k = 0; k < columns; k++) used += 1 - ridge[k]! * covariance[k * columns + k]!
    return {
      coefficients: Array.from(change, (value, k) => (start[k] ?? 0) + value),
      covariance: Array.from(covariance),
    }
  })
  const variance = after / Math.max(1, count - used)
  // Where the ridge holds columns back this is more than they can gain by chance.
  const added = Math.max(1, fits.length * tried)
  return {
    model: {
      ...completeCase,
      design: wide,
      coefficients: fits.map(({ coefficients }) => coefficients),
      covariance: fits.map(({ covariance }) => covariance),
      sigma: Math.sqrt(variance),
    },
    lackOfFit: variance > 0 ? Math.max(deviate, chiSquareDeviate((before - after) / variance, added)) : 0,
  }
}

/** Squares, cubes and products that the design has not, as lists of columns: first those with the covariate, products of others last. */
function candidates(design: Design, encoding: Encoding, which: number): number[][] {
  const own = design.contextWidth + encoding.covariates[which]!.at
  const pairs = columnPairs(encoding)
  const numbers = pairs.flatMap(([a, b]) => (a === b && a !== own ? [a] : []))
  const withOwn = pairs.filter((pair) => pair.includes(own))
  const others = pairs.filter(([a, b]) => a !== b && a !== own && b !== own)
  const there = new Set(design.products.map((product) => [...product].sort((a, b) => a - b).join()))
  const most = Math.floor(Math.sqrt(MAX_CELLS / encoding.actions.length)) - designColumns(design) - 1
  return [[own, own, own], ...withOwn, ...numbers.map((k) => [k, k]), ...numbers.map((k) => [k, k, k]), ...others]
    .filter((product) => !there.has(product.join()))
    .slice(0, Math.max(1, most))
    .map((product) => [...product])
}
