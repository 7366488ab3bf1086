// A problem as it decides now: definition, engine and live policy, in memory. Deciding reads no store; it makes a command for
// the ledger.

import type { LocalDecision, Mode } from '@primo/contract'
import {
  type AskedAside,
  claimOf,
  createGuardedDecider,
  differingField,
  type Engine,
  type EpochState,
  type GuardedChoice,
  initialState,
  Proof,
  proofText,
  renewCalibration,
  type ServedProblem,
} from '@primo/core/engine'
import { type RandomKey, seedKey } from '@primo/numeric'
import { type Codec, type GivenRequest, givenRequest, type LocalOrigin } from '../codec/codec.js'
import type { ImputerStage } from '../imputers/stage.js'
import type { EpochSummary } from '../learning/follower.js'
import type { ProblemRow } from '../ledger/book.js'
import type { Decide } from '../ledger/commands.js'
import { ServiceError } from '../ledger/service-error.js'
import { policyName } from './policy-document.js'

export interface ProblemHost {
  readonly row: ProblemRow
  readonly engine: Engine
  readonly state: EpochState
  readonly mode: Mode
  /** Summary of the epoch that this policy was learnt from; null: nothing was learnt yet. */
  readonly lastEpoch: EpochSummary | null
  /** Decides a request. Throws a PrimoError or a ServiceError when the request does not fit the problem. */
  readonly decide: (given: GivenRequest, id: string, imputed?: AskedAside | null, key?: RandomKey) => Decide
  /** Makes a caller's decision again; throws verification-failed, with the field, where it is another one. */
  readonly decideAs: (stated: LocalDecision, by: Caller) => Decide
  /** Names policy and definition. */
  readonly policyName: () => string
  /** Asks the models that need a thread or a network; null: there are none. */
  readonly imputers: ImputerStage | null
}

/** A caller that decides in its own process. */
export interface Caller {
  readonly caller: string
  /** Of its draws. */
  readonly key: RandomKey
}

interface ProblemHostOptions {
  readonly row: ProblemRow
  /** Of its definition. */
  readonly engine: Engine
  /** The live policy and the summary of its epoch; null: nothing was learnt yet. */
  readonly state: EpochState | null
  readonly lastEpoch: EpochSummary | null
  readonly codec: Codec
  readonly stageOf: (row: ProblemRow, engine: Engine) => ImputerStage | null
}

export function createProblemHost({ row, engine, state, lastEpoch, codec, stageOf }: ProblemHostOptions): ProblemHost {
  // A state that was learnt with other models keeps its reward model.
  const live = renewCalibration(state ?? initialState(engine.encoding.covariates.length), engine, () => row.book.rounds)
  const { definition } = row
  const mode: Mode = row.book.frozen ? 'frozen' : (definition.mode ?? 'active')
  const decider = createGuardedDecider({
    definition: definition as ServedProblem,
    engine,
    state: live,
    root: seedKey(row.seed),
  })
  const write = codec.decisionWriter({ engine, state: live, mode })

  let name: string | undefined
  const named = () => {
    name ??= policyName(row)
    return name
  }

  function commandOf(
    given: GivenRequest,
    id: string,
    made: GuardedChoice,
    imputed: AskedAside | null,
    local?: LocalOrigin,
  ): Decide {
    const { request } = given
    const { choice, action, played, held, propensities, eligible, deferred, windowed } = made
    const { eventId = null, served } = request
    const written = write({
      id,
      eventId,
      holdout: held,
      deferred,
      windowed,
      given,
      ...(local === undefined ? {} : { local }),
      choice,
      action,
      eligible,
      propensities,
      covariates: decider.uses(request, made, imputed),
      served: served === undefined ? undefined : { action: played, propensity: served.propensity ?? 1 },
    })
    return {
      kind: 'decide',
      problem: row.name,
      of: row.id,
      revision: row.revision,
      id,
      eventId,
      ...written,
      windowed,
      action: engine.encoding.actions[played]!,
      holdout: held,
      deferred,
      clipped: decider.clipped(made),
      ...(local === undefined ? {} : { uploaded: true }),
    }
  }

  const proof = new Proof()
  const learnt = live.rewardModel !== null

  /** Throws unless the decision is the one that was stated. */
  function compare(text: string, stated: LocalDecision, made: GuardedChoice, key: RandomKey): void {
    const { id, decidedAt } = stated
    const own = claimOf(made, engine.encoding.actions, learnt)
    const field = differingField(stated, own)
    if (field !== null)
      throw new ServiceError(
        'verification-failed',
        `${field} of decision "${id}" must be ${JSON.stringify(own[field])}, got ${JSON.stringify(stated[field])}`,
      )
    proof.decision(key, made)
    proof.text(proofText(id, named(), decidedAt, text))
    const expected = proof.end()
    if (stated.proof !== expected)
      throw new ServiceError(
        'verification-failed',
        `proof of decision "${id}" must be ${expected}, got ${stated.proof}`,
      )
  }

  return {
    row,
    engine,
    state: live,
    mode,
    lastEpoch,
    imputers: stageOf(row, engine),
    policyName: named,
    decide: (given, id, imputed = null, key) =>
      commandOf(given, id, decider.decide(given.request, id, imputed, key), imputed),
    decideAs: (stated, { caller, key }) => {
      const { id, decidedAt, request } = stated
      const text = JSON.stringify(request)
      const made = decider.decide(request, id, null, key)
      compare(text, stated, made, key)
      return commandOf(givenRequest(request, text), id, made, null, { caller, decidedAt, decidedBy: named() })
    },
  }
}
