// A problem as it decides now: definition, engine and live policy, in memory. Deciding touches no store; what comes out is
// a command for the ledger.

import type { CovariateUse, DecisionReply, DecisionRequest, Mode } from '@primo/contract'
import {
  createDecider,
  type Decider,
  deriveKey,
  drawOf,
  type Engine,
  type EpochState,
  initialState,
  PrimoError,
  type Ruling,
  renewCalibration,
  seedKey,
} from '@primo/core'
import type { Imputed, ImputerStage } from '../imputers/stage.js'
import type { ProblemRow } from '../ledger/book.js'
import type { CovariateFact, Decide } from '../ledger/commands.js'
import type { LearningFacts } from '../ledger/records.js'
import { engineOf } from './definition.js'
import type { EpochStory } from './follower.js'

export class WrongMode extends Error {}

export interface ProblemHost {
  readonly row: ProblemRow
  readonly engine: Engine
  readonly state: EpochState
  readonly mode: Mode
  /** What the end of the epoch that led to this policy says; null: nothing was learnt yet. */
  readonly story: EpochStory | null
  /** Throws a PrimoError when the request cannot be decided, WrongMode when it does not fit the mode. */
  readonly decide: (request: DecisionRequest, id: string, imputed?: Imputed | null) => Decide
  /** Asks the models that need a thread or a network; null: there are none. */
  readonly imputers: ImputerStage | null
}

export function createProblemHost(
  row: ProblemRow,
  state: EpochState | null,
  story: EpochStory | null,
  stageOf: (row: ProblemRow, engine: Engine) => ImputerStage | null = () => null,
): ProblemHost {
  const engine = engineOf(row.definition)
  // A state that was learnt with other models keeps what it knows of rewards.
  const live = renewCalibration(state ?? initialState(engine.encoding.covariates.length), engine, () => row.book.rounds)
  const decider: Decider = createDecider(engine, live, row.seed)
  const holdoutKey = deriveKey(seedKey(row.seed), 'holdout')
  const { guards = {}, mode: declared = 'active' } = row.definition
  const { holdout = 0, baseline, kill = false } = guards
  const mode: Mode = row.book.frozen ? 'frozen' : declared
  const learnt = live.rewardModel !== null

  function eligible(request: DecisionRequest): readonly string[] | undefined {
    const { actions, excluded } = request
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

  /** Holdout and kill switch on top of the policy: the propensities are those of the whole procedure. */
  function mixed({ decision, propensities }: Ruling, id: string, allowed: readonly string[] | undefined) {
    const at = baseline === undefined ? -1 : engine.encoding.actionIndex.get(baseline)!
    const usable = at >= 0 && (allowed === undefined || allowed.includes(baseline!))
    // The last rung of the ladder: a value that the policy should not decide without cannot be had.
    const without = usable && Object.entries(decision.covariates).some(([name, use]) => needsBaseline(name, use))
    if (without)
      return { action: baseline!, held: false, propensities: propensities.map((_, a) => (a === at ? 1 : 0)), without }
    if (!usable || (holdout === 0 && !kill)) return { action: decision.action, held: false, propensities, without }
    const share = kill ? 1 : holdout
    const held = kill || drawOf(holdoutKey, id) < holdout
    return {
      action: held ? baseline! : decision.action,
      held: held && !kill,
      propensities: propensities.map((p, a) => (1 - share) * p + (a === at ? share : 0)),
      without,
    }
  }

  // Replies are written as text: most of a reply is the ranking, whose names never change.
  const names = engine.encoding.actions.map((action) => JSON.stringify(action))
  const everyAction = names.map((_, a) => a)
  const ranked = names.map((name) => `{"action":${name},"score":`)
  const policyText = JSON.stringify({
    version: live.version,
    epoch: live.epoch,
    gamma: live.gamma,
    profile: engine.profile,
    mode,
  } satisfies DecisionReply['policy'])

  function rankingText(scores: Float64Array, propensities: Float64Array, eligible: readonly string[] | undefined) {
    const actions = eligible?.map((action) => engine.encoding.actionIndex.get(action)!) ?? [...everyAction]
    if (learnt) actions.sort((a, b) => scores[b]! - scores[a]! || propensities[b]! - propensities[a]!)
    else actions.sort((a, b) => propensities[b]! - propensities[a]!)
    let text = ''
    for (const a of actions)
      text += `${text === '' ? '' : ','}${ranked[a]}${learnt ? scores[a] : null},"propensity":${propensities[a]}}`
    return text
  }

  return {
    row,
    engine,
    state: live,
    mode,
    story,
    imputers: stageOf(row, engine),
    decide: (request, id, imputed = null) => {
      const { served } = request
      const shadow = declared === 'shadow'
      if (shadow !== (served !== undefined))
        throw new WrongMode(
          shadow ? 'served must be given: the mode is "shadow"' : 'served must be absent: the mode is not "shadow"',
        )
      if (served !== undefined && !engine.encoding.actionIndex.has(served.action))
        throw new PrimoError('unknown-action', `served.action must be one of the actions, got "${served.action}"`)
      const reasons = request.missing ?? {}
      for (const name of Object.keys(reasons)) {
        if (!Object.hasOwn(row.definition.covariates, name))
          throw new PrimoError('unknown-feature', `missing must only have covariates, got "${name}"`, { name })
      }
      const actions = eligible(request)
      if (actions?.length === 0)
        throw new PrimoError('invalid-request', 'at least one action must be left, got all of them excluded')
      if (served !== undefined && actions?.includes(served.action) === false)
        throw new PrimoError('invalid-request', `served.action must be eligible, got "${served.action}"`)
      const ruling = decider.decide(
        {
          context: request.context,
          covariates: request.covariates ?? {},
          predictions: { ...imputed?.predictions, ...request.predictions },
          ...(request.missing === undefined ? {} : { missing: request.missing }),
          ...(actions === undefined ? {} : { actions }),
        },
        id,
      )
      const { decision, encoded, asked } = ruling
      const { action, held, propensities, without } = mixed(ruling, id, actions)
      const index = engine.encoding.actionIndex.get(action)!
      const propensity = propensities[index]!
      const covariates: Readonly<Record<string, CovariateUse>> = Object.fromEntries(
        Object.entries(decision.covariates).map(([name, given]) => {
          const noted = withNote(given, imputed?.notes[name])
          const use = without && needsBaseline(name, given) ? { ...noted, source: 'baseline' } : noted
          const reasoned = use.reason === undefined && Object.hasOwn(reasons, name)
          return [name, reasoned ? { ...use, reason: reasons[name]! } : use]
        }),
      )
      const ranking = rankingText(ruling.scores, propensities, actions)
      const learning: LearningFacts = {
        predictions: encoded.predictions,
        used: Array.from(ruling.covariates),
        ...(actions === undefined ? {} : { actions }),
        action: served?.action ?? action,
        propensity: served === undefined ? propensity : (served.propensity ?? 1),
        policy: decision.policy.version,
        ...(Object.keys(asked).length === 0 ? {} : { asked }),
      }
      return {
        kind: 'decide',
        problem: row.name,
        revision: row.revision,
        id,
        eventId: request.eventId ?? null,
        request: JSON.stringify(request),
        learning: JSON.stringify(learning),
        reply: `{"decisionId":"${id}","action":${names[index]},"propensity":${propensity},"ranking":[${ranking}],"covariates":${JSON.stringify(covariates)},"policy":${policyText}${held ? ',"holdout":true' : ''}}`,
        action: learning.action,
        holdout: held,
        deferred: request.deferActivation ?? false,
        covariates: covariateFacts(covariates, reasons),
      }
    },
  }
}

/** Which rung of the ladder the value came from, and why not from a higher one. */
function withNote(use: CovariateUse, note: Imputed['notes'][string] | undefined): CovariateUse {
  if (note === undefined) return use
  const { rung, reason, sd } = note
  const missing = use.status !== 'observed'
  return {
    ...use,
    ...(missing && rung === 'cache' && use.status === 'imputed' ? { source: 'cache' } : {}),
    ...(missing && reason !== undefined ? { reason } : {}),
    ...(sd === undefined ? {} : { modelSd: sd }),
  }
}

function covariateFacts(
  uses: Readonly<Record<string, CovariateUse>>,
  reasons: Readonly<Record<string, string>>,
): Record<string, CovariateFact> {
  return Object.fromEntries(
    Object.entries(uses).map(([name, use]) => [
      name,
      {
        observed: use.status === 'observed',
        rung: use.status === 'observed' ? 'observed' : use.source,
        reason: use.status === 'observed' ? null : (reasons[name] ?? null),
        asked: use.pleaseReveal === true,
      },
    ]),
  )
}
