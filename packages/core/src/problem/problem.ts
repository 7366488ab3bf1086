// A problem: what a context looks like, which covariates may be missing and who predicts them, the actions, the reward.

import { PrimoError, show, unknownName } from '@primo/numeric'
import { type AuditSpec, checkAudit } from './audit-spec.js'
import { encodePrediction } from './encoding.js'
import { checkFeature, columnNames, encodeValue, type Feature, featureWidth } from './feature.js'
import { checkImputer, type Imputer, type MemberImputer, type Prediction } from './imputer.js'
import { shortHash } from './short-hash.js'
import { checkTableContext } from './table-imputer.js'
import { checkTrainedContext, trainedMisfit } from './trained-imputer.js'

/** What matters for the reward and may be missing, with the model that predicts it then. */
export type CovariateSpec = Feature & {
  readonly imputer: Imputer
  /**
   * How truths that arrive after the decision come about: 'ignore' (kept and shown, not learnt from; the default),
   * 'context' (whether a truth is revealed depends on the context only, so it may calibrate) or 'random' (those that an
   * audit asked for calibrate; the default with an audit).
   */
  readonly reveals?: 'ignore' | 'context' | 'random'
  /** Ask for the truth of some of the missing values. */
  readonly audit?: AuditSpec
  /** What finding out a missing value costs, in units of the reward: replies say `ask` where knowing it now is worth more. */
  readonly price?: number
  /**
   * Why values are missing, in the order in which the causes strike, so that the observation model takes them apart: 'random' (of
   * nothing that matters, such as a failed pipeline) or 'context' (of the context alone). Absent: reasons are logged, not used.
   */
  readonly reasons?: Readonly<Record<string, ReasonKind>>
}

export type ReasonKind = 'random' | 'context'

/** How the truths of a covariate that arrive late come about. */
export function revealsOf({ reveals, audit }: CovariateSpec): 'ignore' | 'context' | 'random' {
  return reveals ?? (audit === undefined ? 'ignore' : 'random')
}

/** The range of the reward, and when and how reports of it count. */
export interface RewardSpec {
  /** Rewards outside [min, max] are refused. */
  readonly min: number
  readonly max: number
  /** Range of the mean reward, gamma's unit; default: the same as [min, max]. */
  readonly mean?: { readonly min: number; readonly max: number }
  /** A round closes when this many later rounds were decided; without a window, when its reward arrives. */
  readonly window?: number
  /** The reward of a round whose window closed without one; without a default such a round is dropped. */
  readonly default?: number
  /** Which of several rewards counts; default 'first'. Others need a window. */
  readonly aggregate?: 'first' | 'sum' | 'mean' | 'last'
  /** With a window: learn when it closes (default) or as soon as a reward arrives. */
  readonly learnFrom?: 'closing' | 'arrival'
}

/** Features by name. */
export type Features = Readonly<Record<string, Feature>>
/** Covariates by name. */
export type CovariateSpecs = Readonly<Record<string, CovariateSpec>>

/** A decision problem. Its types are those of the literal it was declared with; without one, any names and values. */
export interface Problem<
  Context extends Features = Features,
  Covariates extends CovariateSpecs = CovariateSpecs,
  Action extends string = string,
  Reward extends RewardSpec = RewardSpec,
> {
  /** What is always known at the decision. */
  readonly context: Context
  /** What matters and may be missing, with who predicts it then. */
  readonly covariates: Covariates
  readonly actions: readonly Action[]
  readonly reward: Reward
  /** What is seen after a decision and before its reward is final, and may predict it. Absent: nothing is. */
  readonly signals?: Features
}

type FieldOf<Spec> = Spec extends unknown ? keyof Spec : never
/** What a compiler says of a misspelt field: that its value is not assignable to this. */
interface NoSuchField {
  readonly none: never
}
type NoOtherFields<Spec, Field> = { readonly [Other in Exclude<keyof Spec, Field>]?: NoSuchField }
type NoOtherFieldsIn<Specs, Field> = { readonly [Name in keyof Specs]: NoOtherFields<Specs[Name], Field> }

/** A problem whose types are inferred from a literal. A misspelt field is an error, as it would be without inference. */
export type DeclaredProblem<
  Context extends Features,
  Covariates extends CovariateSpecs,
  Action extends string,
  Reward extends RewardSpec = RewardSpec,
> = Problem<
  Context & NoOtherFieldsIn<Context, FieldOf<Feature>>,
  Covariates & NoOtherFieldsIn<Covariates, FieldOf<CovariateSpec>>,
  Action,
  Reward & NoOtherFields<Reward, keyof RewardSpec>
>

/**
 * The problem as it is given, with the types of its names, levels and actions kept: for a problem in a file of its own.
 * @example
 * const problem = defineProblem({
 *   context: { age: number({ min: 18, max: 95 }) },
 *   covariates: { carrier: { ...boolean(), imputer: { kind: 'constant', value: 0.3 } } },
 *   actions: ['low', 'high'],
 *   reward: { min: 0, max: 1 },
 * })
 */
export function defineProblem<
  const Context extends Features,
  const Covariates extends CovariateSpecs,
  const Action extends string,
  const Reward extends RewardSpec,
>(problem: DeclaredProblem<Context, Covariates, Action, Reward>): Problem<Context, Covariates, Action, Reward> {
  return problem
}

const MAX_ACTIONS = 65_535

/** Throws `invalid-problem` or `invalid-option` with the field and the value; returns the problem it was given. */
export function checkProblem(problem: unknown): Problem {
  if (!isRecord(problem)) bad('problem', 'an object', problem)
  refuseUnknown('problem', problem, ['context', 'covariates', 'actions', 'reward', 'signals'])
  const { context, covariates, actions, reward, signals } = problem
  if (!isRecord(context)) bad('context', 'an object: name -> feature', context)
  if (!isRecord(covariates)) bad('covariates', 'an object: name -> covariate', covariates)
  for (const [name, feature] of Object.entries(context)) {
    checkName(`context.${name}`, name)
    checkFeature(`context.${name}`, feature, ['default'])
    if (feature.default !== undefined)
      encodeValue(`context.${name}.default`, feature, feature.default, new Float64Array(featureWidth(feature)), 0)
  }
  for (const [name, covariate] of Object.entries(covariates)) {
    checkName(`covariates.${name}`, name)
    if (name in context)
      bad(
        `covariates.${name}`,
        'named differently from every context feature (declare it once: as a covariate if it may be missing)',
        name,
      )
    if (isRecord(covariate) && covariate.default !== undefined)
      bad(`covariates.${name}.default`, 'absent: where the value is missing its imputer speaks', covariate.default)
    checkFeature(`covariates.${name}`, covariate, ['imputer', 'reveals', 'audit', 'price', 'reasons'])
    const spec = covariate as unknown as Partial<Record<string, unknown>>
    checkImputer(`covariates.${name}.imputer`, spec.imputer)
    for (const [field, imputer] of membersIn(`covariates.${name}.imputer`, spec.imputer as Imputer)) {
      if (imputer.kind === 'table') checkTableContext(field, imputer, context as Record<string, Feature>)
      if (imputer.kind === 'trained') checkTrainedContext(field, imputer.model, context as Record<string, Feature>)
      checkLinearNames(field, imputer, context as Record<string, Feature>)
      checkImputerFits(field, imputer, covariate as unknown as CovariateSpec)
    }
    checkReveals(`covariates.${name}`, spec)
    const { price } = spec
    if (price !== undefined && !(typeof price === 'number' && price >= 0 && Number.isFinite(price)))
      bad(`covariates.${name}.price`, 'a finite number >= 0', price)
    checkReasons(`covariates.${name}.reasons`, spec.reasons)
  }
  checkActions(actions)
  checkReward(reward)
  checkSignals(signals)
  return problem as unknown as Problem
}

const MAX_SIGNALS = 100

function checkSignals(signals: unknown): void {
  if (signals === undefined) return
  if (!isRecord(signals)) bad('signals', 'an object: name -> feature', signals)
  const count = Object.keys(signals).length
  if (count === 0 || count > MAX_SIGNALS) bad('signals', `1 to ${MAX_SIGNALS} signals`, count)
  for (const [name, feature] of Object.entries(signals)) {
    checkName(`signals.${name}`, name)
    checkFeature(`signals.${name}`, feature, [])
  }
}

function checkReveals(field: string, { reveals, audit }: Partial<Record<string, unknown>>): void {
  if (reveals !== undefined && reveals !== 'ignore' && reveals !== 'context' && reveals !== 'random') {
    bad(`${field}.reveals`, '"ignore", "context" or "random"', reveals)
  }
  if (audit === undefined) {
    if (reveals === 'random') bad(`${field}.audit`, 'given where reveals are "random"', audit)
    return
  }
  checkAudit(`${field}.audit`, audit)
  if (reveals === 'context') bad(`${field}.reveals`, '"random" or "ignore" together with an audit', reveals)
}

const MAX_REASONS = 100

function checkReasons(field: string, reasons: unknown): void {
  if (reasons === undefined) return
  if (!isRecord(reasons)) bad(field, 'a map reason -> "random" or "context"', reasons)
  const names = Object.keys(reasons)
  if (names.length === 0 || names.length > MAX_REASONS) bad(field, `1 to ${MAX_REASONS} reasons`, names.length)
  for (const name of names) {
    if (name === '' || name in {}) bad(field, 'named by non-empty text that is not a built-in object property', name)
    if (reasons[name] !== 'random' && reasons[name] !== 'context')
      bad(`${field}.${name}`, '"random" or "context"', reasons[name])
  }
}

/** A misspelt field would be silently without effect. */
function refuseUnknown(field: string, given: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  for (const name of Object.keys(given))
    if (!known.includes(name)) throw new PrimoError('invalid-problem', unknownName(field, name, known), { field, name })
}

function checkName(field: string, name: string): void {
  // A "=" separates a feature from its level in column names.
  if (name === '' || name.includes('=')) bad(field, 'named by non-empty text without "="', name)
  if (name in {}) bad(field, 'named differently from built-in object properties', name)
}

function checkActions(actions: unknown): void {
  if (!Array.isArray(actions) || actions.length === 0)
    bad('actions', 'a list of at least one action, such as ["low", "high"]', actions)
  if (actions.length > MAX_ACTIONS) bad('actions', `at most ${MAX_ACTIONS} actions`, actions)
  const seen = new Set<unknown>()
  for (const action of actions) {
    if (typeof action !== 'string' || action === '') bad('actions', 'non-empty texts such as ["low", "high"]', action)
    if (seen.has(action)) bad('actions', 'distinct', action)
    seen.add(action)
  }
}

function checkLinearNames(field: string, imputer: MemberImputer, context: Readonly<Record<string, Feature>>): void {
  if (imputer.kind !== 'linear') return
  const known = new Set(Object.entries(context).flatMap(([name, feature]) => columnNames(name, feature)))
  for (const name of Object.keys(imputer.coefficients)) {
    if (known.has(name)) continue
    const sentence = unknownName(`${field}.coefficients`, name, [...known], 'column')
    throw new PrimoError('invalid-problem', sentence, { field: `${field}.coefficients`, name })
  }
}

/** The imputer itself, or the members of an ensemble, with their fields. */
function membersIn(field: string, imputer: Imputer): readonly (readonly [string, MemberImputer])[] {
  if (imputer.kind !== 'ensemble') return [[field, imputer]]
  return Object.entries(imputer.members).map(([name, member]) => [`${field}.members.${name}`, member])
}

/** What can be seen now to fail at some decision: a value the covariate cannot take, a linear model of a category. */
function checkImputerFits(field: string, imputer: MemberImputer, feature: CovariateSpec): void {
  const width = featureWidth(feature)
  if (imputer.kind === 'linear' && feature.type === 'category')
    bad(`${field}.kind`, '"table", "constant", "column" or a served model for a category', 'linear')
  const scratch = new Float64Array(width)
  const check = (value: Prediction, at: () => string) => {
    const failure = encodePrediction({ feature }, value, scratch, 0)
    if (failure !== null) bad(at(), `a value of the covariate (it ${failure})`, value)
  }
  if (imputer.kind === 'constant') check(imputer.value, () => `${field}.value`)
  const misfit = imputer.kind === 'trained' ? trainedMisfit(imputer.model, feature) : null
  if (misfit !== null) bad(`${field}.model`, 'a model of the covariate', `one that ${misfit}`)
  if (imputer.kind !== 'table') return
  for (const [k, { value }] of imputer.rows.entries()) check(value, () => `${field}.rows[${k}].value`)
}

function checkReward(reward: unknown): void {
  if (!isRecord(reward)) bad('reward', 'an object with min and max', reward)
  refuseUnknown('reward', reward, ['min', 'max', 'mean', 'window', 'default', 'aggregate', 'learnFrom'])
  const { min, max, mean, window, aggregate, learnFrom } = reward
  checkRange('reward', min, max)
  if (mean !== undefined) {
    if (!isRecord(mean)) bad('reward.mean', 'an object with min and max', mean)
    checkRange('reward.mean', mean.min, mean.max)
    if ((mean.min as number) < (min as number) || (mean.max as number) > (max as number)) {
      bad('reward.mean', `inside the reward range ${min} to ${max}`, `${mean.min} to ${mean.max}`)
    }
  }
  if (window !== undefined && !(Number.isSafeInteger(window) && (window as number) >= 1)) {
    bad('reward.window', 'a whole number of rounds >= 1', window)
  }
  const fallback = reward.default
  if (fallback !== undefined) {
    if (window === undefined) bad('reward.default', 'given together with reward.window', fallback)
    if (typeof fallback !== 'number' || !(fallback >= (min as number) && fallback <= (max as number))) {
      bad('reward.default', `between ${min} and ${max}`, fallback)
    }
  }
  if (aggregate !== undefined && !['first', 'sum', 'mean', 'last'].includes(aggregate as string)) {
    bad('reward.aggregate', '"first", "sum", "mean" or "last"', aggregate)
  }
  if (aggregate !== undefined && aggregate !== 'first' && window === undefined) {
    bad('reward.aggregate', '"first" unless there is a reward.window', aggregate)
  }
  if (learnFrom !== undefined && learnFrom !== 'closing' && learnFrom !== 'arrival') {
    bad('reward.learnFrom', '"closing" or "arrival"', learnFrom)
  }
  if (learnFrom === 'arrival' && aggregate !== undefined && aggregate !== 'first') {
    bad('reward.learnFrom', '"closing" when several rewards are aggregated', learnFrom)
  }
}

function checkRange(field: string, min: unknown, max: unknown): void {
  if (typeof min !== 'number' || !Number.isFinite(min)) bad(`${field}.min`, 'a finite number', min)
  if (typeof max !== 'number' || !Number.isFinite(max)) bad(`${field}.max`, 'a finite number', max)
  if (max <= min) bad(`${field}.max`, `greater than min (${min})`, max)
  if (!Number.isFinite(max - min)) bad(`${field}.max`, 'close enough to min to be scaled', max)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function bad(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-problem', `${field} must be ${rule}, got ${show(value)}`, { field, value })
}

/** A short hash of everything in the problem that is data (a function imputer counts by its version). */
export function problemFingerprint(problem: Problem): string {
  return shortHash(inOrder(problem))
}

/** Order matters for context, covariates and actions, so maps of those become lists. */
function inOrder(problem: Problem): unknown {
  const { context, covariates, signals } = problem
  return {
    ...problem,
    context: Object.entries(context),
    covariates: Object.entries(covariates),
    ...(signals === undefined ? {} : { signals: Object.entries(signals) }),
  }
}
