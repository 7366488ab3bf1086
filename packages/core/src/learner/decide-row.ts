// One decision on one row of a block: the request is written, audits are drawn, the policy decides, and what came out is
// described. The draw is a function of (seed, decision id).

import { Observed, type RoundBlock, writeAside } from '../data/round-table.js'
import type { EpochState } from '../epoch/epoch-state.js'
import { drawKey, drawOf } from '../random/draw.js'
import { seedKey } from '../random/key.js'
import { auditDraws } from './audit.js'
import { type Decision, describeDecision } from './decision.js'
import type { Engine } from './engine.js'
import { compilePolicy, type Policy } from './policy.js'
import type { EncodedRequest } from './request.js'
import { compileValueOfObserving, type ValueOfObserving } from './value-of-observing.js'

export interface RowDecider {
  readonly policy: Policy
  readonly decide: (
    encoded: EncodedRequest,
    id: string,
    block: RoundBlock,
    row: number,
  ) => { readonly decision: Decision; readonly asked: Readonly<Record<string, number>> }
}

export function compileRowDecider(engine: Engine, state: EpochState, seed: number): RowDecider {
  const { contextWidth, covariateWidth, covariateCount } = engine.shape
  const root = seedKey(seed)
  const key = drawKey(root)
  const audit = auditDraws(engine, root)
  const policy = compilePolicy(engine, state)
  // Compiled when the first reply needs it.
  let observing: ValueOfObserving | null | undefined
  const observingValue = () => {
    if (observing === undefined) observing = compileValueOfObserving(engine, state)
    return observing
  }
  return {
    policy,
    decide: (encoded, id, block, row) => {
      block.context.set(encoded.context, row * contextWidth)
      block.covariates.set(encoded.covariates, row * covariateWidth)
      block.pretrained.set(encoded.pretrained, row * covariateWidth)
      writeAside(block, row, engine.shape, encoded)
      block.observed.set(encoded.observed, row * covariateCount)
      const asked: Record<string, number> = {}
      if (audit !== null) {
        engine.encoding.covariates.forEach(({ name }, which) => {
          const at = row * covariateCount + which
          if (block.observed[at] !== Observed.missing || !audit.asks(which, id)) return
          block.observed[at] = Observed.asked
          asked[name] = audit.shares[which]!
        })
      }
      policy.decide(block, row, drawOf(key, id), encoded.eligible)
      return {
        decision: describeDecision(engine, state, policy, encoded, id, block, row, asked, observingValue),
        asked,
      }
    },
  }
}
