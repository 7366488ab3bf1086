// What a policy's value can be whatever made rewards stay away (method#reward-limits): rewards that never came are all the least, or all
// the largest, that the log's range allows;  sum w r / sum w  with w = pi(a_i|x_i)/p_i over all rows. No sampling error is in it.

import type { MissingRewards } from '@primo/core'
import { formatInterval, formatNumber } from '../report/number-format.js'
import type { StudyTable } from '../report/study.js'
import type { EvaluationWarning } from './evaluation-warnings.js'
import type { LoggedChoices, TargetPropensities } from './logged-choices.js'

/** What a policy's value can be whatever made rewards stay away. */
export interface RewardLimits {
  readonly policy: string
  readonly low: number
  readonly high: number
}

export function rewardLimits(policy: string, choices: LoggedChoices, target: TargetPropensities): RewardLimits {
  const { rows, actions, action, propensity, reward, rewardRange, seen } = choices
  let total = 0
  let low = 0
  let high = 0
  for (let i = 0; i < rows; i++) {
    const weight = target[i * actions + action[i]!]! / propensity[i]!
    const missing = seen !== undefined && seen[i] === 0
    total += weight
    low += weight * (missing ? rewardRange.min : reward[i]!)
    high += weight * (missing ? rewardRange.max : reward[i]!)
  }
  return total === 0
    ? { policy, low: rewardRange.min, high: rewardRange.max }
    : { policy, low: low / total, high: high / total }
}

/** Which rewards never came, and what values can be without an assumption about them. */
export function missingRewardTables(found: MissingRewards, limits: readonly RewardLimits[]): readonly StudyTable[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`
  const value = (mean: number | null) => (mean === null ? '-' : formatNumber(mean, 3))
  return [
    {
      title: 'Rewards that came, by action',
      header: ['action', 'decisions', 'came', 'its contexts explain', 'mean', 'mean weighted', 'limits of the mean'],
      rows: found.actions.map(({ action, rounds, seenShare, expectedShare, mean, weightedMean, limits: own }) => [
        action,
        rounds.toLocaleString('en'),
        percent(seenShare),
        percent(expectedShare),
        value(mean),
        value(weightedMean),
        formatInterval([own.low, own.high]),
      ]),
    },
    {
      title: 'Value per decision, whatever the rewards that never came would have been',
      header: ['policy', 'limits'],
      rows: limits.map(({ policy, low, high }) => [policy, formatInterval([low, high])]),
    },
  ]
}

const UNLIKELY = 3.2905
const MANY_CLIPPED = 0.01

export function missingRewardWarnings(found: MissingRewards): readonly EvaluationWarning[] {
  const { rounds, seenShare, clippedShare, deviate } = found
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`
  const warnings: EvaluationWarning[] = [
    {
      code: 'missing-rewards-weighted',
      sentence: `${percent(1 - seenShare)} of ${rounds} rewards never came: those that came stand for them, weighted by 1 / P(one comes | context, action), which is right if nothing else decides whether a reward comes; "limits" hold without that`,
    },
  ]
  if (deviate > UNLIKELY)
    warnings.push({
      code: 'rewards-missing-by-action',
      sentence: 'whether a reward comes depends on the action, beyond what contexts explain',
    })
  if (clippedShare > MANY_CLIPPED)
    warnings.push({
      code: 'rewards-rarely-seen',
      sentence: `${percent(clippedShare)} of the rewards that came have the smallest probability allowed: their weights are cut off`,
    })
  return warnings
}
