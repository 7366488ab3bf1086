// Fitting e(x) (SPEC A6 step 2, C2). Squared loss: minimise sum (b_i - s(w'phi_i))^2 + 0.05 |w|^2 by
// Levenberg-Marquardt; it is not convex, so two starts (the likelihood fit, and the constant) are run on at most one
// block of rows and the better one is continued on all of them. Likelihood: Newton with ridge 0.5, step halving.
// Too few of either kind (under 5): the constant (sum b + 1/2)/(n + 1). The ridge keeps separated data finite.

import { PrimoError } from '../errors.js'
import { cholesky, solveCholesky } from '../numeric/cholesky.js'
import { addDots } from '../numeric/dots.js'
import { laneScratch } from '../numeric/gram-lanes.js'
import { featureGram, featureTarget, targetSquare } from '../numeric/least-squares.js'
import { inverseMills, normalDensity, normalDistribution, normalLogDistribution } from '../numeric/normal.js'
import { addRows, BLOCK_ROUNDS, type BlockSums, emptySums, mergeBlocks, type Sums } from '../numeric/sums.js'
import { Random } from '../random/random.js'
import { type Cause, fitCauses } from './causes-observation.js'
import { fitClassObservation } from './class-observation.js'
import { clipProbability, logistic, type ObservationModel, type ObservationSettings } from './observation-model.js'

export interface ObservationBatch {
  readonly block: number
  readonly count: number
  readonly context: Float64Array
  readonly observed: Uint8Array
  /** Why a row is missing: 1 + place among `causes`; absent: nobody said. */
  readonly reasons?: Uint8Array | null
}

export interface ObservationRows {
  readonly contextWidth: number
  /** Declared reasons, in the order in which they strike; absent: missing is missing. */
  readonly causes?: readonly Cause[]
  readonly batches: readonly ObservationBatch[]
}

const SQUARED_RIDGE = 0.05
const LIKELIHOOD_RIDGE = 0.5
const FEWEST_OF_EACH = 5
const MOST_STEPS = 50
const RELATIVE_CHANGE = 1e-8

type LinkName = 'logit' | 'probit'

/** `random` is used by function classes alone. */
export function fitObservation(
  rows: ObservationRows,
  settings: ObservationSettings,
  random: Random = Random.fromSeed(0),
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
  const weights = loss === 'likelihood' ? fitLikelihood(problem) : fitSquared(problem, share)
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
  for (let step = 0; step < MOST_STEPS && damping < 1e12; step++) {
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

function fitLikelihood(problem: LinkProblem): Float64Array {
  let weights: Float64Array = new Float64Array(problem.columns)
  let sums = likelihoodPass(problem, weights)
  let objective = logLikelihood(problem, weights)
  for (let step = 0; step < MOST_STEPS; step++) {
    const p = problem.columns
    const gradient = featureTarget(sums)
    for (let i = 0; i < p; i++) gradient[i] = gradient[i]! - LIKELIHOOD_RIDGE * weights[i]!
    const direction = solveCholesky(cholesky(featureGram(sums, LIKELIHOOD_RIDGE), p), p, gradient)
    let scale = 1
    let candidate = weights
    let value = objective
    for (; scale > 1e-6; scale /= 2) {
      candidate = weights.map((weight, i) => weight + scale * direction[i]!)
      value = logLikelihood(problem, candidate)
      if (value >= objective) break
    }
    const change = value - objective
    if (!(change > 0)) break
    weights = candidate
    objective = value
    if (change <= RELATIVE_CHANGE * Math.abs(objective)) break
    sums = likelihoodPass(problem, weights)
  }
  return weights
}

/** Sums over rows [root phi, u/root], u = slope of the log-likelihood in t, root^2 = minus its curvature: Newton's pass. */
function likelihoodPass(problem: LinkProblem, weights: Float64Array): Sums {
  return pass(problem, weights, problem.link === 'logit' ? likelihoodLogit : likelihoodProbit)
}

function likelihoodLogit(rows: TransformedRows, observed: Uint8Array, count: number): void {
  for (let row = 0; row < count; row++) {
    const value = logistic(rows.index[row]!)
    const root = Math.max(Math.sqrt(value * (1 - value)), 1e-6)
    rows.scale[row] = root
    rows.target[row] = (observed[row]! - value) / root
  }
}

function likelihoodProbit(rows: TransformedRows, observed: Uint8Array, count: number): void {
  for (let row = 0; row < count; row++) {
    const sign = observed[row] === 1 ? 1 : -1
    const signed = sign * rows.index[row]!
    const ratio = inverseMills(signed)
    const root = Math.sqrt(Math.max(ratio * (ratio + signed), 1e-12))
    rows.scale[row] = root
    rows.target[row] = (sign * ratio) / root
  }
}

function logLikelihood(problem: LinkProblem, weights: Float64Array): number {
  let sum = (-LIKELIHOOD_RIDGE / 2) * square(weights)
  forEachRow(problem, weights, (t, observed) => {
    const signed = observed === 1 ? t : -t
    if (problem.link === 'probit') sum += normalLogDistribution(signed)
    else sum -= signed > 0 ? Math.log1p(Math.exp(-signed)) : Math.log1p(Math.exp(signed)) - signed
  })
  if (!Number.isFinite(sum))
    throw new PrimoError('not-finite', `log-likelihood must be finite, got ${sum}`, { value: sum })
  return sum
}

function forEachRow(problem: LinkProblem, weights: Float64Array, visit: (t: number, observed: number) => void): void {
  const index = new Float64Array(BLOCK_ROUNDS)
  for (const batch of problem.rows.batches) {
    linearIndexes(batch, problem.rows.contextWidth, weights, index)
    for (let row = 0; row < batch.count; row++) visit(index[row]!, batch.observed[row]!)
  }
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

/** Rows that are laid out before they are summed, so that they stay in a near cache. */
const CHUNK = 256
const cells = laneScratch()
const transformed: TransformedRows = {
  index: new Float64Array(BLOCK_ROUNDS),
  scale: new Float64Array(BLOCK_ROUNDS),
  target: new Float64Array(BLOCK_ROUNDS),
}

type BatchTransform = (rows: TransformedRows, observed: Uint8Array, count: number) => void

function pass(problem: LinkProblem, weights: Float64Array, transform: BatchTransform): Sums {
  const p = problem.rows.contextWidth
  const buffer = cells(CHUNK * (p + 2))
  const leaves: BlockSums[] = []
  for (const batch of problem.rows.batches) {
    linearIndexes(batch, p, weights, transformed.index)
    transform(transformed, batch.observed, batch.count)
    const sums = emptySums(problem.columns)
    for (let first = 0; first < batch.count; first += CHUNK) {
      const rows = Math.min(CHUNK, batch.count - first)
      for (let row = first, to = 0, from = first * p; row < first + rows; row++) {
        const scale = transformed.scale[row]!
        buffer[to++] = scale
        for (let k = 0; k < p; k++) buffer[to++] = scale * batch.context[from++]!
        buffer[to++] = transformed.target[row]!
      }
      addRows(sums, buffer, 0, rows, null, 0, buffer)
    }
    leaves.push({ block: batch.block, sums })
  }
  return mergeBlocks(leaves, problem.columns)
}
