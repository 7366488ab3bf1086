// Fitting e(x) (method#calibration, method#observation-model). Squared loss: minimise sum (b_i - s(w'phi_i))^2 + 0.05 |w|^2 by
// Levenberg-Marquardt; it is not convex, so two starts (the likelihood fit, and the constant) are run on at most one
// block of rows and the better one is continued on all of them. Likelihood: Newton with ridge 0.5, step halving; on many
// blocks it starts from the fit of some of them.
// Too few of either kind (under 5): the constant (sum b + 1/2)/(n + 1). The ridge keeps separated data finite.

import {
  addDots,
  addScaledRows,
  BLOCK_ROUNDS,
  type BlockSums,
  cholesky,
  emptySums,
  featureGram,
  featureTarget,
  inverseMills,
  mergeBlocks,
  normalDensity,
  normalDistribution,
  normalLogDistribution,
  PrimoError,
  Random,
  type Sums,
  solveCholesky,
  targetSquare,
} from '@primo/numeric'
import { logistic } from '../regression/log-odds.js'
import { type Cause, fitCauses } from './causes-observation.js'
import { fitClassObservation } from './class-observation.js'
import { clipProbability, type ObservationModel, type ObservationSettings } from './observation-model.js'

export interface ObservationBatch {
  readonly block: number
  readonly count: number
  readonly context: Float64Array
  readonly observed: Uint8Array
  /** Why a row is missing: 1 + place among `causes`; absent: nobody said. */
  readonly reasons?: Uint8Array | null
}

/** What the observation model is fitted on. */
export interface ObservationRows {
  readonly contextWidth: number
  /** Declared reasons, in the order in which they strike; absent: missing is missing. */
  readonly causes?: readonly Cause[]
  readonly batches: readonly ObservationBatch[]
}

const SQUARED_RIDGE = 0.05
const LIKELIHOOD_RIDGE = 0.5
const FEWEST_OF_EACH = 5
const MAX_STEPS = 50
const RELATIVE_CHANGE = 1e-8
const ROUNDING = 1e-12

type LinkName = 'logit' | 'probit'

/** `random` is used by function classes alone; `near`, the model of rows that are much the same, is where a likelihood fit starts. */
export function fitObservation(
  rows: ObservationRows,
  settings: ObservationSettings,
  random: Random = Random.fromSeed(0),
  near: ObservationModel | null = null,
): ObservationModel {
  if (rows.causes !== undefined && rows.causes.length > 0) {
    const apart = fitCauses(rows, settings, random, fitObservation)
    if (apart !== null) return apart
  }
  const { model, loss, floor } = settings
  let count = 0
  let observed = 0
  for (const batch of rows.batches) {
    count += batch.count
    for (let row = 0; row < batch.count; row++) observed += batch.observed[row]!
  }
  const share = (observed + 0.5) / (count + 1)
  if (model === 'constant' || Math.min(observed, count - observed) < FEWEST_OF_EACH) {
    return { kind: 'constant', probability: clipProbability(share, floor), floor }
  }
  if (typeof model === 'object') return fitClassObservation(rows, model, settings, random)
  const problem = { rows, link: model, columns: rows.contextWidth + 1 }
  const start = near?.kind === model ? Float64Array.from(near.weights) : undefined
  const weights = loss === 'likelihood' ? fitLikelihood(problem, start) : fitSquared(problem, share)
  return { kind: model, weights: Array.from(weights), floor }
}

interface LinkProblem {
  readonly rows: ObservationRows
  readonly link: LinkName
  readonly columns: number
}

function fitSquared(problem: LinkProblem, share: number): Float64Array {
  const first = problem.rows.batches[0]!
  const sample =
    problem.rows.batches.length === 1 ? problem : { ...problem, rows: { ...problem.rows, batches: [first] } }
  const constant = new Float64Array(problem.columns)
  constant[0] = problem.link === 'logit' ? Math.log(share / (1 - share)) : 1.6 * (share - 0.5)
  const starts = [levenbergMarquardt(sample, fitLikelihood(sample)), levenbergMarquardt(sample, constant)]
  const best = starts[0]!.loss <= starts[1]!.loss ? starts[0]! : starts[1]!
  return sample === problem ? best.weights : levenbergMarquardt(problem, best.weights).weights
}

interface Fitted {
  readonly weights: Float64Array
  readonly loss: number
}

function levenbergMarquardt(problem: LinkProblem, start: Float64Array): Fitted {
  let weights = start
  let sums = squaredPass(problem, weights)
  let loss = penalised(sums, weights)
  let damping = 1e-3
  for (let step = 0; step < MAX_STEPS && damping < 1e12; step++) {
    const { candidate, gain } = marquardtStep(sums, weights, damping)
    if (gain <= RELATIVE_CHANGE * loss) {
      // The step is worth taking but not another pass over the rows to look at it.
      weights = candidate
      break
    }
    const next = squaredPass(problem, candidate)
    const nextLoss = penalised(next, candidate)
    const change = loss - nextLoss
    if (change > 0) {
      weights = candidate
      sums = next
      loss = nextLoss
      damping = Math.max(damping / 10, 1e-9)
    } else damping *= 10
    if (Math.abs(change) <= RELATIVE_CHANGE * loss) break
  }
  return { weights, loss }
}

function penalised(sums: Sums, weights: Float64Array): number {
  return targetSquare(sums) + SQUARED_RIDGE * square(weights)
}

function square(weights: Float64Array): number {
  let sum = 0
  for (const weight of weights) sum += weight * weight
  return sum
}

/** The next weights, and how much the loss falls by according to the quadratic model. */
function marquardtStep(sums: Sums, weights: Float64Array, damping: number): { candidate: Float64Array; gain: number } {
  const p = sums.columns
  const matrix = featureGram(sums, SQUARED_RIDGE)
  for (let i = 0; i < p; i++) matrix[i * p + i] = matrix[i * p + i]! * (1 + damping)
  const gradient = featureTarget(sums)
  for (let i = 0; i < p; i++) gradient[i] = gradient[i]! - SQUARED_RIDGE * weights[i]!
  const step = solveCholesky(cholesky(matrix, p), p, gradient)
  let gain = 0
  for (let i = 0; i < p; i++) gain += step[i]! * gradient[i]!
  return { candidate: step.map((value, i) => value + weights[i]!), gain }
}

/** Sums over rows [s'(t) phi, b - s(t)]: J'J, J'r and the squared loss in one pass. */
function squaredPass(problem: LinkProblem, weights: Float64Array): Sums {
  return pass(problem, weights, problem.link === 'logit' ? squaredLogit : squaredProbit)
}

function squaredLogit(rows: TransformedRows, observed: Uint8Array, count: number): void {
  for (let row = 0; row < count; row++) {
    const value = logistic(rows.index[row]!)
    rows.scale[row] = value * (1 - value)
    rows.target[row] = observed[row]! - value
  }
}

function squaredProbit(rows: TransformedRows, observed: Uint8Array, count: number): void {
  for (let row = 0; row < count; row++) {
    const t = rows.index[row]!
    rows.scale[row] = normalDensity(t)
    rows.target[row] = observed[row]! - normalDistribution(t)
  }
}

/** From this many blocks on, the fit of every 16th block is the start for that of every 4th, and that one for all. */
const MANY_BLOCKS = 64
const SAMPLED = [16, 4]

function fitLikelihood(problem: LinkProblem, start?: Float64Array): Float64Array {
  if (start !== undefined) return maximiseLikelihood(problem, start)
  const { batches } = problem.rows
  let weights: Float64Array = new Float64Array(problem.columns)
  for (const every of batches.length < MANY_BLOCKS ? [] : SAMPLED) {
    const sample = batches.filter((_, index) => index % every === 0)
    weights = maximiseLikelihood({ ...problem, rows: { ...problem.rows, batches: sample } }, weights)
  }
  return maximiseLikelihood(problem, weights)
}

function maximiseLikelihood(problem: LinkProblem, start: Float64Array): Float64Array {
  let weights = start
  let { sums, objective } = likelihood(problem, weights, true)
  for (let step = 0; step < MAX_STEPS; step++) {
    const p = problem.columns
    sums ??= likelihood(problem, weights, true).sums!
    const gradient = featureTarget(sums)
    for (let i = 0; i < p; i++) gradient[i] = gradient[i]! - LIKELIHOOD_RIDGE * weights[i]!
    const direction = solveCholesky(cholesky(featureGram(sums, LIKELIHOOD_RIDGE), p), p, gradient)
    let gain = 0
    for (let i = 0; i < p; i++) gain += (gradient[i]! * direction[i]!) / 2
    // So near the top that only rounding can say no: looked at once.
    const smallest = gain <= ROUNDING * Math.abs(objective) ? 0.6 : 1e-6
    // Most likely the last step: it needs no sums.
    const goesOn = gain > RELATIVE_CHANGE * Math.abs(objective)
    let candidate = weights
    let next: Likelihood = { sums, objective }
    for (let scale = 1; scale > smallest; scale /= 2) {
      candidate = weights.map((weight, i) => weight + scale * direction[i]!)
      next = likelihood(problem, candidate, goesOn)
      if (next.objective >= objective) break
    }
    const change = next.objective - objective
    if (!(change > 0)) break
    weights = candidate
    sums = next.sums
    objective = next.objective
    if (change <= RELATIVE_CHANGE * Math.abs(objective)) break
  }
  return weights
}

interface Likelihood {
  /** null: not asked for. */
  readonly sums: Sums | null
  readonly objective: number
}

/**
 * The penalised log-likelihood, and sums over rows [root phi, u/root], u = its slope in t, root^2 = minus its curvature: all that
 * Newton's method needs, in one pass.
 */
function likelihood(problem: LinkProblem, weights: Float64Array, withSums: boolean): Likelihood {
  let objective = (-LIKELIHOOD_RIDGE / 2) * square(weights)
  const rowsOf = problem.link === 'logit' ? likelihoodLogit : likelihoodProbit
  const transform: BatchTransform = (rows, observed, count) => {
    objective = rowsOf(rows, observed, count, objective)
  }
  const sums = pass(problem, weights, transform, withSums)
  if (!Number.isFinite(objective))
    throw new PrimoError('not-finite', `log-likelihood must be finite, got ${objective}`, { value: objective })
  return { sums: withSums ? sums : null, objective }
}

/** Returns the log-likelihood so far with that of the rows. */
function likelihoodLogit(rows: TransformedRows, observed: Uint8Array, count: number, before: number): number {
  let sum = before
  for (let row = 0; row < count; row++) {
    const t = rows.index[row]!
    const small = Math.exp(t >= 0 ? -t : t)
    // logistic(t) from the exponential that the log-likelihood needs too.
    const value = t >= 0 ? 1 / (1 + small) : small / (1 + small)
    const root = Math.max(Math.sqrt(value * (1 - value)), 1e-6)
    rows.scale[row] = root
    rows.target[row] = (observed[row]! - value) / root
    const signed = observed[row] === 1 ? t : -t
    sum -= signed > 0 ? Math.log1p(small) : Math.log1p(small) - signed
  }
  return sum
}

function likelihoodProbit(rows: TransformedRows, observed: Uint8Array, count: number, before: number): number {
  let sum = before
  for (let row = 0; row < count; row++) {
    const sign = observed[row] === 1 ? 1 : -1
    const signed = sign * rows.index[row]!
    const ratio = inverseMills(signed)
    const root = Math.sqrt(Math.max(ratio * (ratio + signed), 1e-12))
    rows.scale[row] = root
    rows.target[row] = (sign * ratio) / root
    sum += normalLogDistribution(signed)
  }
  return sum
}

function linearIndexes(batch: ObservationBatch, p: number, weights: Float64Array, out: Float64Array): void {
  out.fill(weights[0]!, 0, batch.count)
  addDots(batch.context, batch.count, p, weights.subarray(1), p, out)
}

/** Per row of a batch: w'phi, the factor of phi, and the target. */
interface TransformedRows {
  readonly index: Float64Array
  readonly scale: Float64Array
  readonly target: Float64Array
}

const transformed: TransformedRows = {
  index: new Float64Array(BLOCK_ROUNDS),
  scale: new Float64Array(BLOCK_ROUNDS),
  target: new Float64Array(BLOCK_ROUNDS),
}

type BatchTransform = (rows: TransformedRows, observed: Uint8Array, count: number) => void

function pass(problem: LinkProblem, weights: Float64Array, transform: BatchTransform, withSums = true): Sums {
  const p = problem.rows.contextWidth
  const leaves: BlockSums[] = []
  for (const batch of problem.rows.batches) {
    linearIndexes(batch, p, weights, transformed.index)
    transform(transformed, batch.observed, batch.count)
    if (!withSums) continue
    const sums = emptySums(problem.columns)
    addScaledRows(sums, batch.context, 0, transformed.scale, transformed.target, 0, batch.count)
    leaves.push({ block: batch.block, sums })
  }
  return mergeBlocks(leaves, problem.columns)
}
