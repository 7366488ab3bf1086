// Deciding without keeping rounds: a frozen state answers requests one by one. For hosts that keep the log elsewhere (the
// service); the learner does the same on the rows of its own table.

import type { RandomKey } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { RoundTable } from '../rounds/round-table.js'
import { compileRowDecider } from './decide-row.js'
import type { Asked, CovariateUses } from './decision.js'
import { createRequestEncoder, type DecisionRequest, type EncodedRequest } from './request.js'

/** What a decider chose, and what that rests on. */
export interface Choice {
  /** Index of the action. */
  readonly action: number
  /** The request as it was encoded, with the predictions of the pre-trained models; the next choice overwrites its arrays. */
  readonly encoded: EncodedRequest
  /** Missing covariates whose truth the audit asks for, with the probability of asking. */
  readonly asked: Asked
  /** z-tilde as the decision used it, inside units: a view that the next choice overwrites. */
  readonly covariates: Float64Array
  /** By action, views that the next choice overwrites. Scores are 0 before the first fit. */
  readonly scores: Float64Array
  readonly propensities: Float64Array
}

/** Answers requests from one frozen state. */
export interface Decider {
  readonly state: EpochState
  /** `root`: the key of this decision's draws; default: the decider's. Throws a PrimoError when the request cannot be decided. Models may read the request's context, not change it. */
  readonly decide: (request: DecisionRequest, id: string, root?: RandomKey) => Choice
  /** Where the values of the covariates came from, for the choice made last. */
  readonly uses: (choice: Choice) => CovariateUses
}

/** Decides request after request from a frozen state, without keeping rounds. All draws come from `root`. */
export function createDecider(engine: Engine, state: EpochState, root: RandomKey): Decider {
  const { policy, decide, uses } = compileRowDecider(engine, state, root)
  const encode = createRequestEncoder(engine, { ours: true })
  const table = new RoundTable(engine.shape)
  const block = table.block(table.append())
  const covariates = block.covariates.subarray(0, engine.shape.covariateWidth)
  return {
    state,
    decide: (request, id, key) => {
      const encoded = encode(request)
      const asked = decide(encoded, id, block, 0, key)
      return {
        action: block.action[0]!,
        encoded,
        asked,
        covariates,
        scores: policy.scores,
        propensities: policy.propensities,
      }
    },
    uses: ({ encoded, asked }) => uses(encoded, block, 0, asked),
  }
}
