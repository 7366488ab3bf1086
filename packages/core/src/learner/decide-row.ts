// One decision on one row of a block: the request is written, the policy decides, audits are drawn, and what came out can
// be described. The draw is a function of (key, decision id).

import { compileDraws, drawKey, type RandomKey } from '@primo/numeric'
import { type Engine, imputationModels } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { compilePolicy, type Policy } from '../engine/policy.js'
import { compileValueOfObserving, type ValueOfObserving } from '../engine/value-of-observing.js'
import type { Columns } from '../problem/columns.js'
import { type RoundBlock, writeAside } from '../rounds/round-table.js'
import { type Asker, type AuditDraws, auditDraws, compileAsker } from './audit-draws.js'
import { grownRowDecider } from './decide-grown-row.js'
import { type Asked, type CovariateUses, covariateUses, type Decision, describeDecision } from './decision.js'
import type { EncodedRequest } from './request.js'

export interface RowDecider {
  readonly policy: Policy
  /**
   * Decides, and returns the missing covariates whose truth the audit asks for, with the probability of asking. `root`: the key that this
   * decision's draws come from; default: that of the decider.
   */
  readonly decide: (encoded: EncodedRequest, id: string, block: RoundBlock, row: number, root?: RandomKey) => Asked
  /** What the decision made last tells. */
  readonly uses: (encoded: EncodedRequest, block: RoundBlock, row: number, asked: Asked) => CovariateUses
  readonly describe: (encoded: EncodedRequest, id: string, block: RoundBlock, row: number, asked: Asked) => Decision
}

function hasColumns(state: EpochState): state is EpochState & { readonly columns: Columns } {
  return state.columns !== undefined
}

interface Draws {
  readonly drawOf: (id: string) => number
  readonly audit: AuditDraws
}

const NOBODY: Asked = Object.freeze({})

export function compileRowDecider(engine: Engine, state: EpochState, root: RandomKey): RowDecider {
  if (hasColumns(state)) return grownRowDecider(engine, state, (old, bare) => compileRowDecider(old, bare, root))
  const { contextWidth, covariateWidth, covariateCount } = engine.shape
  const own = drawsFrom(root)
  const others = new WeakMap<RandomKey, Draws>()
  const policy = compilePolicy(engine, state)
  const models = imputationModels(engine, state)
  // Compiled when the first reply needs it.
  let observing: ValueOfObserving | null | undefined
  const observingValue = () => {
    if (observing === undefined) observing = compileValueOfObserving(engine, state)
    return observing
  }
  const asker = compileAsker(engine, state, observingValue)
  const uses: RowDecider['uses'] = (encoded, block, row, asked) =>
    covariateUses(engine, models, encoded, block, row, asked, observingValue)

  function drawsFrom(key: RandomKey): Draws {
    return { drawOf: compileDraws(drawKey(key)), audit: auditDraws(engine, key) }
  }

  function drawsOf(key: RandomKey | undefined): Draws {
    if (key === undefined) return own
    const known = others.get(key) ?? drawsFrom(key)
    others.set(key, known)
    return known
  }

  function ask(
    asks: Asker,
    draws: AuditDraws,
    id: string,
    block: RoundBlock,
    row: number,
    eligible?: Int32Array,
  ): Asked {
    const asked: Record<string, number> = {}
    engine.encoding.covariates.forEach(({ name }, which) => {
      const share = asks(which, draws.ofId(which, id), block, row, eligible)
      if (share > 0) asked[name] = share
    })
    return asked
  }

  return {
    policy,
    decide: (encoded, id, block, row, key) => {
      const { drawOf, audit } = drawsOf(key)
      copyTo(block.context, row * contextWidth, encoded.context)
      copyTo(block.covariates, row * covariateWidth, encoded.covariates)
      copyTo(block.pretrained, row * covariateWidth, encoded.pretrained)
      writeAside(block, row, engine.shape, encoded)
      for (let k = 0; k < covariateCount; k++) block.observed[row * covariateCount + k] = encoded.observed[k]!
      policy.decide(block, row, drawOf(id), encoded.eligible)
      return asker === null ? NOBODY : ask(asker, audit, id, block, row, encoded.eligible)
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
