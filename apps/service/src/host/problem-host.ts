// A problem as it decides now: definition, engine and live policy, in memory. Deciding reads no store; it makes a command for
// the ledger.

import type { CovariateReply, DecisionBody, Mode } from '@primo/contract'
import {
  type Choice,
  clippedValues,
  createDecider,
  type Decider,
  type Engine,
  type EpochState,
  initialState,
  renewCalibration,
} from '@primo/core/engine'
import { deriveKey, drawOf, PrimoError, seedKey } from '@primo/numeric'
import type { Codec, GivenRequest } from '../codec/codec.js'
import { asCallers, callersPredictions } from '../imputers/callers-predictions.js'
import type { Imputed, ImputerStage } from '../imputers/stage.js'
import type { EpochSummary } from '../learning/follower.js'
import type { ProblemRow } from '../ledger/book.js'
import type { Decide } from '../ledger/commands.js'
import { ServiceError } from '../ledger/service-error.js'

export interface ProblemHost {
  readonly row: ProblemRow
  readonly engine: Engine
  readonly state: EpochState
  readonly mode: Mode
  /** Summary of the epoch that this policy was learnt from; null: nothing was learnt yet. */
  readonly lastEpoch: EpochSummary | null
  /** Decides a request. Throws a PrimoError or a ServiceError when the request does not fit the problem. */
  readonly decide: (given: GivenRequest, id: string, imputed?: Imputed | null) => Decide
  /** Asks the models that need a thread or a network; null: there are none. */
  readonly imputers: ImputerStage | null
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
  const decider: Decider = createDecider(engine, live, row.seed)
  const holdoutKey = deriveKey(seedKey(row.seed), 'holdout')
  const { guards = {}, mode: declared = 'active' } = row.definition
  const { holdout = 0, baseline, kill = false } = guards
  const mode: Mode = row.book.frozen ? 'frozen' : declared

  /** The eligible actions of a request that fits the problem; undefined: all. */
  function check(request: DecisionBody): readonly string[] | undefined {
    const { served, missing = {} } = request
    const shadow = declared === 'shadow'
    if (shadow !== (served !== undefined))
      throw new ServiceError(
        'wrong-mode',
        shadow ? 'served must be given: the mode is "shadow"' : 'served must be absent: the mode is not "shadow"',
      )
    if (served !== undefined && !engine.encoding.actionIndex.has(served.action))
      throw new PrimoError('unknown-action', `served.action must be one of the actions, got "${served.action}"`)
    for (const name in missing) {
      if (!Object.hasOwn(row.definition.covariates, name))
        throw new PrimoError('unknown-feature', `missing must only have covariates, got "${name}"`, { name })
    }
    const actions = eligible(request)
    if (actions?.length === 0)
      throw new PrimoError('invalid-request', 'at least one action must be left, got all of them excluded')
    if (served !== undefined && actions?.includes(served.action) === false)
      throw new PrimoError('invalid-request', `served.action must be eligible, got "${served.action}"`)
    return actions
  }

  function eligible({ actions, excluded }: DecisionBody): readonly string[] | undefined {
    if (excluded === undefined || excluded.length === 0) return actions
    for (const action of excluded) {
      if (!engine.encoding.actionIndex.has(action))
        throw new PrimoError('unknown-action', `excluded must be actions of the problem, got "${action}"`, { action })
    }
    return (actions ?? engine.encoding.actions).filter((action) => !excluded.includes(action))
  }

  function needsBaseline(name: string, { status }: { readonly status: string }): boolean {
    return status === 'fallback' && row.definition.covariates[name]?.fallback === 'baseline'
  }

  /** Adds holdout and kill switch to the policy: the propensities are those of both together. */
  function mixed({ action, uses, propensities }: Choice, id: string, allowed: readonly string[] | undefined) {
    const at = baseline === undefined ? -1 : engine.encoding.actionIndex.get(baseline)!
    const usable = at >= 0 && (allowed === undefined || allowed.includes(baseline!))
    // The policy should not decide without this value, and no model gave one.
    const without = usable && Object.entries(uses).some(([name, use]) => needsBaseline(name, use))
    if (without)
      return { action: at, held: false, propensities: propensities.map((_, a) => (a === at ? 1 : 0)), without }
    if (!usable || (holdout === 0 && !kill)) return { action, held: false, propensities, without }
    const share = kill ? 1 : holdout
    const held = kill || drawOf(holdoutKey, id) < holdout
    return {
      action: held ? at : action,
      held: held && !kill,
      propensities: propensities.map((p, a) => (1 - share) * p + (a === at ? share : 0)),
      without,
    }
  }

  const write = codec.decisionWriter({ engine, state: live, mode })

  return {
    row,
    engine,
    state: live,
    mode,
    lastEpoch,
    imputers: stageOf(row, engine),
    decide: (given, id, imputed = null) => {
      const { request } = given
      const { served, missing: reasons } = request
      const actions = check(request)
      const choice = decider.decide(toDecide(request, actions, imputed), id)
      const { action, held, propensities, without } = mixed(choice, id, actions)
      const callers = callersPredictions(row.definition, request.predictions)
      const uses =
        imputed === null && !without && reasons === undefined && callers === null
          ? choice.uses
          : annotated(choice.uses, imputed, without, reasons, callers)
      const { eventId = null } = request
      const deferred = request.deferActivation === true || row.definition.activation === 'explicit'
      const played = served === undefined ? action : engine.encoding.actionIndex.get(served.action)!
      const windowed = !deferred && row.definition.reward.window?.milliseconds !== undefined
      const written = write({
        id,
        eventId,
        holdout: held,
        deferred,
        windowed,
        given,
        choice,
        action,
        eligible: actions,
        propensities,
        covariates: uses,
        served: served === undefined ? undefined : { action: played, propensity: served.propensity ?? 1 },
      })
      return {
        kind: 'decide',
        problem: row.name,
        revision: row.revision,
        id,
        eventId,
        ...written,
        windowed,
        action: engine.encoding.actions[played]!,
        holdout: held,
        deferred,
        clipped: clippedValues(engine.encoding, choice.encoded.named, choice.encoded.given),
      }
    },
  }

  /** Adds what models and callers say of a value. */
  function annotated(
    uses: Choice['uses'],
    imputed: Imputed | null,
    without: boolean,
    reasons: Readonly<Record<string, string>> = {},
    callers: ReadonlySet<string> | null = null,
  ): Readonly<Record<string, CovariateReply>> {
    return Object.fromEntries(
      Object.entries(uses).map(([name, given]) => {
        const own = callers?.has(name) === true ? asCallers(given) : given
        const noted = withNote(own, imputed?.notes[name])
        const use = without && needsBaseline(name, given) ? { ...noted, source: 'baseline' } : noted
        const reasoned = use.reason === undefined && Object.hasOwn(reasons, name)
        return [name, reasoned ? { ...use, reason: reasons[name]! } : use]
      }),
    )
  }
}

type Asked = Parameters<Decider['decide']>[0]

/** What the policy needs to know of a request. */
function toDecide(
  { context, covariates, predictions, missing }: DecisionBody,
  actions: readonly string[] | undefined,
  imputed: Imputed | null,
): Asked {
  const asked: { -readonly [K in keyof Asked]: Asked[K] } = { context }
  if (covariates !== undefined) asked.covariates = covariates
  if (imputed !== null || predictions !== undefined) asked.predictions = { ...imputed?.predictions, ...predictions }
  if (missing !== undefined) asked.missing = missing
  if (actions !== undefined) asked.actions = actions
  return asked
}

/** Adds where the value came from, and why the model did not give it. */
function withNote(use: CovariateReply, note: Imputed['notes'][string] | undefined): CovariateReply {
  if (note === undefined) return use
  const { source, reason, sd } = note
  const missing = use.status !== 'observed'
  return {
    ...use,
    ...(missing && source === 'cache' && use.status === 'imputed' ? { source } : {}),
    ...(missing && reason !== undefined ? { reason } : {}),
    ...(sd === undefined ? {} : { modelSd: sd }),
  }
}
