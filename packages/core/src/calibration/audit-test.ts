// Missing at random, tested by an audit at every end of an epoch, however many there are (method#audit-limits). g is the unshrunk fit of the
// largest rung on the rows seen at the decision, u = z - g(x) on audited rows. Were values missing at random, every truth that was asked for
// would scatter about the mean that g estimates, with whatever probability it was asked for. What g's own error makes of the sum is taken off,
// and what its ridge R does,
//   S = |sum u| - FIT sqrt(d'V_beta d) - |d'(G + R)^-1 R beta|,   d = sum B,   V = sum u^2,   e = sqrt(r / (V + r)) exp( S^2 / (2 (V + r)) ),
// r = PRIOR noise variances: exp(l sum u - l^2 V / 2), a fair bet where truths scatter evenly to both sides and nearly one in large samples, mixed
// over l ~ N(0, 1/r). It ever reaches 125 with a probability of 0.8%; g is ever off by FIT standard errors in 0.2% of cases or so. A rejection:
// not missing at random, or the correction class is wrong.
// The shift that is reported is weighted by 1 / pi: it is that of all missing rows.

import { cholesky, featureGram, residualSum, ridgeCoefficients, type Sums, solveCholesky } from '@primo/numeric'
import type { AuditedRows } from './audited-rows.js'

/** e from which missing at random is rejected. */
const ENOUGH = 125
/** Standard errors of the fit that are taken off. */
const FIT = 4
/** On the coefficients of the fit. */
const RIDGE = 1
/** Audited rows at which the bet is sharpest. */
const PRIOR = 32

export interface AuditTest {
  /** The evidence against missing at random: a bet at fair odds that has grown to so much. */
  readonly eValue: number
  /** Mean of z - g(x) over missing rows, inside units. */
  readonly shift: number
  readonly rejected: boolean
}

/** `seen`: sums of [B, z - g~] over the rows seen at the decision. */
export function auditTest(seen: Sums, { count, columns, residuals, probabilities }: AuditedRows): AuditTest {
  const p = seen.columns
  const ridges = new Float64Array(p).fill(RIDGE)
  const beta = ridgeCoefficients(seen, ridges)
  const noise = residualSum(seen, beta) / Math.max(1, seen.count - p)
  const d = new Float64Array(p)
  let sum = 0
  let squares = 0
  let weighted = 0
  let weights = 0
  for (let i = 0; i < count; i++) {
    let u = residuals[i]!
    for (let k = 0; k < p; k++) {
      u -= beta[k]! * columns[i * p + k]!
      d[k] = d[k]! + columns[i * p + k]!
    }
    sum += u
    squares += u * u
    weighted += u / probabilities[i]!
    weights += 1 / probabilities[i]!
  }
  const solved = solveCholesky(cholesky(featureGram(seen, ridges), p), p, d)
  let variance = 0
  let shrunk = 0
  for (let k = 0; k < p; k++) {
    variance += noise * d[k]! * solved[k]!
    shrunk += solved[k]! * ridges[k]! * beta[k]!
  }
  const beyond = Math.max(0, Math.abs(sum) - FIT * Math.sqrt(variance) - Math.abs(shrunk))
  const prior = PRIOR * noise
  const spread = squares + prior
  const logE = spread > 0 ? (Math.log(prior / spread) + beyond ** 2 / spread) / 2 : 0
  const eValue = Math.min(Number.MAX_VALUE, Math.exp(logE))
  return { eValue, shift: weights === 0 ? 0 : weighted / weights, rejected: eValue >= ENOUGH }
}
