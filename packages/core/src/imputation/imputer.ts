// A pre-trained model g~ as a value: where the prediction of a covariate comes from. Kinds that are plain data can be
// stored and sent; `pretrained(fn)` wraps a function of the caller's. Predictions are in the user's units: a number for
// a number, a probability (or true/false) for a boolean, a level or a map level -> probability for a category.

import { type Feature, type FeatureValue, featureLevels, levelIndex } from '../data/feature.js'
import { PrimoError, requireFinite, show } from '../errors.js'

export type Context = Readonly<Record<string, FeatureValue>>
export type Prediction = number | boolean | string | Readonly<Record<string, number>>

export interface ConstantImputer {
  readonly kind: 'constant'
  readonly value: Prediction
}

/** intercept + sum of coefficient * value; a category's coefficient is written "feature=level", a boolean counts as 0 or 1. */
export interface LinearImputer {
  readonly kind: 'linear'
  readonly intercept: number
  readonly coefficients: Readonly<Record<string, number>>
}

/** The prediction arrives with each request (`predictions`). */
export interface ColumnImputer {
  readonly kind: 'column'
}

export interface FunctionImputer {
  readonly kind: 'function'
  readonly predict: (context: Context) => Prediction
  readonly version?: string
}

export type Imputer = ConstantImputer | LinearImputer | ColumnImputer | FunctionImputer

/** A pre-trained model given as a function of the context. */
export function pretrained(
  predict: (context: Context) => Prediction,
  options: { readonly version?: string } = {},
): FunctionImputer {
  return options.version === undefined
    ? { kind: 'function', predict }
    : { kind: 'function', predict, version: options.version }
}

export function checkImputer(field: string, imputer: unknown): asserts imputer is Imputer {
  const given = imputer as Partial<Record<string, unknown>> | null | undefined
  switch (given?.kind) {
    case 'constant':
      if (given.value === undefined || given.value === null) bad(`${field}.value`, 'a prediction', given.value)
      return
    case 'linear': {
      requireFinite(`${field}.intercept`, given.intercept)
      const coefficients = given.coefficients
      if (typeof coefficients !== 'object' || coefficients === null)
        bad(`${field}.coefficients`, 'a map feature -> number', coefficients)
      for (const [name, value] of Object.entries(coefficients as object))
        requireFinite(`${field}.coefficients.${name}`, value)
      return
    }
    case 'column':
      return
    case 'function':
      if (typeof given.predict !== 'function') bad(`${field}.predict`, 'a function of the context', given.predict)
      return
    default:
      bad(field, 'an imputer such as pretrained((x) => ...) or { kind: "constant", value }', imputer)
  }
}

function bad(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-problem', `${field} must be ${rule}, got ${show(value)}`, { field, value })
}

/**
 * What the imputer says for this context, whose features are given; `column` takes it from the request. May throw what
 * a user's function throws.
 */
export function predictWith(
  imputer: Imputer,
  features: Readonly<Record<string, Feature>>,
  context: Context,
  fromRequest: Prediction | undefined,
): Prediction | undefined {
  switch (imputer.kind) {
    case 'constant':
      return imputer.value
    case 'linear': {
      let sum = imputer.intercept
      for (const [name, coefficient] of Object.entries(imputer.coefficients))
        sum += coefficient * termValue(features, context, name)
      return sum
    }
    case 'column':
      return fromRequest
    case 'function':
      return imputer.predict(context)
  }
}

function termValue(features: Readonly<Record<string, Feature>>, context: Context, column: string): number {
  const value = context[column]
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  // Names have no "=", levels may.
  const at = column.indexOf('=')
  const name = column.slice(0, at)
  const feature = features[name]
  const level = context[name]
  if (feature?.type !== 'category' || typeof level !== 'string') return 0
  return featureLevels(feature)[levelIndex(feature, level)] === column.slice(at + 1) ? 1 : 0
}
