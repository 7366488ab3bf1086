// What an evaluation comes to, in one sentence: the best of the policies against the one they are compared with, by how much, how
// sure. The interval allows for the choice among k policies: its level is 1 - (1 - level)/k. On a log of a learning policy the limits that
// hold at all times speak.

import { formatInterval, formatNumber, levelText } from '../report/number-format.js'
import { studentQuantile } from '../statistics/student-t.js'
import { anytimeConclusion } from './anytime/anytime-text.js'
import type { PolicyDifference } from './compare-policies.js'
import type { LogEvaluation } from './evaluate-log.js'
import { readableEvaluation } from './readable-evaluation.js'

/** Degrees of freedom at which Student's t is the normal distribution for our purposes. */
const MANY = 1e6

/** The estimator that is shown where there is room for one. */
export function headline(differences: readonly PolicyDifference[]): PolicyDifference['estimator'] | undefined {
  const found = new Set(differences.map(({ estimator }) => estimator))
  return (['dr', 'snips', 'ips'] as const).find((name) => found.has(name)) ?? differences[0]?.estimator
}

/** null: no difference has an interval. */
export function evaluationConclusion(evaluation: LogEvaluation): string | null {
  const { differences, against, level, anytime } = readableEvaluation(evaluation)
  const always = anytime === null ? null : anytimeConclusion(anytime)
  if (always !== null) return always
  const estimator = headline(differences)
  const rivals = differences.filter((one) => one.estimator === estimator && one.asymptotic !== null)
  const best = rivals.reduce<PolicyDifference | null>(
    (found, one) => (found === null || one.difference > found.difference ? one : found),
    null,
  )
  if (best === null || best.asymptotic === null) return null
  const { policy, difference, asymptotic } = best
  const quantile = (k: number) => studentQuantile(1 - (1 - level) / (2 * k), MANY)
  const wider = quantile(rivals.length) / quantile(1)
  const low = difference - wider * (difference - asymptotic.low)
  const high = difference + wider * (asymptotic.high - difference)
  const other = against === 'logged' ? 'what was played' : against
  const sure = `${levelText(level)} interval ${formatInterval([low, high])} by ${estimator}${rivals.length > 1 ? `, allowing for the choice among ${rivals.length} policies` : ''}`
  const amount = formatNumber(Math.abs(difference), 3)
  if (low > 0) return `${policy} is better than ${other}: ${amount} more per decision (${sure}).`
  if (high < 0) {
    const none = rivals.length > 1 ? `No policy is better than ${other}; the best, ${policy},` : policy
    return `${none} is worse${rivals.length > 1 ? '' : ` than ${other}`}: ${amount} less per decision (${sure}).`
  }
  const named = rivals.length > 1 ? `${policy}, the best of ${rivals.length},` : policy
  return `${named} and ${other} cannot be told apart: ${amount} ${difference < 0 ? 'less' : 'more'} per decision (${sure}).`
}
