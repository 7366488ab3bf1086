// The linear reward class (method#reward-fit): theta_a = m e_1 + (G_a + ridge I)^-1 sum phi (r - m), m the pooled mean reward,
// so an action without data predicts m; with a shared part, theta_a moves toward one that all actions have in common
// (solve-actions.ts). Everything comes from per-action sums (action-sums.ts).

import type { Sums } from '@primo/numeric'
import { invalidOption, linearScores, requireOptions, residualSum, targetSquare } from '@primo/numeric'
import { linearRadius } from '@primo/theory'
import type { Encoding } from '../problem/encoding.js'
import type { RewardBatch, RewardRows } from '../rounds/reward-rows.js'
import { actionSums, type SummableRows } from './action-sums.js'
import { clippedShare } from './clipped-share.js'
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
import { actionNoise, residualSigma } from './reward-noise.js'
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

function fitLinear(rows: RewardRows, settings: LinearSettings): LinearModel {
  return fitActionSums(actionSums(rows, settings.design), settings, rows)
}

/** The fit from its per-action sums; `newest` are rows that end with the newest ones, for the share of clipped predictions. */
export function fitActionSums(sums: readonly Sums[], settings: LinearSettings, newest: SummableRows): LinearModel {
  const { count, mean, variance } = pooled(sums)
  const solved = solveActions(sums, settings, mean)
  const own = sums.map((sum, a) => ({
    residuals: residualSum(sum, solved.theta[a]!, mean),
    weight: sum.weight,
    degreesOfFreedom: solved.degreesOfFreedom[a]!,
    constant: isConstant(sum),
  }))
  const coefficients = sums.map((_, a) => {
    const theta = Array.from(solved.theta[a]!)
    theta[0] = theta[0]! + mean
    return theta
  })
  const fit = {
    residuals: own.reduce((total, { residuals }) => total + residuals, 0),
    variance,
    weight: count,
    degreesOfFreedom: solved.degreesOfFreedom.reduce((total, value) => total + value, 0),
  }
  const model: LinearModel = {
    kind: 'linear',
    design: settings.design,
    coefficients,
    clip: settings.clip,
    sigma: residualSigma(fit),
    noise: actionNoise(fit, own),
    degreesOfFreedom: solved.degreesOfFreedom,
    rows: sums.map((sum) => sum.count),
    weight: count,
    covariance: settings.width === 'pointwise' ? solved.covariance.map((matrix) => Array.from(matrix)) : null,
    clippedShare: 0,
  }
  const { clip } = settings
  return clip === null ? model : { ...model, clippedShare: clippedShare(newest, clip, unclipped(model, newest.spread)) }
}

/** Whether all rewards were the same, up to rounding. */
function isConstant(sum: Sums): boolean {
  const mean = sum.weight > 0 ? sum.gram[sum.columns]! / sum.weight : 0
  return targetSquare(sum, mean) <= 1e-9 * targetSquare(sum)
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

/** Writes the model's scores of a row, unclipped. */
function unclipped({ design, coefficients }: LinearModel, spread: SummableRows['spread']) {
  const columns = designColumns(design)
  const write = compileDesign(design, spread)
  const theta = Float64Array.from(coefficients.flat())
  const phi = new Float64Array(columns)
  return (batch: RewardBatch, row: number, out: Float64Array) => {
    write(batch, row, phi, 0)
    linearScores(theta, coefficients.length, phi, columns, out)
  }
}
