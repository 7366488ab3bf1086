// The linear reward class (SPEC A3, G1): theta_a = m e_1 + (G_a + ridge I)^-1 sum phi (r - m), m the pooled mean reward,
// so an action without data predicts m; with a shared part, theta_a moves toward one that all actions have in common
// (solve-actions.ts). Everything comes from per-action sums (action-sums.ts).
//   sigma^2 = (RSS + 5 v)/(max(n - dof, n/2) + 5), v = variance of r (5 pseudo-rows).

import type { Encoding } from '../data/encoding.js'
import type { RewardBatch, RewardPart, RewardRows } from '../data/reward-rows.js'
import { invalidOption, requireOptions } from '../errors.js'
import { residualSum, targetSquare } from '../numeric/least-squares.js'
import { linearScores } from '../numeric/linear-scores.js'
import type { Sums } from '../numeric/sums.js'
import { linearRadius } from '../theory/critical-radius.js'
import { actionSums, type SummableRows } from './action-sums.js'
import {
  compileDesign,
  type Design,
  designColumns,
  designOf,
  type Interactions,
  type MissingIndicator,
} from './design.js'
import { compileLinear, type LinearModel } from './linear-model.js'
import type { Oracle } from './oracle.js'
import { type RewardClip, requireClip } from './reward-clip.js'
import { type ActionRidges, solveActions } from './solve-actions.js'

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
  readonly clip?: RewardClip | null
  /** Width of a prediction: by row ('pointwise', default) or one per action ('action'). */
  readonly width?: 'pointwise' | 'action'
}

export interface LinearSettings extends ActionRidges {
  readonly design: Design
  readonly clip: RewardClip | null
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
  requireClip(clip)
  if (width !== 'pointwise' && width !== 'action') invalidOption('oracle.width', '"pointwise" or "action"', width)
  return { design: designOf(encoding, interactions, indicator), ridge, shared, clip, width }
}

export function fitLinear(rows: RewardRows, settings: LinearSettings): LinearModel {
  return fitActionSums(actionSums(rows, settings.design), settings, rows)
}

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
