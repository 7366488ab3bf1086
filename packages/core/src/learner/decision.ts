// What a decision tells: the action with its propensity, every propensity, and where each covariate's value came from.

import { type CovariateModel, isCorrection } from '../calibration/correction.js'
import type { Engine } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import type { Policy } from '../engine/policy.js'
import type { ProfileName } from '../engine/profiles.js'
import type { ValueOfObserving } from '../engine/value-of-observing.js'
import { decodeCovariate } from '../problem/encoding.js'
import { insideUnit } from '../problem/feature.js'
import { Observed, type RoundBlock } from '../rounds/round-table.js'
import type { EncodedRequest } from './request.js'

/** Which value of a covariate a decision used, where it came from and how sure it is. */
export interface CovariateUse {
  /** observed; imputed by a model; fallback: the model failed and the middle of the range was used. */
  readonly status: 'observed' | 'imputed' | 'fallback'
  /** What the decision used: a number, a probability, or a map level -> probability. */
  readonly value: number | Readonly<Record<string, number>>
  /** The standard deviation that the pre-trained model gave. */
  readonly modelSd?: number
  /** What the pre-trained model said, where it was asked. */
  readonly pretrained?: number | Readonly<Record<string, number>>
  /** Of the pre-trained model where it was asked: the user's version of it, and a fingerprint of its data. */
  readonly version?: string
  readonly fingerprint?: string
  readonly source: 'request' | 'pretrained' | 'calibrated' | 'constant'
  /** Why the model's value was not used. */
  readonly reason?: string
  /** Standard deviation of what the imputation of a number leaves open; absent: not known yet. */
  readonly sd?: number
  /** Expected gain in reward from knowing the missing value now; absent: what the imputation leaves open is not known. */
  readonly valueOfObserving?: number
  /** Knowing the value now is worth more than its `price`. */
  readonly ask?: true
  /** The audit asks for the truth of this value (`reveal`), and with what probability it asks. */
  readonly pleaseReveal?: true
  readonly revealProbability?: number
}

/**
 * The action to play, the propensity of every action, and where each covariate's value came from.
 * @example
 * const d = learner.decide({ context: { age: 63 }, covariates: { carrier: null } })
 * d.propensities.high // probability with which 'high' would have been played
 * d.covariates.carrier.status // 'imputed'
 */
export interface Decision<Action extends string = string, Covariate extends PropertyKey = string> {
  readonly id: string
  readonly action: Action
  readonly propensity: number
  readonly propensities: Readonly<Record<Action, number>>
  readonly covariates: Readonly<Record<Covariate, CovariateUse>>
  readonly epoch: number
  readonly policy: {
    readonly version: number
    readonly epoch: number
    readonly gamma: number
    readonly profile: ProfileName
  }
}

/** Missing covariates whose truth the audit asks for, with the probability of asking. */
export type Asked = Readonly<Record<string, number>>
export type CovariateUses = Readonly<Record<string, CovariateUse>>

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Where the value of each covariate came from, for the decision on this row. */
export function covariateUses(
  engine: Engine,
  models: readonly (CovariateModel | null)[],
  request: EncodedRequest,
  block: RoundBlock,
  row: number,
  asked: Asked,
  observingValue: () => ValueOfObserving | null,
): CovariateUses {
  const { covariates, covariateWidth } = engine.encoding
  const { min, max } = engine.problem.reward.mean ?? engine.problem.reward
  const uses: Record<string, CovariateUse> = {}
  for (let which = 0; which < covariates.length; which++) {
    const covariate = covariates[which]!
    const { name, at, feature } = covariate
    const first = row * covariateWidth + at
    const observed = request.observed[which] === Observed.atDecision
    const failure = observed ? undefined : request.failures[name]
    const use: Writable<CovariateUse> = {
      status: observed ? 'observed' : failure === undefined ? 'imputed' : 'fallback',
      value: decodeCovariate(covariate, block.covariates, first),
      source: 'request',
    }
    // Assigning "__proto__" would not make a field of that name.
    if (name === '__proto__') Object.defineProperty(uses, name, { value: use, enumerable: true })
    else uses[name] = use
    const said = !Number.isNaN(block.pretrained[first])
    if (said && failure === undefined) {
      use.pretrained = decodeCovariate(covariate, block.pretrained, first)
      const sd = request.modelSd?.[which] ?? Number.NaN
      if (!Number.isNaN(sd)) use.modelSd = sd * insideUnit(feature)
    }
    if (said || failure !== undefined) Object.assign(use, engine.imputers[which])
    if (observed) {
      // A number as it was given: scaling it there and back may change its last digit.
      const given = request.given[name]
      if (typeof given === 'number') use.value = given
      continue
    }
    if (failure !== undefined) {
      use.source = 'constant'
      use.reason = failure
    } else {
      const model = models[which]
      use.source = model == null ? 'pretrained' : model.kind === 'constant' ? 'constant' : 'calibrated'
      const variance = isCorrection(model) ? model.moments?.[2] : undefined
      if (variance !== undefined) use.sd = Math.sqrt(variance) * insideUnit(feature)
      const inside = observingValue()?.(block, row, which, request.eligible) ?? Number.NaN
      if (!Number.isNaN(inside)) {
        use.valueOfObserving = inside * (max - min)
        if (feature.price !== undefined && use.valueOfObserving > feature.price) use.ask = true
      }
    }
    if (Object.hasOwn(asked, name)) {
      use.pleaseReveal = true
      use.revealProbability = asked[name]!
    }
  }
  return uses
}

export function describeDecision(
  engine: Engine,
  state: EpochState,
  policy: Policy,
  id: string,
  block: RoundBlock,
  row: number,
  covariates: CovariateUses,
): Decision {
  const { actions } = engine.encoding
  return {
    id,
    action: actions[block.action[row]!]!,
    propensity: block.propensity[row]!,
    propensities: Object.fromEntries(actions.map((action, a) => [action, policy.propensities[a]!])),
    covariates,
    epoch: state.epoch,
    policy: { version: state.version, epoch: state.epoch, gamma: state.gamma, profile: engine.profile },
  }
}
