// A decision request, checked and encoded before anything changes. The shapes are those of the HTTP service.

import { covariateRecord, type Encoding, encodeContext, encodePrediction, writeNeutral } from '../data/encoding.js'
import { encodeValue, type FeatureValue } from '../data/feature.js'
import { Observed } from '../data/round-table.js'
import { PrimoError, show } from '../errors.js'
import { type Context, type Prediction, predictWith } from '../imputation/imputer.js'
import type { Engine } from './engine.js'

export interface DecisionRequest {
  /** Default: the number of the round. Text that is not a bare number. */
  readonly id?: string
  readonly context: Context
  /** null or absent: missing. */
  readonly covariates?: Readonly<Record<string, FeatureValue | null | undefined>>
  /** Predictions made elsewhere; they take the place of the imputer, null says that it failed. */
  readonly predictions?: Readonly<Record<string, Prediction | null>>
  /** The eligible actions when not all are. */
  readonly actions?: readonly string[]
}

export interface EncodedRequest {
  /** Context and covariates (null: missing) as they were encoded: neither a model nor the caller can change them later. */
  readonly named: Context
  readonly given: Readonly<Record<string, FeatureValue | null>>
  readonly context: Float64Array
  readonly covariates: Float64Array
  readonly pretrained: Float64Array
  readonly observed: Uint8Array
  readonly predictions: Record<string, Prediction | null>
  /** Why a missing covariate has no prediction. */
  readonly failures: Record<string, string>
  readonly eligible: Int32Array | undefined
}

const FIELDS = ['id', 'context', 'covariates', 'predictions', 'actions']

export function encodeRequest(engine: Engine, request: DecisionRequest): EncodedRequest {
  const { encoding, calibration } = engine
  if (typeof request !== 'object' || request === null) {
    throw new PrimoError('wrong-type', `request must be an object, got ${show(request)}`, {
      field: 'request',
      value: request,
    })
  }
  for (const name of Object.keys(request)) {
    if (!FIELDS.includes(name)) {
      throw new PrimoError('invalid-request', `request must only have ${FIELDS.join(', ')}, got "${name}"`, {
        field: name,
      })
    }
  }
  const context = new Float64Array(encoding.contextWidth)
  const named = encodeContext(encoding, request.context, context)
  const given = covariateRecord(encoding, 'covariates', request.covariates)
  const supplied = covariateRecord(encoding, 'predictions', request.predictions)
  const covariates = new Float64Array(encoding.covariateWidth)
  const pretrained = new Float64Array(encoding.covariateWidth).fill(Number.NaN)
  const observed = new Uint8Array(encoding.covariates.length)
  const predictions: Record<string, Prediction | null> = {}
  const failures: Record<string, string> = {}
  encoding.covariates.forEach((covariate, which) => {
    const { name, at, width } = covariate
    const value = given[name]
    const missing = value === undefined || value === null
    if (!missing) {
      encodeValue(`covariates.${name}`, covariate.feature, value, covariates, at)
      observed[which] = Observed.atDecision
    }
    // Observed values need a prediction too where a calibration compares the two.
    if (!missing && calibration === null && !(name in supplied)) return
    const { prediction, failure } = askModel(engine, which, named, supplied)
    const failed = failure ?? encodePrediction(covariate, prediction, pretrained, at)
    predictions[name] = failed === null ? copyOf(prediction!) : null
    if (failed === null) return
    pretrained.fill(Number.NaN, at, at + width)
    if (!missing) return
    failures[name] = failed
    writeNeutral(covariate, covariates, at)
  })
  return {
    named,
    given: Object.fromEntries(
      encoding.covariates.map(({ name }) => [name, (given[name] ?? null) as FeatureValue | null]),
    ),
    context,
    covariates,
    pretrained,
    observed,
    predictions,
    failures,
    eligible: eligibleActions(encoding, request.actions),
  }
}

function askModel(
  engine: Engine,
  which: number,
  context: Context,
  supplied: Readonly<Record<string, unknown>>,
): { prediction: Prediction | null; failure: string | null } {
  const { name, feature } = engine.encoding.covariates[which]!
  if (supplied[name] !== undefined) return { prediction: supplied[name] as Prediction | null, failure: null }
  try {
    return {
      prediction: predictWith(feature.imputer, engine.problem.context, context, undefined) ?? null,
      failure: null,
    }
  } catch (error) {
    return { prediction: null, failure: `the model failed: ${error instanceof Error ? error.message : show(error)}` }
  }
}

function copyOf(prediction: Prediction): Prediction {
  return typeof prediction === 'object' ? { ...prediction } : prediction
}

function eligibleActions(encoding: Encoding, actions: unknown): Int32Array | undefined {
  if (actions === undefined) return undefined
  if (!Array.isArray(actions) || actions.length === 0) {
    throw new PrimoError('invalid-request', `actions must be a list of at least one action, got ${show(actions)}`, {
      field: 'actions',
    })
  }
  const indexes = Array.from(actions, (action: unknown) => actionIndex(encoding, action))
  if (new Set(indexes).size !== indexes.length) {
    throw new PrimoError('invalid-request', `actions must be distinct, got ${actions.map(show).join(', ')}`, {
      field: 'actions',
    })
  }
  return Int32Array.from(indexes).sort()
}

function actionIndex(encoding: Encoding, action: unknown): number {
  const index = encoding.actionIndex.get(action as string)
  if (index === undefined) {
    throw new PrimoError(
      'unknown-action',
      `actions must be among ${encoding.actions.map(show).join(', ')}, got ${show(action)}`,
      {
        field: 'actions',
        value: action,
      },
    )
  }
  return index
}
