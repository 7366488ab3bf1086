// Is the value missing at random? A test from rewards (method#mar-test). f is the reward model of the complete rounds, in a wider
// class where they need one (wider-reward.ts), g-hat the unshrunk correction of the largest rung, slope = df/dz at (x, g-hat, a), u = r - f(x, g-hat, a); b are
// the first columns of B: 1, g~ and the context. Sums over missing rows:
//   S = sum slope u b,   V = sum slope^2 u^2 b b' + sum_k sigma^2 C_k A_k^-1 C_k' + D V_beta D',
//   C_k = sum over a = k of slope b phi',  D = sum slope^2 b B',  V_beta = s_eta^2 (B'B + ridge)^-1 on the known rows.
// The last two terms are the errors of f and of g-hat; without them the test rejects a fifth of true cases at 5%.
// P = sum slope (f_w - f_cc) b is what a wider class, fitted on observed rows alone, explains of the missing rows' residuals. A class
// that is wrong in one way is seldom right in all others, so what is left must be larger than P: |S| - |P| in the norm of V^-1 takes
// the place of |S| in the look along b, and |S_1| - |P_1| that of |S_1| where observed rows reject the policy's class.
// t = S_1/sqrt(V_11) looks for a shift of all missing values, S'V^-1 S for one that changes with b and may cancel over contexts. The
// statistic is a normal deviate with the smaller of the two tail probabilities, each divided by its share of the level (0.8 and 0.2).
// A rejection says: not missing at random, or the rich correction class or the wide reward class is wrong.

import {
  addSums,
  cholesky,
  emptySums,
  featureGram,
  normalDistribution,
  normalQuantile,
  residualSum,
  ridgeCoefficients,
  type Sums,
  solveCholesky,
} from '@primo/numeric'
import { designColumns } from '../oracle/design.js'
import type { LinearModel } from '../oracle/linear-model.js'
import { chiSquareDeviate } from './chi-square-deviate.js'
import { columnRidge } from './column-ridge.js'
import { actionProducts, addToTest, correctionProducts, testSums } from './mar-test-sums.js'
import { correctMissing, MISSING_ROWS } from './missing-rows.js'
import type { RowsVisitor } from './reward-informed.js'
import { type RewardInput, rewardProbe } from './reward-probe.js'

export interface MarTestInput extends RewardInput {
  /** Sums of [B, z - g~] over the known rows of both folds; with `moved`, after that. */
  readonly folds: readonly [Sums, Sums]
  readonly ridge: number
  /** The reward model in the policy's own class and in a wider one; `completeCase` is one of them. */
  readonly narrow: LinearModel
  readonly wide: LinearModel
}

interface MarTest {
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
export function marTester(input: MarTestInput): MarTester {
  const { completeCase, narrow, wide, basis, ridge, folds, moved } = input
  const wrong = completeCase === wide
  const other = rewardProbe({ ...input, completeCase: wrong ? narrow : wide })
  const known = emptySums(basis.columns)
  for (const sums of folds) addSums(known, sums)
  const ridges = columnRidge(ridge, known, basis)
  const correction = ridgeCoefficients(known, ridges)
  const noise = residualSum(known, correction) / Math.max(1, known.count - basis.columns)
  const columns = designColumns(completeCase.design)
  const actions = completeCase.coefficients.length
  const width = basis.columns
  // 1, g~ and the context.
  const q = Math.min(width, 1 + basis.inputWidth)
  const g = new Float64Array(MISSING_ROWS)
  const slopes = new Float64Array(MISSING_ROWS)
  const values = new Float64Array(MISSING_ROWS)
  const otherValues = new Float64Array(MISSING_ROWS)
  const sums = testSums(q, width, columns, actions)
  return {
    visit: (rows, { slopesAt, valuesAt, features }) => {
      correctMissing(rows, width, correction, g, moved)
      slopesAt(rows, g, slopes)
      valuesAt(rows, g, values)
      other.begin(rows)
      other.valuesAt(rows, g, otherValues)
      addToTest(sums, rows, slopes, values, otherValues, features)
    },
    result: () => {
      const total = Float64Array.from(sums.variance)
      completeCase.covariance!.forEach((matrix, a) => {
        addForms(total, actionProducts(sums, a), q, completeCase.sigma ** 2, (row) => multiply(matrix, row))
      })
      const factor = cholesky(featureGram(known, ridges), width)
      addForms(total, correctionProducts(sums), q, noise, (row) => solveCholesky(factor, width, row))
      return {
        statistic: deviate(sums.sum, sums.explained, wrong, total, q),
        missing: sums.missing,
        information: sums.information,
      }
    },
  }
}

/** Beyond it tail probabilities are no longer told apart. */
const FARTHEST = 37

/** Of the level, what goes to the look for a shift of all values. */
const SHARE = 0.8

/** Both looks at S with covariance V (lower triangle) in one normal deviate, with the sign of S_1. */
function deviate(sum: Float64Array, explained: Float64Array, wrong: boolean, lower: Float64Array, q: number): number {
  if (!(lower[0]! > 0)) return 0
  const t = Math.max(0, Math.abs(sum[0]!) - (wrong ? Math.abs(explained[0]!) : 0)) / Math.sqrt(lower[0]!)
  const { value, directions } = waldForm(sum, lower, q)
  const left = Math.max(0, Math.sqrt(value) - Math.sqrt(waldForm(explained, lower, q).value))
  const all = chiSquareDeviate(left * left, directions)
  // The chi-square's tail is one-sided.
  const tail = Math.min(1, (2 * upperTail(t)) / SHARE, directions === 1 ? 1 : upperTail(all) / (1 - SHARE))
  return Math.sign(sum[0]!) * Math.min(FARTHEST, -normalQuantile(tail / 2))
}

/** Columns that the ones before them explain up to this share bring no direction of their own. */
const DEPENDENT = 1e-6

/** S'V^-1 S over the directions that do not depend on earlier ones, and their number. */
function waldForm(sum: Float64Array, lower: Float64Array, q: number): { value: number; directions: number } {
  const l = new Float64Array(q * q)
  const y = new Float64Array(q)
  let value = 0
  let directions = 0
  for (let i = 0; i < q; i++) {
    let rest = sum[i]!
    let pivot = lower[i * q + i]!
    for (let j = 0; j < i; j++) {
      if (l[j * q + j] === 0) continue
      let entry = lower[i * q + j]!
      for (let k = 0; k < j; k++) entry -= l[i * q + k]! * l[j * q + k]!
      entry /= l[j * q + j]!
      l[i * q + j] = entry
      pivot -= entry * entry
      rest -= entry * y[j]!
    }
    if (!(pivot > DEPENDENT * lower[i * q + i]!)) continue
    l[i * q + i] = Math.sqrt(pivot)
    y[i] = rest / l[i * q + i]!
    value += y[i]! * y[i]!
    directions++
  }
  return { value, directions }
}

function upperTail(x: number): number {
  return normalDistribution(-x)
}

/** Adds scale R M R' to the lower triangle, R the q rows and `apply` the product of M with one of them. */
function addForms(
  lower: Float64Array,
  rows: Float64Array,
  q: number,
  scale: number,
  apply: (row: Float64Array) => Float64Array,
): void {
  const width = rows.length / q
  for (let j = 0; j < q; j++) {
    const applied = apply(rows.slice(j * width, (j + 1) * width))
    for (let i = j; i < q; i++) {
      let form = 0
      for (let k = 0; k < width; k++) form += rows[i * width + k]! * applied[k]!
      lower[i * q + j] = lower[i * q + j]! + scale * form
    }
  }
}

function multiply(matrix: readonly number[], vector: Float64Array): Float64Array {
  const n = vector.length
  const made = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    let sum = 0
    for (let j = 0; j < n; j++) sum += matrix[i * n + j]! * vector[j]!
    made[i] = sum
  }
  return made
}
