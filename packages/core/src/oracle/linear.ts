// The linear reward class (method#reward-fit): theta_a = m e_1 + (G_a + ridge I)^-1 sum phi (r - m), m the pooled mean reward,
// so an action without data predicts m; with a shared part, theta_a moves toward one that all actions have in common
// (solve-actions.ts). Everything comes from per-action sums (action-sums.ts).

import type { Sums } from '@primo/numeric'
import { invalidOption, requireOptions, requirePositive, residualSum, targetSquare } from '@primo/numeric'
import { linearRadius } from '@primo/theory'
import type { Encoding } from '../problem/encoding.js'
import type { RewardRows } from '../rounds/reward-rows.js'
import { actionSums, type SummableRows } from './action-sums.js'
import { type Candidates, candidateProducts } from './candidate-products.js'
import { chosenDesign, type DesignChoice } from './chosen-design.js'
import { clippedShare } from './clipped-share.js'
import { type Design, designColumns, designOf, type Interactions, type MissingIndicator } from './design.js'
import { largestResiduals, rememberedResiduals } from './largest-residual.js'
import { compileLinear, type LinearModel } from './linear-model.js'
import { optimisticParts } from './optimistic-parts.js'
import type { Oracle, RewardScorer } from './oracle.js'
import { pooledRewards } from './pooled-rewards.js'
import { type RewardClip, requireClip } from './reward-clip.js'
import {
  type ActionNoise,
  type ActionResiduals,
  actionNoise,
  type FitResiduals,
  leanOf,
  residualSigma,
} from './reward-noise.js'
import { clipToSeen, seenRewards } from './seen-rewards.js'
import { solveActions } from './solve-actions.js'

/** The linear reward model: products, missing indicators, ridge. */
export interface LinearOptions {
  readonly kind?: 'linear'
  /** Products of covariates and context columns, or 'auto': those that the data ask for; default 'none'. */
  readonly interactions?: Interactions | 'auto'
  /** Indicators of missing covariates among the features; default 'none'. */
  readonly indicator?: MissingIndicator
  /** Ridge toward the pooled mean (or toward the shared part); of the constant alone where products are 'auto'. Default 0.05. */
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
  /** Products to choose from; null: the design has its own. */
  readonly candidates: Candidates | null
  readonly ridge: number
  readonly shared: number | undefined
  readonly clip: RewardClip | null
  readonly width: 'pointwise' | 'action'
  /** Whether the model keeps the noise of each action. */
  readonly noise: boolean
}

const OPTIONS = ['kind', 'interactions', 'indicator', 'ridge', 'shared', 'clip', 'width']

/** The linear reward model, fitted from sums by action. `noise`: whether its models keep the noise of each action, for exploration rules that ask for it. */
export function linearOracle(encoding: Encoding, options: LinearOptions = {}, noise = false): Oracle {
  const settings = linearSettings(encoding, options, noise)
  const dimension = encoding.actions.length * designColumns(settings.design)
  return {
    kind: 'linear',
    dimension,
    radius: (rows, constant16) => linearRadius({ dimension, rows, constant16 }).radius,
    fit: (rows, _random, before = null) => fitLinear(rows, settings, before?.kind === 'linear' ? before : null),
    compile: (model, spread) => compileLinear(model as LinearModel, spread),
  }
}

export function linearSettings(encoding: Encoding, options: LinearOptions, noise = false): LinearSettings {
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
  const auto = interactions === 'auto'
  const design = designOf(encoding, auto ? 'none' : interactions, indicator)
  return { design, candidates: auto ? candidateProducts(encoding, design) : null, ridge, shared, clip, width, noise }
}

/** With products to choose, `before` is the model whose choice this one goes on from. */
function fitLinear(rows: RewardRows, settings: LinearSettings, before: LinearModel | null = null): LinearModel {
  const { candidates, ridge } = settings
  if (candidates === null) return fitActionSums(actionSums(rows, settings.design), settings, rows)
  const { sums, design, chosen } = chosenDesign(rows, settings.design, candidates, ridge, before)
  const seen = seenRewards(rows, design.fences)
  const clip = clipToSeen(settings.clip, seen)
  const unit = seen === null ? 1 : Math.min(1, seen.max - seen.min)
  const model = fitActionSums(sums, { ...settings, design, clip }, rows, { chosen, unit, noise: before?.noise })
  return { ...model, chosen, unit }
}

/** By column: those that the data chose, also where a column is repeated under an indicator. */
function ridgesOf({ design, ridge }: LinearSettings, chosen: readonly number[] = []): readonly number[] {
  const repeated = design.indicator === 'interacted' && chosen.length > 0 ? chosen.length : Number.POSITIVE_INFINITY
  return Array.from({ length: designColumns(design) }, (_, k) => chosen[k % repeated] ?? ridge)
}

/** What a choice of columns knows beside the sums. */
interface Known {
  readonly chosen?: DesignChoice
  /** The range of the rewards seen. */
  readonly unit?: number
  /** Of the model before. */
  readonly noise?: ActionNoise | undefined
}

/** The fit from its per-action sums; `newest` are rows that end with the newest ones, for the share of clipped predictions. */
export function fitActionSums(
  sums: readonly Sums[],
  settings: LinearSettings,
  newest: SummableRows,
  { chosen, unit = 1, noise }: Known = {},
): LinearModel {
  const { weight, mean, variance } = pooledRewards(sums)
  const { shared } = settings
  const solved = solveActions(sums, { ridges: ridgesOf(settings, chosen?.ridges), shared }, mean)
  const covariance = () =>
    chosen === undefined
      ? solved.covariance
      : solveActions(sums, { ridges: ridgesOf(settings, chosen.wide), shared }, mean).covariance
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
    weight,
    degreesOfFreedom: solved.degreesOfFreedom.reduce((total, value) => total + value, 0),
  }
  const model: LinearModel = {
    kind: 'linear',
    design: settings.design,
    coefficients,
    clip: settings.clip,
    sigma: residualSigma(fit, unit),
    degreesOfFreedom: solved.degreesOfFreedom,
    rows: sums.map((sum) => sum.count),
    weight,
    covariance: settings.width === 'pointwise' ? covariance().map((matrix) => Array.from(matrix)) : null,
    clippedShare: 0,
  }
  const { clip } = settings
  const unclipped = compileLinear({ ...model, clip: null }, newest.spread)
  return {
    ...model,
    ...(settings.noise ? { noise: noiseOf({ ...model, unit }, unclipped, newest, fit, own, noise) } : {}),
    clippedShare: clip === null ? 0 : clippedShare(newest, clip, unclipped),
  }
}

/** Noise by action, with what the newest rows, and the model before, say of it. */
function noiseOf(
  model: LinearModel & { readonly unit: number },
  unclipped: RewardScorer,
  newest: SummableRows,
  fit: FitResiduals,
  own: readonly ActionResiduals[],
  before: ActionNoise | undefined,
): ActionNoise {
  const weights = own.map(({ weight }) => weight)
  const seen = largestResiduals(newest, unclipped, weights, before)
  const known = rememberedResiduals(seen, weights, before)
  // An action that was hardly played of late still counts: few laws stay within two standard deviations.
  const spreads = own.map(({ residuals, weight }) => 2 * Math.sqrt(residuals / Math.max(1, weight)))
  const all = Math.max(...seen.above, ...seen.below, ...spreads)
  const noise = {
    ...actionNoise(fit, own, (a) => ({
      largest: Math.min(model.unit, Math.max(all, known.above[a]!, known.below[a]!)),
      lean: leanOf(known.above[a]!, known.below[a]!, model.unit),
    })),
    ...known,
  }
  return { ...noise, optimistic: optimisticParts(newest, { ...model, noise }) }
}

/** Whether all rewards were the same, up to rounding. */
function isConstant(sum: Sums): boolean {
  const mean = sum.weight > 0 ? sum.gram[sum.columns]! / sum.weight : 0
  return targetSquare(sum, mean) <= 1e-9 * targetSquare(sum)
}
