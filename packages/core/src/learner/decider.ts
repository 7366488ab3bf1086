// Deciding without keeping rounds: a frozen state answers requests one by one. For hosts that keep the log elsewhere (the
// service); the learner does the same on the rows of its own table.

import { offsetOf, RoundTable } from '../data/round-table.js'
import type { EpochState } from '../epoch/epoch-state.js'
import { drawKey, drawOf } from '../random/draw.js'
import { seedKey } from '../random/key.js'
import { type Decision, describeDecision } from './decision.js'
import type { Engine } from './engine.js'
import { compilePolicy } from './policy.js'
import { type DecisionRequest, type EncodedRequest, encodeRequest } from './request.js'

export interface Ruling {
  readonly decision: Decision
  /** The request as it was encoded, with the predictions of the pre-trained models. */
  readonly encoded: EncodedRequest
  /** z-tilde as the decision used it, inside units: a view that the next ruling overwrites. */
  readonly covariates: Float64Array
  /** By action, views that the next ruling overwrites. Scores are 0 before the first fit. */
  readonly scores: Float64Array
  readonly propensities: Float64Array
}

export interface Decider {
  readonly state: EpochState
  /** Throws a PrimoError when the request cannot be decided. */
  readonly decide: (request: DecisionRequest, id: string) => Ruling
}

export function createDecider(engine: Engine, state: EpochState, seed: number): Decider {
  const key = drawKey(seedKey(seed))
  const policy = compilePolicy(engine, state)
  const table = new RoundTable(engine.shape)
  const round = table.append()
  const block = table.block(round)
  const row = offsetOf(round)
  const covariates = block.covariates.subarray(0, engine.shape.covariateWidth)
  return {
    state,
    decide: (request, id) => {
      const encoded = encodeRequest(engine, request)
      block.context.set(encoded.context)
      block.covariates.set(encoded.covariates)
      block.pretrained.set(encoded.pretrained)
      block.observed.set(encoded.observed)
      policy.decide(block, row, drawOf(key, id), encoded.eligible)
      const decision = describeDecision(engine, state, policy, encoded, id, block, row)
      return { decision, encoded, covariates, scores: policy.scores, propensities: policy.propensities }
    },
  }
}
