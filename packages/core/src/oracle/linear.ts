// The linear reward class (method#reward-fit): theta_a = m e_1 + (G_a + ridge I)^-1 sum phi (r - m), m the pooled mean reward,
// so an action without data predicts m; with a shared part, theta_a moves toward one that all actions have in common
// (solve-actions.ts). Everything comes from per-action sums (action-sums.ts).

import type { Sums } from '@primo/numeric'
import { invalidOption, requireOptions, requirePositive, residualSum } from '@primo/numeric'
import { linearRadius } from '@primo/theory'
import type { Encoding } from '../problem/encoding.js'
import type { RewardRows } from '../rounds/reward-rows.js'
import { actionSums, type SummableRows } from './action-sums.js'
import { clippedShare } from './clipped-share.js'
import { type Design, designColumns, designOf, type Interactions, type MissingIndicator } from './design.js'
import { compileLinear, type LinearModel } from './linear-model.js'
import type { Oracle } from './oracle.js'
import { pooledRewards } from './pooled-rewards.js'
import { type RewardClip, requireClip } from './reward-clip.js'
import { residualSigma } from './reward-noise.js'
import { solveActions } from './solve-actions.js'

/** The linear reward model: products, missing indicators, ridge. */
export interface LinearOptions {
  readonly kind?: 'linear'
  /** Products of covariates and context columns; default 'none'. */
  readonly interactions?: Interactions
  /** Indicators of missing covariates among the features; default 'none'. */
  readonly indicator?: MissingIndicator
  /** Ridge toward the pooled mean (or toward the shared part). Default 0.05. */
  readonly ridge?: number
  /** Ridge of a part shared by all actions; absent: no shared part. */
  readonly shared?: number
  /** Range of predictions in units of the mean reward's range; default 0 to 1; null: no clip. */
  readonly clip?: RewardClip | null
  /** Width of a prediction: by row ('pointwise', default) or one per action ('action'). */
  readonly width?: 'pointwise' | 'action'
}

export interface LinearSettings {
  readonly design: Design
  readonly ridge: number
  readonly shared: number | undefined
  readonly clip: RewardClip | null
  readonly width: 'pointwise' | 'action'
}

const OPTIONS = ['kind', 'interactions', 'indicator', 'ridge', 'shared', 'clip', 'width']

/** The linear reward model, fitted from sums by action. */
export function linearOracle(encoding: Encoding, options: LinearOptions = {}): Oracle {
  const settings = linearSettings(encoding, options)
  const dimension = encoding.actions.length * designColumns(settings.design)
  return {
    kind: 'linear',
    dimension,
    radius: (rows, constant16) => linearRadius({ dimension, rows, constant16 }).radius,
    fit: (rows: RewardRows) => fitActionSums(actionSums(rows, settings.design), settings, rows),
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
  requirePositive('oracle.ridge', ridge)
  if (shared !== undefined) requirePositive('oracle.shared', shared)
  requireClip(clip)
  if (width !== 'pointwise' && width !== 'action') invalidOption('oracle.width', '"pointwise" or "action"', width)
  return { design: designOf(encoding, interactions, indicator), ridge, shared, clip, width }
}

/** The fit from its per-action sums; `newest` are rows that end with the newest ones, for the share of clipped predictions. */
export function fitActionSums(sums: readonly Sums[], settings: LinearSettings, newest: SummableRows): LinearModel {
  const { weight, mean, variance } = pooledRewards(sums)
  const { design, ridge, shared, clip, width } = settings
  const ridges = new Array<number>(designColumns(design)).fill(ridge)
  const { theta, degreesOfFreedom, covariance } = solveActions(sums, { ridges, shared }, mean)
  const fit = {
    residuals: sums.reduce((total, sum, a) => total + residualSum(sum, theta[a]!, mean), 0),
    variance,
    weight,
    degreesOfFreedom: degreesOfFreedom.reduce((total, value) => total + value, 0),
  }
  const model: LinearModel = {
    kind: 'linear',
    design,
    coefficients: theta.map((own) => Array.from(own, (value, k) => (k === 0 ? value + mean : value))),
    clip,
    sigma: residualSigma(fit),
    degreesOfFreedom,
    rows: sums.map((sum) => sum.count),
    weight,
    covariance: width === 'pointwise' ? covariance.map((matrix) => Array.from(matrix)) : null,
    clippedShare: 0,
  }
  if (clip === null) return model
  const unclipped = compileLinear({ ...model, clip: null }, newest.spread)
  return { ...model, clippedShare: clippedShare(newest, clip, unclipped) }
}
