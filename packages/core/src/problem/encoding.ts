// The bridge between what people write (named features) and what kernels read (dense rows in a stable column order).
// Columns follow the order in which features were declared.

import { nearestName, PrimoError, show, unknownName } from '@primo/numeric'
import {
  columnNames,
  encodeValue,
  type Feature,
  featureLevels,
  featureWidth,
  insideUnit,
  isClipped,
  levelIndex,
  scaleNumber,
  unscaleNumber,
} from './feature.js'
import type { Context, Prediction } from './imputer.js'
import type { CovariateSpec, Problem } from './problem.js'
import { readUncertain } from './uncertain-prediction.js'

export interface EncodedFeature {
  readonly name: string
  /** How a request writes it: context.name or covariates.name. */
  readonly field: string
  readonly feature: Feature
  /** First column and number of columns. */
  readonly at: number
  readonly width: number
}

/** A covariate with its place among the columns. */
export interface EncodedCovariate extends EncodedFeature {
  readonly feature: CovariateSpec
}

/** Which columns the features of a problem become. */
export interface Encoding {
  readonly context: readonly EncodedFeature[]
  readonly contextWidth: number
  readonly contextColumns: readonly string[]
  readonly covariates: readonly EncodedCovariate[]
  readonly covariateWidth: number
  readonly covariateColumns: readonly string[]
  readonly signals: readonly EncodedFeature[]
  readonly signalWidth: number
  /** Numbers that take values outside their range. */
  readonly clips: readonly EncodedFeature[]
  readonly actions: readonly string[]
  readonly actionIndex: ReadonlyMap<string, number>
}

/** The columns of a problem, in the order of its declaration. */
export function encodingOf(problem: Problem): Encoding {
  const context = layOut('context', Object.entries(problem.context))
  const covariates = layOut('covariates', Object.entries(problem.covariates))
  const signals = layOut('signals', Object.entries(problem.signals ?? {}))
  return {
    context,
    contextWidth: widthOf(context),
    contextColumns: context.flatMap(({ name, feature }) => columnNames(name, feature)),
    covariates,
    covariateWidth: widthOf(covariates),
    covariateColumns: covariates.flatMap(({ name, feature }) => columnNames(name, feature)),
    signals,
    signalWidth: widthOf(signals),
    clips: [...context, ...covariates].filter(({ feature }) => feature.type === 'number' && feature.outside === 'clip'),
    actions: problem.actions,
    actionIndex: new Map(problem.actions.map((action, index) => [action, index])),
  }
}

function layOut<F extends Feature>(part: string, entries: readonly (readonly [string, F])[]) {
  let at = 0
  return entries.map(([name, feature]) => {
    const width = featureWidth(feature)
    at += width
    return { name, field: `${part}.${name}`, feature, at: at - width, width }
  })
}

function widthOf(features: readonly EncodedFeature[]): number {
  return features.reduce((sum, { width }) => sum + width, 0)
}

/**
 * Writes the context's columns to out[at...] and returns the context, with defaults where it gives no value; throws when a feature
 * is unknown, missing or has a bad value.
 */
export function encodeContext(encoding: Encoding, context: unknown, out: Float64Array, at = 0): Context {
  const given = record('context', context)
  if (encodedInOrder(encoding.context, given, out, at)) return given as Context
  let filled = given
  for (const { name, field, feature, at: column } of encoding.context) {
    let value = given[name]
    if ((value === undefined || value === null) && feature.default !== undefined) {
      value = feature.default
      filled = { ...filled, [name]: value }
    }
    if (value === undefined || value === null) {
      // Misspelt rather than missing: another name stands there that nobody declared.
      if (Object.keys(given).some((other) => nearestName(other, [name]) !== undefined))
        refuseUnknown('context', given, encoding.context, encoding.covariates)
      throw new PrimoError(
        'missing-feature',
        `${field} must be given, got ${show(value)}; declare it as a covariate if it may be missing`,
        { field, value },
      )
    }
    encodeValue(field, feature, value, out, at + column)
  }
  // Every feature is there, so there are others only if there are more.
  let count = 0
  for (const _ in filled) count++
  if (count !== encoding.context.length) refuseUnknown('context', given, encoding.context, encoding.covariates)
  return filled as Context
}

/** Names of the given values that are outside their range and taken as the nearer end of it. */
export function clippedValues(
  { clips }: Encoding,
  context: Readonly<Record<string, unknown>>,
  covariates: Readonly<Record<string, unknown>> = NOTHING,
): readonly string[] {
  if (clips.length === 0) return NONE
  const found = clips.filter(({ name, feature }) => isClipped(feature, context[name] ?? covariates[name]))
  return found.length === 0 ? NONE : found.map(({ name }) => name)
}

const NONE: readonly string[] = Object.freeze([])
const NOTHING = Object.freeze({})

/**
 * Callers mostly name the features in the order of their declaration: values read along with their names need not be looked up.
 * False: they do not, or the context is not a good one.
 */
function encodedInOrder(
  features: readonly EncodedFeature[],
  given: Readonly<Record<string, unknown>>,
  out: Float64Array,
  at: number,
): boolean {
  let k = 0
  for (const name in given) {
    const encoded = features[k++]
    if (encoded === undefined || encoded.name !== name) return false
    const value = given[name]
    const { feature } = encoded
    if (feature.type !== 'number' || typeof value !== 'number' || !(value >= feature.min && value <= feature.max)) {
      if (value === undefined || value === null) return false
      encodeValue(encoded.field, feature, value, out, at + encoded.at)
    } else out[at + encoded.at] = scaleNumber(feature, value)
  }
  return k === features.length
}

/** Named values of a record such as `covariates` or `predictions`, checked for unknown names. */
export function covariateRecord(encoding: Encoding, field: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : featureRecord(encoding.covariates, field, value)
}

/** Values by name, checked to be of known names. */
export function featureRecord(
  known: readonly EncodedFeature[],
  field: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const given = record(field, value)
  refuseUnknown(field, given, known)
  return given
}

function record(field: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PrimoError('wrong-type', `${field} must be an object, got ${show(value)}`, { field, value })
  }
  return value as Readonly<Record<string, unknown>>
}

function refuseUnknown(
  field: string,
  given: Readonly<Record<string, unknown>>,
  known: readonly EncodedFeature[],
  covariates: readonly EncodedFeature[] = [],
): void {
  for (const name of Object.keys(given)) {
    if (known.some((feature) => feature.name === name)) continue
    const names = known.map((feature) => feature.name)
    const sentence = covariates.some((covariate) => covariate.name === name)
      ? `${field} must not have the covariate ${show(name)}, got it there: give it in covariates`
      : unknownName(field, name, names, field === 'context' ? 'feature' : 'covariate')
    throw new PrimoError('unknown-feature', sentence, { field, name })
  }
}

/**
 * Writes a prediction in inside units. Returns null when it was taken, else why it cannot be: not finite, of the wrong
 * type, or outside the covariate's range. A failed prediction is never a value.
 */
export function encodePrediction(
  { feature }: Pick<EncodedCovariate, 'feature'>,
  prediction: Prediction | undefined | null,
  out: Float64Array,
  at: number,
): string | null {
  if (prediction === undefined || prediction === null) return 'no prediction was given'
  if (feature.type === 'number') {
    const read = readUncertain(prediction)
    if (typeof read === 'string') return read
    const { value } = read
    if (!Number.isFinite(value)) return `predicted ${value}`
    if (value < feature.min || value > feature.max) {
      return `predicted ${value}, outside ${feature.min} to ${feature.max}`
    }
    out[at] = scaleNumber(feature, value)
    return null
  }
  if (feature.type === 'boolean') {
    const probability = typeof prediction === 'boolean' ? Number(prediction) : prediction
    if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1))
      return `predicted ${show(prediction)}`
    // + 0: JSON has no -0, and a replayed log must give the same bits.
    out[at] = probability + 0
    return null
  }
  const levels = featureLevels(feature)
  if (typeof prediction === 'string') {
    const index = levelIndex(feature, prediction)
    if (index < 0) return `predicted the unknown level ${show(prediction)}`
    for (let k = 0; k < levels.length; k++) out[at + k] = k === index ? 1 : 0
    return null
  }
  if (typeof prediction !== 'object') return `predicted ${show(prediction)}`
  const probabilities = prediction as Readonly<Record<string, number>>
  for (const level of Object.keys(probabilities)) {
    if (!levels.includes(level)) return `predicted the unknown level ${show(level)}`
  }
  let total = 0
  for (const level of levels) {
    const probability = probabilities[level] ?? 0
    if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1 + 1e-9))
      return `predicted probability ${show(probability)} for ${show(level)}`
    total += probability
  }
  if (Math.abs(total - 1) > 1e-3) return `predicted probabilities that sum to ${total}`
  levels.forEach((level, k) => {
    out[at + k] = (probabilities[level] ?? 0) / total + 0
  })
  return null
}

/** The standard deviation that came with a prediction of a number, inside units; NaN: none. */
export function encodeModelSd({ feature }: EncodedCovariate, prediction: Prediction): number {
  if (feature.type !== 'number' || typeof prediction !== 'object') return Number.NaN
  const read = readUncertain(prediction)
  return typeof read === 'string' ? Number.NaN : read.sd / insideUnit(feature)
}

/** An inside value as the user would write it: a number, a probability, or a map level -> probability. */
export function decodeCovariate(
  covariate: EncodedCovariate,
  values: Float64Array,
  at: number,
): number | Readonly<Record<string, number>> {
  const { feature } = covariate
  if (feature.type === 'number') return unscaleNumber(feature, values[at]!)
  if (feature.type === 'boolean') return values[at]!
  return Object.fromEntries(featureLevels(feature).map((level, k) => [level, values[at + k]!]))
}

/** The middle of the covariate's range, used when nobody can predict it. */
export function writeNeutral(covariate: EncodedCovariate, out: Float64Array, at: number): void {
  const { feature, width } = covariate
  const value = feature.type === 'number' ? 0 : feature.type === 'boolean' ? 0.5 : 1 / width
  for (let k = 0; k < width; k++) out[at + k] = value
}
