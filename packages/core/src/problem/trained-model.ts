// A model that `primo train` fitted, as plain data: how features become columns, one score per target (a number, log odds of true, or
// one per level), how scores become predictions, how far these may be off, and a card. Compiled by imputation/trained-predictor.ts.

import type { UsableModel } from '../regression/usable-fit.js'
import { shortHash } from './short-hash.js'

/** A feature that a trained model reads. */
export type TrainedFeature =
  | {
      readonly name: string
      readonly type: 'number'
      /** Mean and standard deviation over the rows it was trained on. */
      readonly centre: number
      readonly scale: number
      readonly min: number
      readonly max: number
      /** Whether it was missing in some of these rows. */
      readonly missing: boolean
    }
  | { readonly name: string; readonly type: 'boolean'; readonly missing: boolean }
  | { readonly name: string; readonly type: 'category'; readonly levels: readonly string[] }

/** What a trained model predicts. */
export type TrainedTarget =
  | { readonly type: 'number'; readonly min: number; readonly max: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'category'; readonly levels: readonly string[] }

/** How far predictions of a number were off where they were held out. */
export interface TrainedSpread {
  /** Increasing predictions; below the first, between two, above the last the sd is that of its place. */
  readonly cuts: readonly number[]
  readonly sd: readonly number[]
  /** Quantiles of error / sd at levels 0.5/n, 1.5/n, ..., for draws. */
  readonly quantiles: readonly number[]
}

/** A class that was tried, and its held-out loss. */
export interface TriedClass {
  readonly class: string
  /** Held-out rows that it was judged on. */
  readonly rows: number
  /** Mean squared error, or mean log loss. */
  readonly loss: number
  readonly chosen: boolean
}

/** One group of held-out rows with similar predictions. */
export interface CurvePoint {
  readonly level?: string
  readonly rows: number
  readonly predicted: number
  readonly observed: number
}

/** On which rows a model was trained, how good it is, and what it should not be used for. */
export interface TrainedCard {
  /** The file, or the log. */
  readonly source: string
  readonly rows: number
  readonly observed: number
  /** 'none', or 'observation': rows count 1 / (probability that they were observed). */
  readonly weights: 'none' | 'observation'
  readonly folds: number
  readonly seed: number
  /** Of a log: the last round that could be used. */
  readonly cut?: number
  readonly class: string
  readonly tried: readonly TriedClass[]
  /** Root mean squared error of held-out rows (numbers), or mean log loss; and that of the best constant. */
  readonly error: number
  readonly constantError: number
  /** 1 - (error / constantError)^2 for numbers, 1 - error / constantError else. */
  readonly explained: number
  readonly calibration: readonly CurvePoint[]
  /** By how much the held-out loss rises where a feature's values are shuffled; largest first. */
  readonly importance: readonly { readonly feature: string; readonly rise: number }[]
  readonly notFor: readonly string[]
}

/** A fitted predictor of one covariate from the context. */
export interface TrainedModel {
  readonly covariate: string
  readonly target: TrainedTarget
  readonly features: readonly TrainedFeature[]
  /** 'native': a missing value is NaN, which trees take; 'indicators': scaled, 0 where missing, with a column that says so. */
  readonly columns: 'native' | 'indicators'
  readonly scores: readonly UsableModel[]
  /** Log odds are slope * score + offsets[k]; chosen on held-out rows. Unused for numbers. */
  readonly link: { readonly slope: number; readonly offsets: readonly number[] }
  /** Of numbers. */
  readonly spread: TrainedSpread | null
  readonly fingerprint: string
  readonly card: TrainedCard
}

/** What a file of trained models holds. */
export interface ModelFile {
  readonly format: 'primo-model'
  readonly formatVersion: 1
  /** In the order in which they were trained. */
  readonly models: readonly TrainedModel[]
  /** Models that take earlier covariates as well, where these help: for completing tables, not for serving. */
  readonly given?: readonly TrainedModel[]
}

/** Of what decides a prediction; the card is no part of it. */
export function trainedFingerprint(model: Omit<TrainedModel, 'fingerprint' | 'card'>): string {
  const { covariate, target, features, columns, scores, link, spread } = model
  return shortHash({ covariate, target, features, columns, scores, link, spread })
}

/** Columns that features become. */
export function trainedWidth(features: readonly TrainedFeature[], columns: TrainedModel['columns']): number {
  return features.reduce((width, feature) => width + featureColumns(feature, columns), 0)
}

/** Columns that one feature becomes. */
export function featureColumns(feature: TrainedFeature, columns: TrainedModel['columns']): number {
  if (feature.type === 'category') return feature.levels.length
  return columns === 'indicators' && feature.missing ? 2 : 1
}

/** Writes the columns of one value: a number, 0 or 1, or the index of a level; NaN or -1: missing. Returns where the next begin. */
export function writeTrainedFeature(
  feature: TrainedFeature,
  columns: TrainedModel['columns'],
  value: number,
  out: Float64Array,
  at: number,
): number {
  if (feature.type === 'category') {
    for (let k = 0; k < feature.levels.length; k++) out[at + k] = k === value ? 1 : 0
    return at + feature.levels.length
  }
  if (columns === 'native') {
    out[at] = value
    return at + 1
  }
  const missing = Number.isNaN(value)
  const [centre, scale] = feature.type === 'number' ? [feature.centre, feature.scale] : [0, 1]
  out[at] = missing ? 0 : (value - centre) / scale
  if (!feature.missing) return at + 1
  out[at + 1] = missing ? 1 : 0
  return at + 2
}
