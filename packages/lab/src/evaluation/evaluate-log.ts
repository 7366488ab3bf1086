// Several policies on one log: each one's value, paired differences against one of them, and what seeing the covariates
// would be worth to each.

import type { Interactions, MissingRewards } from '@primo/core'
import { PrimoError, Random } from '@primo/numeric'
import { type AnytimeEvaluation, evaluateAnytime } from './anytime/evaluate-anytime.js'
import { comparePolicies, type PolicyDifference } from './compare-policies.js'
import { type EstimatorName, estimatorNames, type Terms } from './estimators.js'
import { type EvaluatedPolicy, type EvaluateOptions, evaluatePolicy, type PolicyEvaluation } from './evaluate-policy.js'
import type { EvaluationLog } from './evaluation-log.js'
import type { EvaluationWarning } from './evaluation-warnings.js'
import { randomFolds } from './folds.js'
import { bernsteinInterval, bootstrapIntervals, estimateOf, type ValueEstimate } from './intervals.js'
import { foldParts } from './log-parts.js'
import type { LoggedChoices } from './logged-choices.js'
import { missingRewardWarnings, type RewardLimits, rewardLimits } from './missing-reward-limits.js'
import { crossFittedRewards } from './reward-model.js'
import { type TargetPolicy, targetPropensities } from './target-policy.js'
import { fitObserving, type ValueOfObserving, valueOfObserving } from './value-of-observing.js'

/** The name of what was really played. */
export const LOGGED = 'logged'

/** Which policies are evaluated on a log, compared with whom, and how. */
export interface EvaluateLogOptions extends Omit<EvaluateOptions, 'rewards'> {
  readonly policies: readonly TargetPolicy[]
  /** Whom the others are compared with; default what was played. */
  readonly against?: string
  /** Of the cross-fitting; default 5. */
  readonly folds?: number
  /** Products in the reward model's linear class; default 'none'. */
  readonly interactions?: Interactions
  /**
   * anytime: limits that hold however often one looks, and whatever the logging policy learnt, beside the others; fixed: only intervals
   * that take the rows for independent. Default: anytime for a log that more than one policy made.
   */
  readonly interval?: 'anytime' | 'fixed'
  /** Whether to ask what seeing the covariates would be worth, where a reward model is fitted; default true. */
  readonly observing?: boolean
  readonly onProgress?: (share: number) => void
}

/** Values of policies on one log, their differences, and what seeing the covariates would be worth. */
export interface LogEvaluation {
  readonly kind: 'evaluation'
  readonly rows: number
  readonly leftOut: EvaluationLog['leftOut']
  readonly actions: readonly string[]
  readonly seed: number
  readonly folds: number
  readonly level: number
  /** The range of rewards. */
  readonly rewardRange: { readonly min: number; readonly max: number }
  /** What was really earned. */
  readonly logged: ValueEstimate
  readonly policies: readonly PolicyEvaluation[]
  readonly against: string
  readonly differences: readonly PolicyDifference[]
  readonly observing: readonly ValueOfObserving[]
  /** Which rewards never came, where that was made up for. */
  readonly missingRewards?: MissingRewards
  /** What each policy's value can be whatever made rewards stay away. */
  readonly limits?: readonly RewardLimits[]
  /** Limits that hold at all times; null: not asked for. */
  readonly anytime: AnytimeEvaluation | null
  readonly warnings: readonly EvaluationWarning[]
}

const FEWEST_PER_ACTION = 20

/**
 * What other policies would have earned, from a log with propensities.
 * @example
 * const { header, rows } = await openLog('log.parquet')
 * const log = await evaluationLog(header, rows())
 * const { policies } = evaluateLog(log, { policies: ['fixed:low', 'robust'].map((name) => targetPolicy(log, name)) })
 */
export function evaluateLog(log: EvaluationLog, options: EvaluateLogOptions): LogEvaluation {
  const { policies, against = LOGGED, folds: foldCount = 5, seed = 0, level = 0.95, onProgress } = options
  const { choices, missingRewards } = log
  const { interval = log.adaptive && missingRewards === undefined ? 'anytime' : 'fixed' } = options
  if (interval === 'anytime' && missingRewards !== undefined)
    refuse('interval', '"fixed" where missing rewards are made up for: their model has seen the whole log', interval)
  if (!Number.isSafeInteger(foldCount) || foldCount < 2 || foldCount > 255)
    refuse('folds', 'a whole number from 2 to 255', foldCount)
  if (choices.rows < foldCount) refuse('folds', `at most the ${choices.rows} rows`, foldCount)
  const names = [LOGGED, ...policies.map(({ name }) => name)]
  if (new Set(names).size !== names.length) refuse('policies', `distinct and not named "${LOGGED}"`, names.join(', '))
  if (!names.includes(against)) refuse('against', `one of ${names.join(', ')}`, against)
  const random = Random.fromSeed(seed).split('evaluation')
  const parts = foldParts(randomFolds(choices.rows, foldCount, random.split('folds')), foldCount)
  const needsModel = (options.estimators ?? estimatorNames).some((name) => NEEDS_MODEL.has(name))
  const rewards = needsModel
    ? crossFittedRewards(log, {
        parts,
        random: random.split('model'),
        ...(options.interactions === undefined ? {} : { interactions: options.interactions }),
      })
    : null
  const found = new Map<string, EvaluatedPolicy>()
  const limits: RewardLimits[] = []
  policies.forEach((policy, k) => {
    const target = targetPropensities(log, policy, { parts, seed })
    if (missingRewards !== undefined) limits.push(rewardLimits(policy.name, choices, target))
    found.set(policy.name, evaluatePolicy(policy.name, choices, target, { ...options, rewards, seed, level }))
    onProgress?.((k + 1) / policies.length)
  })
  const played = loggedPolicy(choices, options)
  const observing =
    needsModel && options.observing !== false && missingRewards === undefined
      ? fitObserving(log, { random: random.split('observing'), folds: foldCount })
      : null
  const reference = against === LOGGED ? played : found.get(against)!
  return {
    kind: 'evaluation',
    rows: choices.rows,
    leftOut: log.leftOut,
    actions: log.header.actions,
    seed,
    folds: foldCount,
    level,
    rewardRange: choices.rewardRange,
    logged: estimateOf(played.terms.get('ips')!, level),
    policies: [...found.values()].map(({ evaluation }) => evaluation),
    against,
    differences: [...found.values()]
      .filter((one) => one !== reference)
      .flatMap((one) => comparePolicies(one, reference)),
    observing: observing === null ? [] : [...found.values()].flatMap((one) => valueOfObserving(observing, one) ?? []),
    ...(missingRewards === undefined ? {} : { missingRewards, limits }),
    anytime:
      interval === 'fixed'
        ? null
        : evaluateAnytime(log, {
            policies,
            against: against === LOGGED ? null : against,
            level,
            seed,
            ...(options.interactions === undefined ? {} : { interactions: options.interactions }),
          }),
    warnings: logWarnings(log, needsModel),
  }
}

const NEEDS_MODEL: ReadonlySet<EstimatorName> = new Set(['direct', 'dr', 'clipped-dr', 'switch'])

/** What was played, as a policy: its value is the mean reward by every estimator. */
function loggedPolicy(
  choices: LoggedChoices,
  { level = 0.95, replicates = 1000, seed = 0 }: EvaluateOptions,
): EvaluatedPolicy {
  const { seen, reward } = choices
  const terms: Terms =
    seen === undefined
      ? { top: reward, bottom: null, bounds: choices.rewardRange }
      : { top: reward.map((r, i) => seen[i]! * r), bottom: seen, bounds: null }
  const random = Random.fromSeed(seed).split('evaluate', LOGGED)
  const bootstrap = replicates > 0 ? bootstrapIntervals([terms], { replicates, level, random })[0]! : null
  const all = new Map(estimatorNames.map((name) => [name, terms]))
  const weights = { mean: 1, standardError: 0, largest: 1, largestShare: 1 / choices.rows, effectiveRows: choices.rows }
  return {
    terms: all,
    evaluation: {
      policy: LOGGED,
      rows: choices.rows,
      level,
      estimates: [
        { estimator: 'ips', ...estimateOf(terms, level), bootstrap, bernstein: bernsteinInterval(terms, level) },
      ],
      weights,
      support: { unsupportedShare: 0, method: 'counts' },
      propensities: { method: 'inverse', actions: [], pValue: null },
      warnings: [],
    },
  }
}

function logWarnings(
  { choices, leftOut, header, missingRewards }: EvaluationLog,
  model: boolean,
): readonly EvaluationWarning[] {
  const warnings: EvaluationWarning[] = missingRewards === undefined ? [] : [...missingRewardWarnings(missingRewards)]
  const lost = Object.entries(leftOut).filter(([reason]) => reason !== 'void')
  const total = lost.reduce((sum, [, count]) => sum + count, 0)
  if (total > 0.01 * choices.rows) {
    const reasons = lost.map(([reason, count]) => `${count} ${reason}`).join(', ')
    warnings.push({
      code: 'rows-left-out',
      sentence: `${total} rows have no final reward or no propensity (${reasons}): the answer is about the others`,
    })
  }
  const played = new Float64Array(choices.actions)
  for (const action of choices.action) played[action] = played[action]! + 1
  const rare = header.actions.filter((_, a) => played[a]! < FEWEST_PER_ACTION)
  if (model && rare.length > 0) {
    warnings.push({
      code: 'model-fitted-on-few-rows',
      sentence: `the reward model has seen ${rare.join(', ')} fewer than ${FEWEST_PER_ACTION} times: direct estimates of policies that play it are guesses`,
    })
  }
  return warnings
}

function refuse(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${String(value)}`, { field, value })
}
