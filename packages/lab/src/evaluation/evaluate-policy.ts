// The value of a policy from a log of another one's decisions, by several estimators side by side, with intervals, the
// effective sample size and what makes the answer doubtful.

import { PrimoError, Random } from '@primo/numeric'
import { type EstimatorName, estimatorNames, estimatorTerms, type Terms } from './estimators.js'
import {
  type EvaluationWarning,
  evaluationWarnings,
  isUniform,
  type SupportReport,
  supportOf,
} from './evaluation-warnings.js'
import { importanceWeights, type WeightReport, weightReport } from './importance-weights.js'
import {
  bernsteinInterval,
  bootstrapIntervals,
  type EvaluationInterval,
  estimateOf,
  type ValueEstimate,
} from './intervals.js'
import { checkChoices, type LoggedChoices, type TargetPropensities } from './logged-choices.js'
import { checkPropensities, type PropensityCheck } from './propensity-check.js'

/** How one policy is evaluated on a log. */
export interface EvaluateOptions {
  /** Default: all that the log allows (replay only where it is uniform, models only with `rewards`). */
  readonly estimators?: readonly EstimatorName[]
  /** q(x_i, a) in the user's units, rows x K, each row from a model that has not seen it. */
  readonly rewards?: Float64Array | null
  /** Of the intervals; default 0.95. */
  readonly level?: number
  /** Resamples of the bootstrap; 0: none. Default 1,000. */
  readonly replicates?: number
  /** M of the clipped and switching estimators; default 'auto'. */
  readonly threshold?: number | 'auto'
  /** The smallest propensity the log can have, which bounds the weights; default the smallest that occurs. */
  readonly minimumPropensity?: number
  /** Default 0. */
  readonly seed?: number
  /** Changes the terms of every estimator before intervals are made: for propensities that were estimated. */
  readonly adjust?: (terms: Terms) => Terms
}

/** A value by one estimator, with its intervals. */
export interface EvaluationEstimate extends ValueEstimate {
  readonly estimator: EstimatorName
  readonly bootstrap: EvaluationInterval | null
  readonly bernstein: EvaluationInterval | null
  readonly threshold?: number
}

/** One policy's value by several estimators, and what makes it doubtful. */
export interface PolicyEvaluation {
  readonly policy: string
  readonly rows: number
  readonly level: number
  readonly estimates: readonly EvaluationEstimate[]
  readonly weights: WeightReport
  readonly support: SupportReport
  readonly propensities: PropensityCheck
  readonly warnings: readonly EvaluationWarning[]
}

/** An evaluation with the terms behind it, for comparisons. */
export interface EvaluatedPolicy {
  readonly evaluation: PolicyEvaluation
  /** By estimator, for comparisons. */
  readonly terms: ReadonlyMap<EstimatorName, Terms>
}

/** The value of one policy from logged choices, by several estimators. */
export function evaluatePolicy(
  policy: string,
  choices: LoggedChoices,
  target: TargetPropensities,
  options: EvaluateOptions = {},
): EvaluatedPolicy {
  checkChoices(choices, target)
  const { rewards = null, level = 0.95, replicates = 1000, threshold = 'auto', seed = 0 } = options
  if (!(level > 0 && level < 1)) refuse('level', 'between 0 and 1', level)
  if (!Number.isSafeInteger(replicates) || replicates < 0) refuse('replicates', 'a whole number >= 0', replicates)
  if (threshold !== 'auto' && !(threshold > 0)) refuse('threshold', '"auto" or a number > 0', threshold)
  const { rows, actions, propensity } = choices
  if (rewards !== null && rewards.length !== rows * actions) refuse('rewards', `${rows} x ${actions}`, rewards.length)
  const smallest = propensity.reduce((least, p) => Math.min(least, p), 1)
  const minimum = options.minimumPropensity ?? smallest
  if (!(minimum > 0 && minimum <= smallest)) refuse('minimumPropensity', `in (0, ${smallest}]`, minimum)
  const random = Random.fromSeed(seed).split('evaluate', policy)
  const weights = importanceWeights(choices, target)
  const uniform = isUniform(choices)
  const wanted = options.estimators ?? estimatorNames.filter((name) => name !== 'replay' || uniform)
  const input = {
    choices,
    target,
    weights,
    largestWeight: (choices.seen?.reduce((most, one) => Math.max(most, one), 0) ?? 1) / minimum,
    rewards,
    threshold,
    random: random.split('replay'),
  }
  const terms = new Map<EstimatorName, Terms>()
  const without: EstimatorName[] = []
  for (const name of wanted) {
    const found = estimatorTerms(name, input)
    if (found === null) {
      if (options.estimators !== undefined) refuse('rewards', `given for the estimator ${name}`, 'none')
    } else if (found.bottom?.every((value) => value === 0)) without.push(name)
    else terms.set(name, options.adjust?.(found) ?? found)
  }
  const all = [...terms.values()]
  const bootstrap =
    replicates > 0 ? bootstrapIntervals(all, { replicates, level, random: random.split('bootstrap') }) : []
  const report = weightReport(weights)
  const support = supportOf(choices, target)
  const check = checkPropensities(choices)
  const warnings = [...evaluationWarnings(choices, report, support, check)]
  if (wanted.includes('replay') && !uniform) {
    warnings.push({
      code: 'not-uniform',
      sentence: 'the log is not uniform over actions: replay answers for the contexts that it happens to accept',
    })
  }
  if (without.length > 0) {
    warnings.push({
      code: 'nothing-in-common',
      sentence: `no row has an action that the policy would play, so ${without.join(' and ')} cannot be computed`,
    })
  }
  const estimates = [...terms].map(([estimator, found], k) => ({
    estimator,
    ...estimateOf(found, level),
    bootstrap: bootstrap[k] ?? null,
    bernstein: bernsteinInterval(found, level),
    ...(found.threshold === undefined ? {} : { threshold: found.threshold }),
  }))
  const heavy = estimates.filter(({ asymptotic, degrees }) => asymptotic !== null && degrees < FEWEST_DEGREES)
  if (heavy.length > 0) {
    warnings.push({
      code: 'heavy-tail',
      sentence: `the intervals of ${heavy.map(({ estimator }) => estimator).join(', ')} rest on a few heavy rows and may be too short: Bernstein's hold at every n`,
    })
  }
  return {
    terms,
    evaluation: {
      policy,
      rows,
      level,
      estimates,
      weights: report,
      support,
      propensities: check,
      warnings,
    },
  }
}

/** Below, an interval is marked. */
export const FEWEST_DEGREES = 15

function refuse(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${String(value)}`, { field, value })
}
