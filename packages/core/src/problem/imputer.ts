// A pre-trained model g~ as a value: where the prediction of a covariate comes from. Kinds that are plain data can be
// stored and sent; `pretrained(fn)` wraps a function of the caller's. Predictions are in the user's units: for a number
// a number (or a number with its uncertainty), a probability (or true/false) for a boolean, a level or a map level -> probability
// for a category.

import { PrimoError, requireFinite, show } from '@primo/numeric'
import type { FeatureValue } from './feature.js'
import { checkTableImputer, type TableImputer } from './table-imputer.js'
import { checkTrainedImputer, type TrainedImputer } from './trained-imputer.js'
import type { UncertainPrediction } from './uncertain-prediction.js'

/** Values by name. */
export type Context = Readonly<Record<string, FeatureValue>>
/** What a model says: a number, a probability, a level, a map level -> probability, or a number with its uncertainty. */
export type Prediction = number | boolean | string | Readonly<Record<string, number>> | UncertainPrediction

/** What the members of an ensemble said; null: this one failed. */
export interface MemberPredictions {
  readonly members: Readonly<Record<string, Prediction | null>>
}

interface Versioned {
  /** The user's name for this state of the model; shown in replies. */
  readonly version?: string
}

interface ConstantImputer extends Versioned {
  readonly kind: 'constant'
  readonly value: Prediction
}

/** intercept + sum of coefficient * value; a category's coefficient is written "feature=level", a boolean counts as 0 or 1. */
interface LinearImputer extends Versioned {
  readonly kind: 'linear'
  readonly intercept: number
  readonly coefficients: Readonly<Record<string, number>>
}

/** The prediction arrives with each request (`predictions`). */
interface ColumnImputer extends Versioned {
  readonly kind: 'column'
  /** Of the model that the column comes from, where its host knows one. */
  readonly fingerprint?: string
}

export interface FunctionImputer extends Versioned {
  readonly kind: 'function'
  readonly predict: (context: Context) => Prediction
}

/** Several models of one covariate; their weights are learnt from what is observed (see ensemble.ts). */
export interface EnsembleImputer extends Versioned {
  readonly kind: 'ensemble'
  readonly members: Readonly<Record<string, MemberImputer>>
}

/** One model: a constant, coefficients, a column of the request, a table, what `primo train` fitted, or a function. */
export type MemberImputer =
  | ConstantImputer
  | LinearImputer
  | ColumnImputer
  | TableImputer
  | TrainedImputer
  | FunctionImputer
/** The pre-trained model that predicts a covariate where it is missing. */
export type Imputer = MemberImputer | EnsembleImputer

/**
 * A pre-trained model given as a function of the context.
 * @example
 * covariates: { genotype: { ...number({ min: 0, max: 2 }), imputer: pretrained((x) => 1.2 - 0.004 * Number(x.age)) } }
 */
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
  const version = given?.version
  if (version !== undefined && (typeof version !== 'string' || version === ''))
    bad(`${field}.version`, 'non-empty text', version)
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
    case 'table':
      checkTableImputer(field, given)
      return
    case 'trained':
      checkTrainedImputer(field, given)
      return
    case 'ensemble': {
      const { members } = given
      if (typeof members !== 'object' || members === null || Array.isArray(members) || Object.keys(members).length < 2)
        bad(`${field}.members`, 'a map of at least two imputers', members)
      for (const [name, member] of Object.entries(members as object)) {
        if ((member as { kind?: unknown } | null)?.kind === 'ensemble')
          bad(`${field}.members.${name}.kind`, 'other than "ensemble" inside an ensemble', 'ensemble')
        checkImputer(`${field}.members.${name}`, member)
      }
      return
    }
    case 'function':
      if (typeof given.predict !== 'function') bad(`${field}.predict`, 'a function of the context', given.predict)
      return
    default:
      bad(field, 'the model that predicts it where it is missing, such as { kind: "constant", value }', imputer)
  }
}

function bad(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-problem', `${field} must be ${rule}, got ${show(value)}`, { field, value })
}
