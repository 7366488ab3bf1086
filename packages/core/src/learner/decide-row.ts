// One decision on one row of a block: the request is written, audits are drawn, the policy decides, and what came out can
// be described. The draw is a function of (seed, decision id).

import { compileDraws, drawKey, seedKey } from '@primo/numeric'
import { type Engine, imputationModels } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { compilePolicy, type Policy } from '../engine/policy.js'
import { compileValueOfObserving, type ValueOfObserving } from '../engine/value-of-observing.js'
import type { Columns } from '../problem/columns.js'
import { Observed, type RoundBlock, writeAside } from '../rounds/round-table.js'
import { type AuditDraws, auditDraws } from './audit-draws.js'
import { grownRowDecider } from './decide-grown-row.js'
import { type Asked, type CovariateUses, covariateUses, type Decision, describeDecision } from './decision.js'
import type { EncodedRequest } from './request.js'

export interface RowDecider {
  readonly policy: Policy
  /** Decides, and returns the missing covariates whose truth the audit asks for, with the probability of asking. */
  readonly decide: (encoded: EncodedRequest, id: string, block: RoundBlock, row: number) => Asked
  /** What the decision made last tells. */
  readonly uses: (encoded: EncodedRequest, block: RoundBlock, row: number, asked: Asked) => CovariateUses
  readonly describe: (encoded: EncodedRequest, id: string, block: RoundBlock, row: number, asked: Asked) => Decision
}

function hasColumns(state: EpochState): state is EpochState & { readonly columns: Columns } {
  return state.columns !== undefined
}

const NOBODY: Asked = Object.freeze({})

export function compileRowDecider(engine: Engine, state: EpochState, seed: number): RowDecider {
  if (hasColumns(state)) return grownRowDecider(engine, state, (old, bare) => compileRowDecider(old, bare, seed))
  const { contextWidth, covariateWidth, covariateCount } = engine.shape
  const root = seedKey(seed)
  const drawOf = compileDraws(drawKey(root))
  const audit = auditDraws(engine, root)
  const policy = compilePolicy(engine, state)
  const models = imputationModels(engine, state)
  // Compiled when the first reply needs it.
  let observing: ValueOfObserving | null | undefined
  const observingValue = () => {
    if (observing === undefined) observing = compileValueOfObserving(engine, state)
    return observing
  }
  const uses: RowDecider['uses'] = (encoded, block, row, asked) =>
    covariateUses(engine, models, encoded, block, row, asked, observingValue)

  function ask(audits: AuditDraws, id: string, block: RoundBlock, row: number): Asked {
    const asked: Record<string, number> = {}
    engine.encoding.covariates.forEach(({ name }, which) => {
      const at = row * covariateCount + which
      if (block.observed[at] !== Observed.missing || !audits.asks(which, id)) return
      block.observed[at] = Observed.asked
      asked[name] = audits.shares[which]!
    })
    return asked
  }

  return {
    policy,
    decide: (encoded, id, block, row) => {
      copyTo(block.context, row * contextWidth, encoded.context)
      copyTo(block.covariates, row * covariateWidth, encoded.covariates)
      copyTo(block.pretrained, row * covariateWidth, encoded.pretrained)
      writeAside(block, row, engine.shape, encoded)
      for (let k = 0; k < covariateCount; k++) block.observed[row * covariateCount + k] = encoded.observed[k]!
      const asked = audit === null ? NOBODY : ask(audit, id, block, row)
      policy.decide(block, row, drawOf(id), encoded.eligible)
      return asked
    },
    uses,
    describe: (encoded, id, block, row, asked) =>
      describeDecision(engine, state, policy, id, block, row, uses(encoded, block, row, asked)),
  }
}

/** As `set` does; for a handful of numbers a loop is quicker than the call. */
function copyTo(out: Float64Array, at: number, from: Float64Array): void {
  for (let k = 0; k < from.length; k++) out[at + k] = from[k]!
}
