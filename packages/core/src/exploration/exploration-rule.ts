// An exploration rule: scores (and widths) of the eligible actions in, propensities out. The built-in rules and those of users are the
// same to an engine; what a user's rule writes is checked in every decision, because a log with wrong propensities is worth nothing.

import { entryOf, invalidOption, PrimoError, requireOptions } from '@primo/numeric'
import { type CodeOptions, checkCode, codeNamed, type NamedCode, type OwnCode } from '../problem/own-code.js'
import { type BuiltInExploration, builtInRules } from './built-in-rules.js'
import type { FittedNoise } from './default-rule.js'

/**
 * Writes the propensities of `count` actions, whose scores and widths begin at `at` (default 0), to out[at ...]. `eligible` says which
 * actions they are; absent: all. Allocates nothing.
 */
export type Weighing = (
  scores: Float64Array,
  widths: Float64Array,
  count: number,
  out: Float64Array,
  at?: number,
  eligible?: Int32Array,
) => void

/** What a rule is made for: the reward model that was just fitted, and the options given. */
export interface RuleSetting<Options = CodeOptions> {
  /** All actions of the problem. */
  readonly actions: number
  /** The exploration parameter of the epoch, in units of the mean reward's range. */
  readonly gamma: number
  /** Of the reward model: its noise, the rounds behind it by action, and their total weight. */
  readonly fitted: FittedNoise
  readonly options: Options
}

/**
 * How scores become propensities. Scores are predicted mean rewards in units of the mean reward's range, widths their standard deviations.
 * @example
 * const coin: ExplorationRule = {
 *   kind: 'coin',
 *   version: '1',
 *   compile: () => (_scores, _widths, count, out, at = 0) => out.fill(1 / count, at, at + count),
 * }
 * createLearner(problem, { exploration: coin })
 */
export interface ExplorationRule<Options = CodeOptions> extends OwnCode {
  /** Whether it reads widths; default false: they are not computed. */
  readonly usesWidths?: boolean
  /** Throws where the options are not right. */
  check?(options: Options): void
  /** Called after every fit: what it returns weighs all decisions until the next one. */
  compile(setting: RuleSetting<Options>): Weighing
}

/** A rule by its kind with its options, or one of your own. */
export type ExplorationOption = BuiltInExploration | ExplorationRule | NamedCode

/** A rule with its options, checked. */
export interface BoundRule {
  readonly kind: string
  readonly usesWidths: boolean
  readonly compile: (setting: Omit<RuleSetting, 'options'>) => Weighing
}

const KINDS = Object.keys(builtInRules)

/** `use`: rules that the option may name. */
export function bindRule(option: BuiltInExploration | NamedCode, use: readonly ExplorationRule[] = []): BoundRule {
  const own = codeNamed(use, 'exploration', option ?? {})
  if (own !== undefined) return bindOwn(own, option as NamedCode)
  const kind = option?.kind
  if (entryOf(builtInRules, kind) === undefined) {
    requireOptions('exploration', option, ['kind', 'version', 'options'])
    invalidOption(
      'exploration.kind',
      `${KINDS.map((each) => `"${each}"`).join(', ')} or that of a rule in the option "use"`,
      kind,
    )
  }
  const rule = builtInRules[kind as BuiltInExploration['kind']]
  requireOptions('exploration', option, ['kind', ...rule.fields])
  const options: CodeOptions = option
  rule.check?.(options)
  return bound(kind, rule, (setting) => rule.compile({ ...setting, options }))
}

function bound(
  kind: string,
  { usesWidths = false }: Pick<ExplorationRule, 'usesWidths'>,
  compile: BoundRule['compile'],
): BoundRule {
  return { kind, usesWidths, compile }
}

function bindOwn(rule: ExplorationRule, named: NamedCode): BoundRule {
  checkCode('exploration', rule, KINDS)
  requireOptions('exploration', named, ['kind', 'version', 'options'])
  const options = { ...rule.options, ...named.options }
  rule.check?.(options)
  return bound(rule.kind, rule, (setting) => checkedWeighing(rule.kind, rule.compile({ ...setting, options })))
}

const TOLERANCE = 1e-9

/** The weighing of a user's rule, which must give probabilities. */
function checkedWeighing(kind: string, weigh: Weighing): Weighing {
  const who = `exploration rule "${kind}"`
  return (scores, widths, count, out, at = 0, eligible) => {
    weigh(scores, widths, count, out, at, eligible)
    requirePropensities(who, out, count, at)
  }
}

/** Throws `broken-law` where `count` propensities from out[at] on are no probabilities of one choice. */
export function requirePropensities(who: string, out: Float64Array, count: number, at = 0): void {
  let sum = 0
  for (let a = at; a < at + count; a++) {
    const p = out[a]!
    if (!(p >= 0 && p <= 1 + TOLERANCE)) broken(who, 'give propensities between 0 and 1', p)
    sum += p
  }
  if (!(Math.abs(sum - 1) <= TOLERANCE)) broken(who, 'give propensities that sum to one', sum)
}

function broken(who: string, law: string, got: number): never {
  throw new PrimoError('broken-law', `${who} must ${law}, got ${got}`, { law, got })
}
