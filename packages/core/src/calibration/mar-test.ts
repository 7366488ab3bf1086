// Is the value missing at random? A test from rewards (SPEC D5 iv). f_cc is the reward model of the complete rounds, g-hat the
// unshrunk correction of the largest rung, slope = d f_cc/dz at (x, g-hat, a), u = r - f_cc(x, g-hat, a), sums over missing rows:
//   t = S / sqrt(V),  S = sum slope u,
//   V = sum slope^2 u^2 + sum_k sigma^2 c_k' A_k^-1 c_k + d' V_beta d,
//   c_k = sum over a = k of slope phi,  d = sum slope^2 B,  V_beta = s_eta^2 (B'B + ridge)^-1 on the known rows.
// The last two terms are the errors of f_cc and of g-hat; without them the test rejects a fifth of true cases at 5%.
// A rejection says: missing at random, the correction class or the reward model is wrong.

import { cholesky, solveCholesky } from '../numeric/cholesky.js'
import { addWeightedRows } from '../numeric/dots.js'
import { featureGram, residualSum, ridgeCoefficients } from '../numeric/least-squares.js'
import { addSums, emptySums, type Sums } from '../numeric/sums.js'
import { designColumns } from '../oracle/design.js'
import { correctRows, MISSING_ROWS, missingRows } from './missing-rows.js'
import { type RewardInput, rewardProbe } from './reward-probe.js'

export interface MarTestInput extends RewardInput {
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

export function marTest(input: MarTestInput): MarTest {
  const { table, range, encoding, which, completeCase, basis, ridge } = input
  const known = emptySums(basis.columns)
  for (const sums of input.folds) addSums(known, sums)
  const correction = ridgeCoefficients(known, ridge)
  const noise = residualSum(known, correction) / Math.max(1, known.count - basis.columns)
  const probe = rewardProbe(input)
  const columns = designColumns(completeCase.design)
  const actions = completeCase.coefficients.length
  const b = new Float64Array(MISSING_ROWS * basis.columns)
  const g = new Float64Array(MISSING_ROWS)
  const slopes = new Float64Array(MISSING_ROWS)
  const squares = new Float64Array(MISSING_ROWS)
  const values = new Float64Array(MISSING_ROWS)
  const c = Array.from({ length: actions }, () => new Float64Array(columns))
  const d = new Float64Array(basis.columns)
  let sum = 0
  let variance = 0
  let missing = 0
  let information = 0
  for (const rows of missingRows(table, range, encoding, which)) {
    correctRows(rows, basis, correction, b, g, input.moved)
    probe.slopesAt(rows, g, slopes)
    probe.valuesAt(rows, g, values)
    for (let row = 0, at = 0; row < rows.count; row++, at += columns) {
      const slope = slopes[row]!
      const u = rows.reward[row]! - values[row]!
      const own = c[rows.action[row]!]!
      for (let k = 0; k < columns; k++) own[k] = own[k]! + slope * probe.features[at + k]!
      squares[row] = slope * slope
      sum += slope * u
      variance += slope * slope * u * u
      information += slope * slope
    }
    addWeightedRows(b, rows.count, basis.columns, squares, basis.columns, d)
    missing += rows.count
  }
  completeCase.covariance!.forEach((matrix, k) => {
    variance += completeCase.sigma ** 2 * quadratic(matrix, c[k]!)
  })
  const solved = solveCholesky(cholesky(featureGram(known, ridge), basis.columns), basis.columns, d)
  let spread = 0
  for (let k = 0; k < d.length; k++) spread += d[k]! * solved[k]!
  variance += noise * spread
  return { statistic: variance > 0 ? sum / Math.sqrt(variance) : 0, missing, information }
}

function quadratic(matrix: readonly number[], vector: Float64Array): number {
  const n = vector.length
  let sum = 0
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) sum += vector[i]! * matrix[i * n + j]! * vector[j]!
  return sum
}
