// The reward model that the checks ask, f_w: the one of the complete rounds, f_cc, and what those rounds leave of it in squares,
// products and the covariate's cube, which the reward class may lack:
//   theta_w = theta_cc + (sum phi phi' + R)^-1 sum phi (r - f_cc),  by action, R the ridge: 1 on added columns, 0.05 on the others.
// Where the class is wrong, f_cc errs on missing rows as it does on like rows that were seen; what those show is taken out here, so
// that the test for missing at random is not blamed for it. Lack of fit: how clearly the added columns are needed, as a normal deviate.

import { cholesky, featureGram, invertCholesky, residualSum, ridgeCoefficients } from '@primo/numeric'
import { actionSums, forgetSums } from '../oracle/action-sums.js'
import { columnPairs } from '../oracle/column-pairs.js'
import { type Design, designColumns } from '../oracle/design.js'
import type { LinearModel } from '../oracle/linear-model.js'
import type { Encoding } from '../problem/encoding.js'
import type { RewardRows } from '../rounds/reward-rows.js'
import { shiftTarget } from './audit.js'
import { chiSquareDeviate } from './chi-square-deviate.js'

/** At most this many columns are added: first those with the covariate, then squares, then other products. */
const MAX_ADDED = 48
const RIDGE = 0.05
const ADDED_RIDGE = 1

export interface WiderReward {
  readonly model: LinearModel
  readonly lackOfFit: number
}

export function widerReward(
  complete: RewardRows,
  completeCase: LinearModel,
  encoding: Encoding,
  which: number,
): WiderReward {
  const { design } = completeCase
  const base = designColumns(design)
  const wide: Design = { ...design, products: [...design.products, ...addedProducts(design, encoding, which)] }
  const columns = designColumns(wide)
  const ridge = Float64Array.from({ length: columns }, (_, k) => (k < base ? RIDGE : ADDED_RIDGE))
  let before = 0
  let after = 0
  let count = 0
  let used = 0
  const wideSums = actionSums(complete, wide, 'wider')
  forgetSums(complete, 'wider')
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
  const added = Math.max(1, fits.length * (columns - base))
  return {
    model: {
      ...completeCase,
      design: wide,
      coefficients: fits.map(({ coefficients }) => coefficients),
      covariance: fits.map(({ covariance }) => covariance),
      sigma: Math.sqrt(variance),
    },
    lackOfFit: variance > 0 ? chiSquareDeviate((before - after) / variance, added) : 0,
  }
}

/** The covariate's cube, squares and products that the design has not, as lists of columns. */
function addedProducts(design: Design, encoding: Encoding, which: number): number[][] {
  const own = design.contextWidth + encoding.covariates[which]!.at
  const rank = ([a, b]: readonly [number, number]) => (a === own || b === own ? 0 : a === b ? 1 : 2)
  const pairs = columnPairs(encoding)
  const there = new Set(design.products.map((product) => [...product].sort((a, b) => a - b).join()))
  return [[own, own, own], ...[0, 1, 2].flatMap((wanted) => pairs.filter((pair) => rank(pair) === wanted))]
    .filter((product) => !there.has(product.join()))
    .slice(0, MAX_ADDED)
    .map((product) => [...product])
}
