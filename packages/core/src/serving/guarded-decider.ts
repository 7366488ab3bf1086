// Deciding for a served problem: the policy's choice under the guards (holdout, kill switch, baseline), for the actions that are eligible,
// in the mode of the problem. A service and a caller that decides in its own process both use this.

import { deriveKey, drawOf, PrimoError, type RandomKey } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { type Choice, createDecider } from '../learner/decider.js'
import type { DecisionRequest } from '../learner/request.js'
import { clippedValues } from '../problem/encoding.js'
import { asCallers, callersPredictions } from './callers-predictions.js'
import type { ServedProblem } from './served-problem.js'
import type { AskedAside, ModelNote, ServedRequest, ServedUse } from './served-request.js'

/** What was decided; its arrays are overwritten by the next decision. */
export interface GuardedChoice {
  /** Of the policy alone. */
  readonly choice: Choice
  /** Index of the action to play. */
  readonly action: number
  /** Index of the action that was played: another one in mode shadow. */
  readonly played: number
  /** The holdout plays the baseline. */
  readonly held: boolean
  /** No model gave a value that the policy should not decide without: the baseline is played. */
  readonly without: boolean
  /** By action, of the whole procedure: guards included. */
  readonly propensities: Float64Array
  /** The eligible actions; undefined: all. */
  readonly eligible: readonly string[] | undefined
  /** It counts only once it is activated. */
  readonly deferred: boolean
  /** Its reward has a deadline. */
  readonly windowed: boolean
}

/** Decides requests of a served problem one by one. */
export interface GuardedDecider {
  /** `caller`: the key of this decision's draws; default: the decider's. Throws a PrimoError when the request does not fit the problem. */
  readonly decide: (request: ServedRequest, id: string, aside?: AskedAside | null, caller?: RandomKey) => GuardedChoice
  /** How the decision made last used its covariates. */
  readonly uses: (request: ServedRequest, made: GuardedChoice, aside?: AskedAside | null) => Uses
  /** Features of the decision made last whose value was clipped. */
  readonly clipped: (made: GuardedChoice) => readonly string[]
}

type Uses = Readonly<Record<string, ServedUse>>

/** What a guarded decider is made of. `root`: the key that all its draws come from. */
export interface GuardedOptions {
  readonly definition: ServedProblem
  readonly engine: Engine
  readonly state: EpochState
  readonly root: RandomKey
}

/** A decider for one frozen state under the guards of its problem. */
export function createGuardedDecider({ definition, engine, state, root }: GuardedOptions): GuardedDecider {
  const { actions, actionIndex } = engine.encoding
  const decider = createDecider(engine, state, root)
  const holdoutKeys = new WeakMap<RandomKey, RandomKey>()
  const { holdout = 0, baseline, kill = false } = definition.guards ?? {}
  const at = baseline === undefined ? -1 : actionIndex.get(baseline)!
  const shadow = definition.mode === 'shadow'
  const explicit = definition.activation === 'explicit'
  const hasWindow = definition.reward.window?.milliseconds !== undefined
  const mixture = new Float64Array(actions.length)
  const needBaseline = Object.entries(definition.covariates)
    .filter(([, { fallback }]) => fallback === 'baseline')
    .map(([name]) => name)

  /** The eligible actions of a request that fits the problem; undefined: all. */
  function check(request: ServedRequest): readonly string[] | undefined {
    const { served, missing } = request
    if (shadow !== (served !== undefined))
      throw new PrimoError(
        'wrong-mode',
        shadow ? 'served must be given: the mode is "shadow"' : 'served must be absent: the mode is not "shadow"',
      )
    if (served !== undefined && !actionIndex.has(served.action))
      throw new PrimoError('unknown-action', `served.action must be one of the actions, got "${served.action}"`)
    for (const name in missing) {
      if (!Object.hasOwn(definition.covariates, name))
        throw new PrimoError('unknown-feature', `missing must only have covariates, got "${name}"`, { name })
    }
    const left = eligible(request)
    if (left?.length === 0)
      throw new PrimoError('invalid-request', 'at least one action must be left, got all of them excluded')
    if (served !== undefined && left?.includes(served.action) === false)
      throw new PrimoError('invalid-request', `served.action must be eligible, got "${served.action}"`)
    return left
  }

  function eligible({ actions: named, excluded }: ServedRequest): readonly string[] | undefined {
    if (excluded === undefined || excluded.length === 0) return named
    for (const action of excluded) {
      if (!actionIndex.has(action))
        throw new PrimoError('unknown-action', `excluded must be actions of the problem, got "${action}"`, { action })
    }
    return (named ?? actions).filter((action) => !excluded.includes(action))
  }

  function isHeld(id: string, key: RandomKey): boolean {
    const own = holdoutKeys.get(key) ?? deriveKey(key, 'holdout')
    holdoutKeys.set(key, own)
    return drawOf(own, id) < holdout
  }

  function decide(
    request: ServedRequest,
    id: string,
    aside: AskedAside | null = null,
    caller?: RandomKey,
  ): GuardedChoice {
    const left = check(request)
    const choice = decider.decide(toDecide(request, left, aside), id, caller)
    const { served } = request
    const usable = at >= 0 && (left === undefined || left.includes(baseline!))
    const without = usable && needBaseline.some((name) => Object.hasOwn(choice.encoded.failures, name))
    const share = without || !usable ? 0 : kill ? 1 : holdout
    const held = share > 0 && (kill || isHeld(id, caller ?? root))
    let { propensities } = choice
    if (without || share > 0) {
      for (let a = 0; a < mixture.length; a++)
        mixture[a] = without ? Number(a === at) : (1 - share) * propensities[a]! + (a === at ? share : 0)
      propensities = mixture
    }
    const action = without || held ? at : choice.action
    const deferred = explicit || request.deferActivation === true
    return {
      choice,
      action,
      played: served === undefined ? action : actionIndex.get(served.action)!,
      held: held && !kill,
      without,
      propensities,
      eligible: left,
      deferred,
      windowed: !deferred && hasWindow,
    }
  }

  /** Adds what models and callers say of a value. */
  function uses(request: ServedRequest, { choice, without }: GuardedChoice, aside: AskedAside | null = null): Uses {
    const own = decider.uses(choice)
    const { missing: reasons } = request
    const callers = callersPredictions(definition, request.predictions)
    if (aside === null && !without && reasons === undefined && callers === null) return own
    return Object.fromEntries(
      Object.entries(own).map(([name, given]) => {
        const said = callers?.has(name) === true ? asCallers(given) : given
        const noted = withNote(said, aside?.notes[name])
        const lacks = without && given.status === 'fallback' && needBaseline.includes(name)
        const use = lacks ? { ...noted, source: 'baseline' } : noted
        const reason = reasons !== undefined && Object.hasOwn(reasons, name) ? reasons[name] : undefined
        return [name, use.reason === undefined && reason !== undefined ? { ...use, reason } : use]
      }),
    )
  }

  return {
    decide,
    uses,
    clipped: ({ choice: { encoded } }) => clippedValues(engine.encoding, encoded.named, encoded.given),
  }
}

/** What the policy needs to know of a request. */
function toDecide(
  { context, covariates, predictions, missing }: ServedRequest,
  actions: readonly string[] | undefined,
  aside: AskedAside | null,
): DecisionRequest {
  const asked: { -readonly [K in keyof DecisionRequest]: DecisionRequest[K] } = { context }
  if (covariates !== undefined) asked.covariates = covariates
  if (aside !== null) asked.predictions = { ...aside.predictions, ...predictions }
  else if (predictions !== undefined) asked.predictions = predictions
  if (missing !== undefined) asked.missing = missing
  if (actions !== undefined) asked.actions = actions
  return asked
}

/** Adds where the value came from, and why the model did not give it. */
function withNote(use: ServedUse, note: ModelNote | undefined): ServedUse {
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
