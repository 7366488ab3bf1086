// What makes an answer doubtful: the log cannot support the question, or it is not what it says it is.

import type { WeightReport } from './importance-weights.js'
import type { LoggedChoices, TargetPropensities } from './logged-choices.js'
import type { PropensityCheck } from './propensity-check.js'

/** Why an evaluation is doubtful. */
export type EvaluationWarningCode =
  | 'few-effective-rows'
  | 'unsupported-actions'
  | 'mean-weight'
  | 'heavy-row'
  | 'heavy-tail'
  | 'small-propensities'
  | 'propensities-disagree'
  | 'not-uniform'
  | 'nothing-in-common'
  | 'rows-left-out'
  | 'model-fitted-on-few-rows'
  | 'missing-rewards-weighted'
  | 'rewards-missing-by-action'
  | 'rewards-rarely-seen'

/** A sentence about what makes an evaluation doubtful. */
export interface EvaluationWarning {
  readonly code: EvaluationWarningCode
  readonly sentence: string
}

const FEWEST_ROWS = 100
const MAX_UNSUPPORTED = 0.001
/** A false alarm in 0.1% of logs. */
const FALSE_ALARM = 0.001
const LARGEST_Z = 3.29
const MAX_OF_ONE_ROW = 0.05
const SMALLEST = 0.001

export interface SupportReport {
  /** Share of the policy's choices that fall on actions which the log never plays there. */
  readonly unsupportedShare: number
  /** By propensities of every action, or by whether an action was ever played. */
  readonly method: 'propensities' | 'counts'
}

/** How much of what the policy would do the log can say anything about. */
export function supportOf(choices: LoggedChoices, target: TargetPropensities): SupportReport {
  const { rows, actions, action, propensities } = choices
  const ever = new Uint8Array(actions)
  for (let i = 0; i < rows; i++) ever[action[i]!] = 1
  let mass = 0
  for (let i = 0; i < rows; i++) {
    for (let a = 0; a < actions; a++) {
      const p = propensities?.[i * actions + a]
      const never = p === undefined || Number.isNaN(p) ? ever[a] === 0 : p <= 0
      if (never) mass += target[i * actions + a]!
    }
  }
  return { unsupportedShare: mass / rows, method: propensities === null ? 'counts' : 'propensities' }
}

/** Whether every eligible action was as likely as any other. */
export function isUniform({ rows, actions, propensity, eligible }: LoggedChoices): boolean {
  for (let i = 0; i < rows; i++) {
    let count = actions
    if (eligible !== null) {
      count = 0
      for (let a = 0; a < actions; a++) count += eligible[i * actions + a]!
    }
    if (Math.abs(propensity[i]! * count - 1) > 1e-6) return false
  }
  return true
}

export function evaluationWarnings(
  choices: LoggedChoices,
  weights: WeightReport,
  support: SupportReport,
  check: PropensityCheck,
): readonly EvaluationWarning[] {
  const { rows, propensity } = choices
  const warnings: EvaluationWarning[] = []
  const warn = (code: EvaluationWarningCode, sentence: string) => warnings.push({ code, sentence })
  const { effectiveRows, mean, standardError, largestShare } = weights
  if (effectiveRows < FEWEST_ROWS) {
    warn(
      'few-effective-rows',
      `too few decisions of the log are like this policy's: ${Math.round(effectiveRows)} effective of ${rows}, an estimate needs ${FEWEST_ROWS}`,
    )
  }
  if (support.unsupportedShare > MAX_UNSUPPORTED) {
    warn(
      'unsupported-actions',
      `${percent(support.unsupportedShare)} of what the policy would play was never played in such rows: no log like this can say what it brings`,
    )
  } else if (Math.abs(mean - 1) > LARGEST_Z * standardError && standardError > 0) {
    warn(
      'mean-weight',
      `weights average ${mean.toPrecision(3)} instead of 1 (standard error ${standardError.toPrecision(2)}): propensities are wrong or rare weights are missing`,
    )
  }
  if (largestShare > MAX_OF_ONE_ROW && rows >= FEWEST_ROWS) {
    warn('heavy-row', `one row carries ${percent(largestShare)} of all weight`)
  }
  const smallest = propensity.reduce((least, p) => Math.min(least, p), 1)
  if (smallest < SMALLEST) {
    warn(
      'small-propensities',
      `the smallest propensity is ${smallest.toPrecision(2)}: prefer doubly robust or clipped estimators`,
    )
  }
  if (check.pValue !== null && check.pValue < FALSE_ALARM) {
    warn(
      'propensities-disagree',
      `actions were not played as often as their logged propensities say (p = ${check.pValue.toPrecision(2)})`,
    )
  }
  return warnings
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}
