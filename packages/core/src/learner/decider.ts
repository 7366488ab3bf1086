// Deciding without keeping rounds: a frozen state answers requests one by one. For hosts that keep the log elsewhere (the
// service); the learner does the same on the rows of its own table.

import { RoundTable } from '../data/round-table.js'
import type { EpochState } from '../epoch/epoch-state.js'
import { compileRowDecider } from './decide-row.js'
import type { Decision } from './decision.js'
import type { Engine } from './engine.js'
import { type DecisionRequest, type EncodedRequest, encodeRequest } from './request.js'

export interface Ruling {
  readonly decision: Decision
  /** The request as it was encoded, with the predictions of the pre-trained models. */
  readonly encoded: EncodedRequest
  /** Missing covariates whose truth the audit asks for, with the probability of asking. */
  readonly asked: Readonly<Record<string, number>>
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
  const { policy, decide } = compileRowDecider(engine, state, seed)
  const table = new RoundTable(engine.shape)
  const block = table.block(table.append())
  const covariates = block.covariates.subarray(0, engine.shape.covariateWidth)
  return {
    state,
    decide: (request, id) => {
      const encoded = encodeRequest(engine, request)
      const { decision, asked } = decide(encoded, id, block, 0)
      return { decision, encoded, asked, covariates, scores: policy.scores, propensities: policy.propensities }
    },
  }
}
