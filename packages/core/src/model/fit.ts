// Fits one linear model per action with priors that the actions share (method#default-model), from Gram sums:
//   theta_ak ~ N(0, tau_g),   y = r - mean,   A_a = G_a / s2_a + diag(1 / tau),   S_a = A_a^-1,   mu_a = S_a b_a / s2_a
// Noise and prior variances come from the data, in rounds that start where the last fit ended:
//   E_a   = RSS_a + tr(G_a S_a),   pool = (sum E + v) / (N + 1),   s2_a = (E_a + 20 pool [+ R^2]) / (n_a + 20 [+ 1])
//   tau_g = (tau_g0 + sum mu_ak^2) / (1 + sum (1 - S_a,kk / tau_g)),   tau_g0 = v c_g / columns of g   (MacKay's fixed point)
// [..] only while all rewards of the action were the same; R is their declared range until rewards of some action have differed.

import { cholesky, invertCholesky, type Sums, targetSquare } from '@primo/numeric'
import type { Group } from './columns.js'
import type { RowSums } from './row-sums.js'

/** Prior variance by group and noise variance by action. */
export interface Variances {
  readonly prior: Readonly<Record<string, number>>
  readonly noise: readonly number[]
}

/** What is fitted: sums by action over the columns of these groups, in their order. */
export interface FitInput {
  readonly groups: readonly Group[]
  readonly sums: RowSums
  /** Subtracted from every target. */
  readonly centre: number
  /** Of an action whose targets were all the same: the largest distance that its next one may have. */
  readonly farthest: number
  readonly before: Variances | null
  readonly rounds: number
}

/** Posterior of one action. */
export interface ActionPosterior {
  readonly mean: Float64Array
  /** Full symmetric matrix. */
  readonly covariance: Float64Array
  readonly degreesOfFreedom: number
}

export interface Fit extends Variances {
  readonly posteriors: readonly ActionPosterior[]
  /** Mean noise variance over all actions. */
  readonly pool: number
  /** By action: R where all its rewards were the same, else 0. */
  readonly farthest: readonly number[]
}

const POOL_ROUNDS = 20
/** Part of the squares that rounding may leave of targets that are all the same. */
const ROUNDING = 1e-13

/** Sum of squared targets, less the centre. */
function centredSquares(sums: Sums | null, centre: number): number {
  return sums === null ? 0 : targetSquare(sums, centre)
}

export function fitVariances(input: FitInput): Fit {
  const { groups, sums, centre, before, rounds } = input
  const counts = sums.byAction.map((sum) => sum?.weight ?? 0)
  const actions = counts.length
  const own = sums.byAction.map((sum) => centredSquares(sum, centre))
  const total = counts.reduce((sum, count) => sum + count, 0)
  const squares = own.reduce((sum, value) => sum + value, 0)
  const far = input.farthest ** 2
  // Where nothing has varied yet, one unseen target stands at the far end.
  const variance = squares > ROUNDING * far * total ? squares / total : far / (total + 1)
  const start = groups.map(({ share, terms }) => (share * variance) / terms.length)
  let prior = groups.map(({ name }, g) => before?.prior[name] ?? start[g]!)
  let noise = counts.map((_, a) => before?.noise[a] ?? variance)
  const constant = sums.byAction.map(isConstant)
  let pool = variance
  for (let round = 0; round < rounds; round++) {
    const posteriors = posteriorsOf(sums, groups, prior, noise, centre)
    const errors = posteriors.map((posterior, a) =>
      expectedSquares(sums.byAction[a]!, posterior, own[a]!, noise[a]!, centre),
    )
    pool = (errors.reduce((sum, error) => sum + error, 0) + variance) / (total + 1)
    noise = errors.map(
      (error, a) =>
        (error + POOL_ROUNDS * pool + (constant[a] ? far : 0)) / (counts[a]! + POOL_ROUNDS + (constant[a] ? 1 : 0)),
    )
    let column = 0
    prior = groups.map(({ terms }, g) => {
      let mean = start[g]!
      let known = 1
      for (let k = column; k < column + terms.length; k++) {
        for (let a = 0; a < actions; a++) {
          const { mean: mu, covariance } = posteriors[a]!
          mean += mu[k]! ** 2
          known += 1 - covariance[k * (sums.columns + 1)]! / prior[g]!
        }
      }
      column += terms.length
      return mean / known
    })
  }
  return {
    prior: Object.fromEntries(groups.map(({ name }, g) => [name, prior[g]!])),
    noise,
    posteriors: posteriorsOf(sums, groups, prior, noise, centre),
    pool,
    farthest: constant.map((is) => (is ? input.farthest : 0)),
  }
}

/** Log evidence of each group: with it over without it, the others on (Savage and Dickey's ratio). */
export function groupEvidence(groups: readonly Group[], { posteriors, prior }: Fit): readonly number[] {
  let column = 0
  return groups.map(({ name, terms }) => {
    const from = column
    const size = terms.length
    column += size
    const tau = prior[name]!
    let evidence = 0
    for (const { mean, covariance } of posteriors) {
      const columns = mean.length
      const block = new Float64Array(size * size)
      for (let i = 0; i < size; i++)
        for (let j = 0; j < size; j++) block[i * size + j] = covariance[(from + i) * columns + from + j]! / tau
      const lower = cholesky(block, size)
      // L y = mean: y'y = mean' S_gg^-1 mean.
      for (let i = 0; i < size; i++) {
        let y = mean[from + i]! / Math.sqrt(tau)
        for (let k = 0; k < i; k++) y -= lower[i * size + k]! * block[k]!
        y /= lower[i * size + i]!
        // The block is read no more: its first row holds y.
        block[i] = y
        evidence += y * y + 2 * Math.log(lower[i * size + i]!)
      }
    }
    return evidence / 2
  })
}

function isConstant(sums: Sums | null): boolean {
  if (sums === null) return true
  const mean = sums.gram[sums.columns]! / sums.weight
  return targetSquare(sums, mean) <= ROUNDING * targetSquare(sums)
}

function posteriorsOf(
  sums: RowSums,
  groups: readonly Group[],
  prior: readonly number[],
  noise: readonly number[],
  centre: number,
): readonly ActionPosterior[] {
  const tau = Float64Array.from(groups.flatMap(({ terms }, g) => terms.map(() => prior[g]!)))
  const n = sums.columns
  const width = n + 1
  return sums.byAction.map((sum, a) => {
    const gram = sum?.gram ?? null
    const inverseNoise = 1 / noise[a]!
    const precision = new Float64Array(n * n)
    const target = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      precision[i * n + i] = 1 / tau[i]!
      if (gram === null) continue
      const from = i * width
      for (let j = i; j < n; j++) precision[i * n + j] = precision[i * n + j]! + gram[from + j]! * inverseNoise
      target[i] = (gram[from + n]! - centre * gram[i]!) * inverseNoise
    }
    const covariance = invertCholesky(cholesky(precision, n), n)
    const mean = new Float64Array(n)
    let known = 0
    for (let i = 0, at = 0; i < n; i++) {
      let sum = 0
      for (let j = 0; j < n; j++) sum += covariance[at++]! * target[j]!
      mean[i] = sum
      known += 1 - covariance[i * n + i]! / tau[i]!
    }
    return { mean, covariance, degreesOfFreedom: Math.max(0, known) }
  })
}

/** RSS + tr(G S), with tr(G S) = s2 * degrees of freedom. */
function expectedSquares(
  sums: Sums | null,
  { mean, degreesOfFreedom }: ActionPosterior,
  squares: number,
  noise: number,
  centre: number,
): number {
  if (sums === null) return 0
  const { gram, columns } = sums
  const width = columns + 1
  let sum = squares
  for (let i = 0; i < columns; i++) {
    const value = mean[i]!
    const from = i * width
    let row = 0.5 * value * gram[from + i]!
    for (let j = i + 1; j < columns; j++) row += mean[j]! * gram[from + j]!
    sum += 2 * value * (row - (gram[from + columns]! - centre * gram[i]!))
  }
  return Math.max(0, sum) + noise * degreesOfFreedom
}
