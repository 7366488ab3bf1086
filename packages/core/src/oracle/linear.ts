// The linear reward class (SPEC A3, G1): theta_a = m e_1 + (G_a + ridge I)^-1 sum phi (r - m), m the pooled mean reward,
// so an action without data predicts m. With a shared part, theta_a = m e_1 + s + d_a with ridge `shared` on s and
// `ridge` on each d_a (partial pooling): s solves (sum_a (G_a - G_a A_a^-1 G_a) + shared I) s = sum_a (c_a - G_a A_a^-1 c_a),
// A_a = G_a + ridge I, and theta_a = m e_1 + A_a^-1 (c_a + ridge s). Everything comes from per-action sums.
//   dof_a = tr(A_a^-1 G_a);  sigma^2 = (RSS + 5 v)/(max(n - dof, n/2) + 5), v = variance of r (5 pseudo-rows).

import type { Encoding } from '../data/encoding.js'
import type { RewardBatch, RewardPart, RewardRows, RewardView } from '../data/reward-rows.js'
import { invalidOption, requireFinite, requireOptions } from '../errors.js'
import { BlockMemo } from '../numeric/block-memo.js'
import { cholesky, invertCholesky, solveCholesky } from '../numeric/cholesky.js'
import { scaleSums } from '../numeric/forgetting.js'
import { laneScratch } from '../numeric/gram-lanes.js'
import { featureGram, featureTarget, residualSum, targetSquare } from '../numeric/least-squares.js'
import { linearScores } from '../numeric/linear-scores.js'
import { addRows, BLOCK_ROUNDS, type BlockSums, copySums, emptySums, mergeBlocks, type Sums } from '../numeric/sums.js'
import { linearRadius } from '../theory/critical-radius.js'
import {
  compileDesign,
  compileDesignRows,
  type Design,
  designColumns,
  designOf,
  hasPlainColumns,
  type Interactions,
  type MissingIndicator,
} from './design.js'
import { compileLinear, type LinearModel } from './linear-model.js'
import type { Oracle } from './oracle.js'
import { refilledSums } from './refilled-sums.js'

export interface LinearOptions {
  readonly kind?: 'linear'
  /** Products of covariates and context columns; default 'none'. */
  readonly interactions?: Interactions
  /** Indicators of missing covariates among the features; default 'none'. */
  readonly indicator?: MissingIndicator
  /** Ridge toward the pooled mean (or toward the shared part); default 0.05. */
  readonly ridge?: number
  /** Ridge of a part shared by all actions; absent: no shared part. */
  readonly shared?: number
  /** Range of predictions in units of the mean reward's range; default 0 to 1; null: no clip. */
  readonly clip?: { readonly min: number; readonly max: number } | null
  /** Width of a prediction: by row ('pointwise', default) or one per action ('action'). */
  readonly width?: 'pointwise' | 'action'
}

export interface LinearSettings {
  readonly design: Design
  readonly ridge: number
  readonly shared: number | undefined
  readonly clip: { readonly min: number; readonly max: number } | null
  readonly width: 'pointwise' | 'action'
}

const OPTIONS = ['kind', 'interactions', 'indicator', 'ridge', 'shared', 'clip', 'width']

export function linearOracle(encoding: Encoding, options: LinearOptions = {}): Oracle {
  const settings = linearSettings(encoding, options)
  const dimension = encoding.actions.length * designColumns(settings.design)
  return {
    kind: 'linear',
    dimension,
    radius: (rows, constant16) => linearRadius({ dimension, rows, constant16 }).radius,
    fit: (rows) => fitLinear(rows, settings),
    compile: (model, spread) => compileLinear(model as LinearModel, spread),
  }
}

export function linearSettings(encoding: Encoding, options: LinearOptions): LinearSettings {
  requireOptions('oracle', options, OPTIONS)
  const {
    interactions = 'none',
    indicator = 'none',
    ridge = 0.05,
    shared,
    clip = { min: 0, max: 1 },
    width = 'pointwise',
  } = options
  if (!(ridge > 0 && Number.isFinite(ridge))) invalidOption('oracle.ridge', '> 0', ridge)
  if (shared !== undefined && !(shared > 0 && Number.isFinite(shared))) invalidOption('oracle.shared', '> 0', shared)
  if (clip !== null) {
    requireOptions('oracle.clip', clip, ['min', 'max'])
    requireFinite('oracle.clip.min', clip.min)
    requireFinite('oracle.clip.max', clip.max)
    if (clip.max <= clip.min) invalidOption('oracle.clip.max', `greater than min (${clip.min})`, clip.max)
  }
  if (width !== 'pointwise' && width !== 'action') invalidOption('oracle.width', '"pointwise" or "action"', width)
  return { design: designOf(encoding, interactions, indicator), ridge, shared, clip, width }
}

export function fitLinear(rows: RewardRows, settings: LinearSettings): LinearModel {
  return fitActionSums(actionSums(rows, settings.design), settings, rows)
}

/** Rows that can be summed, whatever their number. */
export type SummableRows = Pick<RewardRows, 'actionCount' | 'batches' | 'parts' | 'spread'>

/** The fit from its per-action sums; `newest` are rows that end with the newest ones, for the share of clipped predictions. */
export function fitActionSums(sums: readonly Sums[], settings: LinearSettings, newest: SummableRows): LinearModel {
  const columns = designColumns(settings.design)
  const { count, mean, variance } = pooled(sums)
  const solved = solveActions(sums, settings, mean)
  let residuals = 0
  const coefficients = sums.map((sum, a) => {
    residuals += residualSum(sum, solved.theta[a]!, mean)
    const theta = Array.from(solved.theta[a]!)
    theta[0] = theta[0]! + mean
    return theta
  })
  const dof = solved.degreesOfFreedom.reduce((total, value) => total + value, 0)
  const sigma = Math.max(1e-3, Math.sqrt((residuals + 5 * variance) / (Math.max(count - dof, count / 2) + 5)))
  const model: LinearModel = {
    kind: 'linear',
    design: settings.design,
    coefficients,
    clip: settings.clip,
    sigma,
    degreesOfFreedom: solved.degreesOfFreedom,
    rows: sums.map((sum) => sum.count),
    weight: count,
    covariance: settings.width === 'pointwise' ? solved.covariance.map((matrix) => Array.from(matrix)) : null,
    clippedShare: 0,
  }
  return settings.clip === null ? model : { ...model, clippedShare: clippedShare(model, newest, columns) }
}

/** Sums of a part, which later rows of its block can be added to. */
interface PartSums {
  readonly start: number
  readonly end: number
  readonly count: number
  readonly version: string
  readonly halfLife: number | null
  readonly sums: readonly (Sums | null)[]
}

const memo = new BlockMemo<PartSums>()

/** Per-action sums of [phi, r]; parts that were summed before are not summed again. */
export function actionSums(rows: SummableRows, design: Design): Sums[] {
  const columns = designColumns(design)
  const summer = viewSummer(rows.actionCount, design, rows.spread)
  const leaves: BlockSums[][] = Array.from({ length: rows.actionCount }, () => [])
  const add = (block: number, sums: readonly (Sums | null)[], decay = 1) => {
    sums.forEach((sum, a) => {
      if (sum !== null) leaves[a]!.push({ block, sums: scaleSums(sum, decay) })
    })
  }
  const plain = hasPlainColumns(design)
  if (rows.parts === undefined) for (const batch of rows.batches) add(batch.block, summer(viewOf(batch)))
  else {
    const kind = JSON.stringify(design)
    const spread = JSON.stringify(rows.spread ?? null)
    for (const part of rows.parts) {
      const { block, start, end, count, key, halfLife, decay } = part
      // Observed rows leave nothing open, so their sums do not depend on the spread.
      const version = key === 'observed' ? part.version : `${part.version}/${spread}`
      // Rounds only ever become closed, so equal counts mean the same rounds.
      const stamp = `${start}-${end}/${count}/${version}`
      const { sums } = memo.get(block, `${key}/${kind}`, stamp, (before) => {
        const goesOn =
          before?.version === version &&
          before.start === start &&
          before.end <= end &&
          before.count === part.countBefore(before.end)
        const view = part.view(goesOn ? before.end : start)
        const refilled =
          plain &&
          before?.halfLife === halfLife &&
          before.start === start &&
          before.end === end &&
          before.count === count
        const made = goesOn
          ? summer(view, before.sums)
          : refilled
            ? refilledSums(view, before.sums, design)
            : summer(view)
        return { start, end, count, version, halfLife, sums: made }
      })
      add(block.index, sums, decay)
    }
  }
  return leaves.map((list) => mergeBlocks(list, columns))
}

const IN_ORDER = Int32Array.from({ length: BLOCK_ROUNDS }, (_, row) => row)

function viewOf(batch: RewardBatch): RewardView {
  const { count, context, covariates, observed, modelSd = null, action, reward, weight } = batch
  const rows = count <= BLOCK_ROUNDS ? IN_ORDER : Int32Array.from({ length: count }, (_, row) => row)
  return { count, rows, context, covariates, observed, modelSd, action, reward, weight }
}

/** Sums by action (null: no row), going on from `before`. */
type ViewSummer = (view: RewardView, before?: readonly (Sums | null)[]) => readonly (Sums | null)[]

/** Rows that are laid out before they are summed, so that they stay in a near cache. */
const CHUNK = 512
/** One summer works at a time. */
const cells = laneScratch()

/** Rows are laid out by action, in round order within an action. */
function viewSummer(actions: number, design: Design, spread: RewardRows['spread']): ViewSummer {
  const columns = designColumns(design)
  const width = columns + 1
  const write = compileDesignRows(design, spread)
  const space = cells(2 * CHUNK * width)
  const buffer = space.subarray(0, CHUNK * width)
  const scratch = space.subarray(CHUNK * width)
  const weights = new Float64Array(CHUNK)
  const slots = new Int32Array(CHUNK)
  const start = new Int32Array(actions + 1)
  const next = new Int32Array(actions)

  function layOut({ rows, action, reward, weight, ...input }: RewardView, first: number, count: number): void {
    start.fill(0)
    for (let i = first; i < first + count; i++) {
      const a = action[rows[i]!]! + 1
      start[a] = start[a]! + 1
    }
    for (let a = 0; a < actions; a++) {
      start[a + 1] = start[a + 1]! + start[a]!
      next[a] = start[a]!
    }
    for (let i = first; i < first + count; i++) {
      const row = rows[i]!
      const a = action[row]!
      const slot = next[a]!
      next[a] = slot + 1
      slots[i - first] = slot
      buffer[slot * width + columns] = reward[row]!
      if (weight !== null) weights[slot] = weight[i]!
    }
    write(input, rows, first, count, buffer, width, slots)
  }

  return (view, before) => {
    const sums: (Sums | null)[] = Array.from({ length: actions }, () => null)
    for (let first = 0; first < view.count; first += CHUNK) {
      layOut(view, first, Math.min(CHUNK, view.count - first))
      for (let a = 0; a < actions; a++) {
        const count = start[a + 1]! - start[a]!
        if (count === 0) continue
        const earlier = before?.[a] ?? null
        sums[a] ??= earlier === null ? emptySums(columns) : copySums(earlier)
        addRows(sums[a]!, buffer, start[a]! * width, count, view.weight && weights, start[a]!, scratch)
      }
    }
    return sums.map((sum, a) => sum ?? before?.[a] ?? null)
  }
}

/** Weighted number, mean and variance of all rewards; the mean of nothing is the middle of [0, 1]. */
function pooled(sums: readonly Sums[]): { count: number; mean: number; variance: number } {
  let weight = 0
  let total = 0
  for (const sum of sums) {
    weight += sum.weight
    total += sum.gram[sum.columns]!
  }
  const mean = weight > 0 ? total / weight : 0.5
  let square = 0
  for (const sum of sums) square += targetSquare(sum, mean)
  return { count: weight, mean, variance: weight > 0 ? square / weight : 0.25 }
}

interface SolvedActions {
  /** Without the pooled mean. */
  readonly theta: readonly Float64Array[]
  readonly degreesOfFreedom: readonly number[]
  readonly covariance: readonly Float64Array[]
}

function solveActions(sums: readonly Sums[], { ridge, shared }: LinearSettings, mean: number): SolvedActions {
  const p = sums[0]!.columns
  const targets = sums.map((sum) => featureTarget(sum, mean))
  const factors = sums.map((sum) => cholesky(featureGram(sum, ridge), p))
  const inverses = factors.map((factor) => invertCholesky(factor, p))
  const degreesOfFreedom = inverses.map((inverse) => Math.max(0, p - ridge * trace(inverse, p)))
  if (shared === undefined) {
    return {
      theta: factors.map((factor, a) => solveCholesky(factor, p, targets[a]!)),
      degreesOfFreedom,
      covariance: inverses,
    }
  }
  // G - G A^-1 G = ridge (I - ridge A^-1) and c - G A^-1 c = ridge A^-1 c, because G = A - ridge I.
  const matrix = new Float64Array(p * p)
  const right = new Float64Array(p)
  inverses.forEach((inverse, a) => {
    const solved = solveCholesky(factors[a]!, p, targets[a]!)
    for (let i = 0; i < p; i++) {
      right[i] = right[i]! + ridge * solved[i]!
      matrix[i * p + i] = matrix[i * p + i]! + ridge
      for (let j = 0; j < p; j++) matrix[i * p + j] = matrix[i * p + j]! - ridge * ridge * inverse[i * p + j]!
    }
  })
  for (let i = 0; i < p; i++) matrix[i * p + i] = matrix[i * p + i]! + shared
  const sharedFactor = cholesky(matrix, p)
  const common = solveCholesky(sharedFactor, p, right)
  const commonCovariance = invertCholesky(sharedFactor, p)
  const theta = factors.map((factor, a) =>
    solveCholesky(
      factor,
      p,
      targets[a]!.map((value, i) => value + ridge * common[i]!),
    ),
  )
  // Cov(theta_a)/sigma^2 = A_a^-1 + (ridge A_a^-1) S^-1 (ridge A_a^-1).
  const covariance = inverses.map((inverse) => {
    const spread = multiply(multiply(inverse, commonCovariance, p), inverse, p)
    return inverse.map((value, i) => value + ridge * ridge * spread[i]!)
  })
  return { theta, degreesOfFreedom, covariance }
}

function trace(matrix: Float64Array, p: number): number {
  let sum = 0
  for (let i = 0; i < p; i++) sum += matrix[i * p + i]!
  return sum
}

function multiply(a: Float64Array, b: Float64Array, p: number): Float64Array {
  const out = new Float64Array(p * p)
  for (let i = 0; i < p; i++) {
    for (let k = 0; k < p; k++) {
      const value = a[i * p + k]!
      for (let j = 0; j < p; j++) out[i * p + j] = out[i * p + j]! + value * b[k * p + j]!
    }
  }
  return out
}

/** Rows that the share of clipped predictions is measured on. */
const CLIP_SAMPLE = 512

/** Where the newest rows of the part begin, at the latest. */
function newestRows({ start, end, count, countBefore }: RewardPart): number {
  let from = Math.max(start, end - 2 * CLIP_SAMPLE)
  while (from > start && count - countBefore(from) < CLIP_SAMPLE) from = Math.max(start, from - CLIP_SAMPLE)
  return from
}

/** Share of all predictions on the newest rows that lie outside the clip. */
function clippedShare(model: LinearModel, rows: SummableRows, columns: number): number {
  let newest: RewardBatch | undefined
  if (rows.parts === undefined) for (const batch of rows.batches) newest = batch
  else {
    const last = [...rows.parts].at(-1)
    newest = last?.load(newestRows(last))
  }
  if (newest === undefined || model.clip === null) return 0
  const write = compileDesign(model.design, rows.spread)
  const { min, max } = model.clip
  const actions = model.coefficients.length
  const theta = Float64Array.from(model.coefficients.flat())
  const phi = new Float64Array(columns)
  const scores = new Float64Array(actions)
  let outside = 0
  const first = Math.max(0, newest.count - CLIP_SAMPLE)
  for (let row = first; row < newest.count; row++) {
    write(newest, row, phi, 0)
    linearScores(theta, actions, phi, columns, scores)
    for (let a = 0; a < actions; a++) if (scores[a]! < min || scores[a]! > max) outside++
  }
  return outside / ((newest.count - first) * actions)
}
