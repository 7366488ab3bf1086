// What a decision tells: the action with its propensity, every propensity, and where each covariate's value came from.

import { isCorrection } from '../calibration/correction.js'
import { decodeCovariate } from '../data/encoding.js'
import { insideUnit } from '../data/feature.js'
import { Observed, type RoundBlock } from '../data/round-table.js'
import type { EpochState } from '../epoch/epoch-state.js'
import { spreadScale } from '../imputation/residual-moments.js'
import { type Engine, imputationModels } from './engine.js'
import type { Policy } from './policy.js'
import type { ProfileName } from './profiles.js'
import type { EncodedRequest } from './request.js'
import type { ValueOfObserving } from './value-of-observing.js'

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
  /** The audit asks for the truth of this value (`reveal`), and with what probability it asks. */
  readonly pleaseReveal?: true
  readonly revealProbability?: number
}

export interface Decision {
  readonly id: string
  readonly action: string
  readonly propensity: number
  readonly propensities: Readonly<Record<string, number>>
  readonly covariates: Readonly<Record<string, CovariateUse>>
  readonly epoch: number
  readonly policy: {
    readonly version: number
    readonly epoch: number
    readonly gamma: number
    readonly profile: ProfileName
  }
}

export function describeDecision(
  engine: Engine,
  state: EpochState,
  policy: Policy,
  request: EncodedRequest,
  id: string,
  block: RoundBlock,
  row: number,
  asked: Readonly<Record<string, number>>,
  observingValue: () => ValueOfObserving | null,
): Decision {
  const { actions, covariates, covariateWidth } = engine.encoding
  const { min, max } = engine.problem.reward.mean ?? engine.problem.reward
  const uses = covariates.map((covariate, which): [string, CovariateUse] => {
    const { name, at } = covariate
    const value = decodeCovariate(covariate, block.covariates, row * covariateWidth + at)
    const first = row * covariateWidth + at
    const identity = engine.imputers[which]!
    const said = Number.isNaN(block.pretrained[first])
      ? {}
      : { pretrained: decodeCovariate(covariate, block.pretrained, first), ...identity, ...modelSdOf(request, which) }
    if (request.observed[which] === Observed.atDecision) {
      // A number as it was given: scaling it there and back may change its last digit.
      const given = request.given[name]
      return [
        name,
        { status: 'observed', value: typeof given === 'number' ? given : value, ...said, source: 'request' },
      ]
    }
    const please = name in asked ? { pleaseReveal: true as const, revealProbability: asked[name]! } : {}
    const reason = request.failures[name]
    if (reason !== undefined)
      return [name, { status: 'fallback', value, ...identity, source: 'constant', reason, ...please }]
    const model = imputationModels(engine, state)[which]
    const source = model == null ? 'pretrained' : model.kind === 'constant' ? 'constant' : 'calibrated'
    const variance = isCorrection(model) ? model.moments?.[2] : undefined
    const scale = model?.kind === 'correction' ? spreadScale(model, request.context, 0, request.modelSd?.[which]) : 1
    const inside = observingValue()?.(block, row, which, request.eligible) ?? Number.NaN
    return [
      name,
      {
        status: 'imputed',
        value,
        ...said,
        source,
        ...(variance === undefined ? {} : { sd: scale * Math.sqrt(variance) * insideUnit(covariate.feature) }),
        ...(Number.isNaN(inside) ? {} : { valueOfObserving: inside * (max - min) }),
        ...please,
      },
    ]
  })
  function modelSdOf({ modelSd }: EncodedRequest, which: number): { modelSd?: number } {
    if (modelSd === null || Number.isNaN(modelSd[which])) return {}
    return { modelSd: modelSd[which]! * insideUnit(covariates[which]!.feature) }
  }

  return {
    id,
    action: actions[block.action[row]!]!,
    propensity: block.propensity[row]!,
    propensities: Object.fromEntries(actions.map((action, a) => [action, policy.propensities[a]!])),
    covariates: Object.fromEntries(uses),
    epoch: state.epoch,
    policy: { version: state.version, epoch: state.epoch, gamma: state.gamma, profile: engine.profile },
  }
}
