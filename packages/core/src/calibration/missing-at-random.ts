// Is the value missing at random? A test from rewards (method#mar-test). f_cc is the reward model of the complete rounds, g-hat the
// unshrunk correction of the largest rung, slope = d f_cc/dz at (x, g-hat, a), u = r - f_cc(x, g-hat, a), sums over missing rows:
//   t = S / sqrt(V),  S = sum slope u,
//   V = sum slope^2 u^2 + sum_k sigma^2 c_k' A_k^-1 c_k + d' V_beta d,
//   c_k = sum over a = k of slope phi,  d = sum slope^2 B,  V_beta = s_eta^2 (B'B + ridge)^-1 on the known rows.
// The last two terms are the errors of f_cc and of g-hat; without them the test rejects a fifth of true cases at 5%.
// A rejection says: missing at random, the correction class or the reward model is wrong.

import {
  addSums,
  addWeightedRows,
  cholesky,
  emptySums,
  featureGram,
  residualSum,
  ridgeCoefficients,
  type Sums,
  solveCholesky,
} from '@primo/numeric'
import { designColumns } from '../oracle/design.js'
import { columnRidge } from './column-ridge.js'
import { correctMissing, MISSING_ROWS } from './missing-rows.js'
import type { RowsVisitor } from './reward-informed.js'
import type { RewardInput } from './reward-probe.js'

export interface MarTestInput extends Pick<RewardInput, 'completeCase' | 'basis' | 'moved'> {
  /** Sums of [B, z - g~] over the known rows of both folds; with `moved`, after that. */
  readonly folds: readonly [Sums, Sums]
  readonly ridge: number
}

export interface MarTest {
  readonly statistic: number
  readonly missing: number
  /** sum slope^2: how much rewards can say about the missing values. */
  readonly information: number
}

export interface MarTester extends RowsVisitor {
  /** The test on the rows visited. */
  readonly result: () => MarTest
}

/** Visits all missing rows once; works beside what else is asked of them. */
export function marTester({ completeCase, basis, ridge, folds, moved }: MarTestInput): MarTester {
  const known = emptySums(basis.columns)
  for (const sums of folds) addSums(known, sums)
  const ridges = columnRidge(ridge, known, basis)
  const correction = ridgeCoefficients(known, ridges)
  const noise = residualSum(known, correction) / Math.max(1, known.count - basis.columns)
  const columns = designColumns(completeCase.design)
  const actions = completeCase.coefficients.length
  const g = new Float64Array(MISSING_ROWS)
  const slopes = new Float64Array(MISSING_ROWS)
  const squares = new Float64Array(MISSING_ROWS)
  const values = new Float64Array(MISSING_ROWS)
  // c_k one after the other.
  const c = new Float64Array(actions * columns)
  const d = new Float64Array(basis.columns)
  let sum = 0
  let variance = 0
  let missing = 0
  let information = 0
  return {
    visit: (rows, { slopesAt, valuesAt, features }) => {
      const { count, reward, action, b } = rows
      correctMissing(rows, basis.columns, correction, g, moved)
      slopesAt(rows, g, slopes)
      valuesAt(rows, g, values)
      for (let row = 0, at = 0; row < count; row++) {
        const slope = slopes[row]!
        const u = reward[row]! - values[row]!
        for (let k = action[row]! * columns, end = k + columns; k < end; k++) c[k] = c[k]! + slope * features[at++]!
        squares[row] = slope * slope
        sum += slope * u
        variance += slope * slope * u * u
        information += slope * slope
      }
      addWeightedRows(b, count, basis.columns, squares, basis.columns, d)
      missing += count
    },
    result: () => {
      let total = variance
      completeCase.covariance!.forEach((matrix, k) => {
        total += completeCase.sigma ** 2 * quadratic(matrix, c.subarray(k * columns, (k + 1) * columns))
      })
      const solved = solveCholesky(cholesky(featureGram(known, ridges), basis.columns), basis.columns, d)
      let spread = 0
      for (let k = 0; k < d.length; k++) spread += d[k]! * solved[k]!
      total += noise * spread
      return { statistic: total > 0 ? sum / Math.sqrt(total) : 0, missing, information }
    },
  }
}

function quadratic(matrix: readonly number[], vector: Float64Array): number {
  const n = vector.length
  let sum = 0
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) sum += vector[i]! * matrix[i * n + j]! * vector[j]!
  return sum
}
