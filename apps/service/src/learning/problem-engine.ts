// The engine of a problem, from its definition. What the engine refuses, the service refuses with the same sentence.

import type { ProblemDefinition } from '@primo/contract'
import { type Code, checkProblem } from '@primo/core'
import {
  type Engine,
  type EngineOptions,
  type EpochState,
  enginesProblem,
  epochQuota,
  initialState,
  missingCode,
  namedOptions,
  SERVED_KINDS,
  type ServedProblem,
  servedEngine,
} from '@primo/core/engine'
import { PrimoError } from '@primo/numeric'
import { membersOfImputer, PURE_KINDS } from '../imputers/imputer-definition.js'
import type { LearningStart } from '../ledger/book.js'

/** Imputers that a request can define. */
const KINDS = [...PURE_KINDS, ...SERVED_KINDS, 'ensemble']
const MAX_DEPTH = 20

/** `code`: what the operator brought, which definitions name by kind. */
export function engineOf(definition: ProblemDefinition, code: readonly Code[] = []): Engine {
  return servedEngine(definition as ServedProblem, code)
}

/** The definition with the versions of the code that it names, so that the log says them. */
export function versionedDefinition(definition: ProblemDefinition, code: readonly Code[]): ProblemDefinition {
  if (definition.learning === undefined || code.length === 0) return definition
  const { options } = namedOptions({ ...(definition.learning as EngineOptions), use: code })
  return { ...definition, learning: options as NonNullable<ProblemDefinition['learning']> }
}

/** Throws where a stored problem names code that the service was started without, and says what to start it with. */
export function requireCode(name: string, { learning }: ProblemDefinition, code: readonly Code[]): void {
  const missing = missingCode((learning ?? {}) as EngineOptions, code)
  if (missing === null) return
  throw new PrimoError(
    'invalid-option',
    `use must name a module that exports "${missing.kind}" in version "${missing.version}", which problem "${name}" was defined with, got ${missing.got}`,
    { field: 'use', problem: name },
  )
}

/** Throws a PrimoError that names the field when the definition is invalid. */
export function checkDefinition(definition: ProblemDefinition, code: readonly Code[] = []): Engine {
  checkDepth(definition)
  if (definition.learning !== undefined && 'use' in definition.learning)
    invalid('learning.use', 'absent: code comes with the start of the service', 'code')
  for (const action of definition.actions)
    if (action in {})
      invalid('actions', 'named unlike the built-in properties of objects, such as "constructor"', action)
  for (const action of Object.keys(definition.labels ?? {}))
    if (!definition.actions.includes(action)) invalid(`labels.${action}`, 'of one of the actions', action)
  for (const [name, { imputer }] of Object.entries(definition.covariates)) {
    if (!KINDS.includes(imputer.kind))
      invalid(`covariates.${name}.imputer.kind`, `one of ${KINDS.join(', ')}`, imputer.kind)
    for (const [member, { kind }] of membersOfImputer(imputer))
      if (member !== null && (kind === 'ensemble' || !KINDS.includes(kind)))
        invalid(`covariates.${name}.imputer.members.${member}.kind`, `one of ${KINDS.slice(0, -1).join(', ')}`, kind)
  }
  // The library checks the reward; its windows count rounds.
  const { window, ...reward } = definition.reward
  const problem = enginesProblem(definition as ServedProblem)
  checkProblem({ ...problem, reward: { ...reward, ...(window === undefined ? {} : { window: 1 }) } })
  const { actions, guards = {} } = definition
  const { floor = 0, holdout = 0, baseline, kill } = guards
  if (baseline !== undefined && !actions.includes(baseline)) invalid('guards.baseline', 'one of the actions', baseline)
  if ((holdout > 0 || kill) && baseline === undefined)
    invalid('guards.baseline', 'given together with holdout or kill', baseline)
  for (const [name, { fallback }] of Object.entries(definition.covariates))
    if (fallback === 'baseline' && baseline === undefined)
      invalid(`covariates.${name}.fallback`, '"constant" unless guards.baseline is given', fallback)
  if (floor * actions.length > 1 - holdout)
    invalid('guards.floor', `at most ${(1 - holdout) / actions.length}: (1 - holdout) / number of actions`, floor)
  checkGuardrails(definition)
  const engine = engineOf(definition, code)
  if (reward.default !== undefined && engine.missingRewards !== null)
    invalid('learning.rewards.missing', '"drop" where reward.default closes rounds without a reward', 'weight')
  return engine
}

function checkGuardrails({ guardrails = {} }: ProblemDefinition): void {
  for (const [name, { min, max, limit }] of Object.entries(guardrails)) {
    const at = `guardrails.${name}`
    if (!(min < max)) invalid(`${at}.max`, `larger than min, ${min}`, max)
    // A limit at the harmless end would leave no distance to measure by.
    if ('max' in limit && !(limit.max > min && limit.max <= max))
      invalid(`${at}.limit.max`, `above ${min} and at most ${max}`, limit.max)
    if ('min' in limit && !(limit.min >= min && limit.min < max))
      invalid(`${at}.limit.min`, `at least ${min} and below ${max}`, limit.min)
  }
}

/** The library's sentence about a body that is not even a definition; nothing where the library has none. */
export function explainDefinition(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return
  const { context, covariates, actions, reward } = body as Readonly<Record<string, unknown>>
  // What only the service knows is left out: its fields, its kinds of models, windows by time.
  const { window: _, default: __, ...range } = Object(reward)
  checkProblem({
    context,
    covariates: mapped(covariates, ({ fallback: ___, ...covariate }) => {
      const { kind, file } = Object(covariate.imputer)
      const served = KINDS.includes(kind) && (!(PURE_KINDS as readonly string[]).includes(kind) || file !== undefined)
      return served ? { ...covariate, imputer: { kind: 'column' } } : covariate
    }),
    actions,
    reward: reward === undefined ? undefined : range,
  })
}

function mapped(given: unknown, change: (one: Record<string, unknown>) => unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, one]) => [name, typeof one === 'object' && one !== null ? change(one) : one]),
  )
}

/** Options and imputers are open objects; one that is nested too deep can be parsed but not written. */
export function checkDepth(definition: ProblemDefinition): void {
  if (isDeeper(definition, MAX_DEPTH))
    throw new PrimoError('invalid-problem', `the problem must be nested at most ${MAX_DEPTH} deep, got more`)
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return depth < 0
  if (depth < 0) return true
  for (const name in value) if (isDeeper((value as Readonly<Record<string, unknown>>)[name], depth - 1)) return true
  return false
}

function invalid(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-problem', `${field} must be ${rule}, got ${JSON.stringify(value)}`, { field, value })
}

export function learningStart(
  engine: Engine,
  state: EpochState = initialState(engine.encoding.covariates.length),
): LearningStart {
  return {
    epoch: state.epoch,
    // An epoch that never ends: infinity has no JSON.
    quota: Math.min(epochQuota(state, engine), Number.MAX_SAFE_INTEGER),
    counted: engine.schedule.counted === 'closed' ? 'closed' : 'decided',
  }
}
