// A decision request, checked and encoded before anything changes. The shapes are those of the HTTP service.

import { PrimoError, show } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import { predictWith } from '../imputation/predict-with.js'
import {
  covariateRecord,
  type Encoding,
  encodeContext,
  encodeModelSd,
  encodePrediction,
  writeNeutral,
} from '../problem/encoding.js'
import { encodeValue, type FeatureValue, wrongType } from '../problem/feature.js'
import { frozenCopy } from '../problem/frozen-copy.js'
import type { Context, MemberImputer, MemberPredictions, Prediction } from '../problem/imputer.js'
import type { SomeOf } from '../problem/values-of.js'
import { Observed } from '../rounds/round-table.js'

/** What is known when a decision is asked for. */
export interface DecisionRequest<Given = Context, Covariates = Context, Action extends string = string> {
  /** Default: the number of the round. Text that is not a bare number. */
  readonly id?: string
  readonly context: Given
  /** null or absent: missing. */
  readonly covariates?: { readonly [Name in keyof Covariates]?: Covariates[Name] | null | undefined }
  /** Predictions made elsewhere; they take the place of the imputer (or of members of an ensemble), null says that it failed. */
  readonly predictions?: SomeOf<keyof Covariates, Prediction | MemberPredictions | null>
  /** Why a covariate is missing, in the words of its `reasons` or others; log and observation model know it. */
  readonly missing?: SomeOf<keyof Covariates, string>
  /** The eligible actions when not all are. */
  readonly actions?: readonly Action[]
}

/** The arrays are the encoder's: the next request overwrites them. */
export interface EncodedRequest {
  /** Context and covariates (null or absent: missing) as they were given. */
  readonly named: Context
  readonly given: Readonly<Record<string, FeatureValue | null | undefined>>
  readonly context: Float64Array
  readonly covariates: Float64Array
  readonly pretrained: Float64Array
  readonly observed: Uint8Array
  /** What the members of ensembles said, NaN where one was silent; null: there are no ensembles. */
  readonly members: Float64Array | null
  /** Standard deviations that models gave, inside units, NaN where one did not; null: none did. */
  readonly modelSd: Float64Array | null
  /** Declared reasons, 1 + their place; null: none was given. */
  readonly reasons: Uint8Array | null
  readonly predictions: Record<string, Prediction | MemberPredictions | null>
  /** Why a missing covariate has no prediction. */
  readonly failures: Record<string, string>
  readonly eligible: Int32Array | undefined
}

const FIELDS = ['id', 'context', 'covariates', 'predictions', 'missing', 'actions']

export type RequestEncoder = (request: DecisionRequest) => EncodedRequest

/** `ours`: nobody else holds the requests; without it a model gets a frozen copy of the context. */
export function createRequestEncoder(engine: Engine, { ours = false } = {}): RequestEncoder {
  const { encoding } = engine
  const { memberWidth = 0 } = engine.shape
  const arrays = {
    context: new Float64Array(encoding.contextWidth),
    covariates: new Float64Array(encoding.covariateWidth),
    pretrained: new Float64Array(encoding.covariateWidth),
    observed: new Uint8Array(encoding.covariates.length),
    members: memberWidth === 0 ? null : new Float64Array(memberWidth),
  }
  return (request) => {
    // A handful of numbers: loops are quicker than calls of `fill`.
    for (let k = 0; k < encoding.covariateWidth; k++) {
      arrays.covariates[k] = 0
      arrays.pretrained[k] = Number.NaN
    }
    for (let k = 0; k < encoding.covariates.length; k++) arrays.observed[k] = Observed.missing
    arrays.members?.fill(Number.NaN)
    return encodeRequest(engine, request, arrays, ours)
  }
}

type Arrays = Pick<EncodedRequest, 'context' | 'covariates' | 'pretrained' | 'observed' | 'members'>

function encodeRequest(engine: Engine, request: DecisionRequest, arrays: Arrays, ours: boolean): EncodedRequest {
  const { encoding, calibration } = engine
  const { context, covariates, pretrained, observed, members } = arrays
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
  const checked = encodeContext(encoding, request.context, context)
  const named = ours ? checked : Object.freeze({ ...checked })
  const given = covariateRecord(encoding, 'covariates', request.covariates)
  const supplied = covariateRecord(encoding, 'predictions', request.predictions)
  let modelSd: Float64Array | null = null
  const predictions: EncodedRequest['predictions'] = {}
  const failures: Record<string, string> = {}
  for (let which = 0; which < observed.length; which++) {
    const covariate = encoding.covariates[which]!
    const { name, at, width } = covariate
    const value = given[name]
    const missing = value === undefined || value === null
    if (!missing) {
      encodeValue(covariate.field, covariate.feature, value, covariates, at)
      observed[which] = Observed.atDecision
    }
    // Observed values need a prediction too where a calibration compares the two.
    if (!missing && calibration === null && !(name in supplied)) continue
    const { imputer } = covariate.feature
    let failed: string | null
    if (imputer.kind === 'ensemble' && (supplied[name] === undefined || isMembers(supplied[name]))) {
      const asked = askMembers(engine, which, named, supplied[name] as MemberPredictions | undefined, members!)
      failed = asked.failure
      predictions[name] = { members: asked.said }
    } else {
      const asked = askModel(engine, imputer as MemberImputer, named, supplied[name] as Prediction | null | undefined)
      failed = asked.failure ?? encodePrediction(covariate, asked.prediction, pretrained, at)
      predictions[name] = failed === null ? copyOf(asked.prediction!) : null
      const sd = failed === null ? encodeModelSd(covariate, asked.prediction!) : Number.NaN
      if (!Number.isNaN(sd)) {
        modelSd ??= new Float64Array(observed.length).fill(Number.NaN)
        modelSd[which] = sd
      }
    }
    if (failed === null) continue
    pretrained.fill(Number.NaN, at, at + width)
    if (!missing) continue
    failures[name] = failed
    writeNeutral(covariate, covariates, at)
  }
  return {
    named,
    given: given as EncodedRequest['given'],
    context,
    covariates,
    pretrained,
    observed,
    members,
    modelSd,
    reasons: encodeReasons(encoding, observed, request.missing),
    predictions,
    failures,
    eligible: eligibleActions(encoding, request.actions),
  }
}

function askModel(
  engine: Engine,
  imputer: MemberImputer,
  context: Context,
  supplied: Prediction | null | undefined,
): { prediction: Prediction | null; failure: string | null } {
  if (supplied !== undefined) return { prediction: supplied, failure: null }
  try {
    return {
      prediction: predictWith(imputer, engine.problem.context, context, undefined) ?? null,
      failure: null,
    }
  } catch (error) {
    return { prediction: null, failure: `the model failed: ${error instanceof Error ? error.message : show(error)}` }
  }
}

/** Asks every member that the request does not speak for; a failure only where all are silent. */
function askMembers(
  engine: Engine,
  which: number,
  context: Context,
  supplied: MemberPredictions | undefined,
  members: Float64Array,
): { said: Record<string, Prediction | null>; failure: string | null } {
  const covariate = engine.encoding.covariates[which]!
  const { imputer } = covariate.feature
  const { names, at } = engine.ensembles[which]!
  const said: Record<string, Prediction | null> = {}
  const failures: string[] = []
  if (imputer.kind !== 'ensemble') return { said, failure: 'there is no ensemble' }
  for (const name of Object.keys(supplied?.members ?? {})) {
    if (!names.includes(name))
      throw new PrimoError(
        'unknown-feature',
        `predictions.${covariate.name}.members must only have ${names.join(', ')}, got "${name}"`,
        { name },
      )
  }
  names.forEach((name, j) => {
    const { prediction, failure } = askModel(engine, imputer.members[name]!, context, supplied?.members[name])
    const first = at + j * covariate.width
    const failed = failure ?? encodePrediction(covariate, prediction, members, first)
    said[name] = failed === null ? copyOf(prediction!) : null
    if (failed === null) return
    members.fill(Number.NaN, first, first + covariate.width)
    failures.push(`${name}: ${failed}`)
  })
  return { said, failure: failures.length === names.length ? failures.join('; ') : null }
}

function isMembers(given: unknown): given is MemberPredictions {
  const members = (given as Partial<MemberPredictions> | null)?.members
  return typeof members === 'object' && members !== null
}

function copyOf(prediction: Prediction): Prediction {
  return typeof prediction === 'object' ? (frozenCopy(prediction) as Prediction) : prediction
}

/** The reasons of missing covariates among the declared ones; others are words for the log. */
function encodeReasons(encoding: Encoding, observed: Uint8Array, missing: unknown): Uint8Array | null {
  if (missing === undefined) return null
  const given = covariateRecord(encoding, 'missing', missing)
  let codes: Uint8Array | null = null
  encoding.covariates.forEach(({ name, feature }, which) => {
    const reason = given[name]
    if (reason === undefined) return
    if (typeof reason !== 'string' || reason === '') throw wrongType(`missing.${name}`, 'non-empty text', reason)
    const place = Object.keys(feature.reasons ?? {}).indexOf(reason)
    if (place < 0 || observed[which] === Observed.atDecision) return
    codes ??= new Uint8Array(observed.length)
    codes[which] = 1 + place
  })
  return codes
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
