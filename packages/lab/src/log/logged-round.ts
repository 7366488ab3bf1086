// A row of a decision log as the round that an engine learns from or is evaluated on, and the problem that a log is about.

import type { CovariateSpec, Feature, FeatureValue, LoggedRound, Prediction, Problem } from '@primo/core'
import { type LogRow, modelSdColumn, predictionColumns, type RewardStatus } from './log-columns.js'
import { type LogHeader, levelsOf } from './log-header.js'

/** The problem behind a log; predictions come from its columns. */
export function problemOfLog(header: LogHeader): Problem {
  const { context, actions, reward } = header
  const covariates = Object.entries(header.covariates).map(([name, given]): [string, CovariateSpec] => {
    const { reveals, ...feature } = given
    const imputer = { kind: 'column' } as const
    // The audit behind random reveals is not in a log's header: such truths are kept and not learnt from.
    return [name, reveals === 'context' ? { ...feature, imputer, reveals } : { ...feature, imputer }]
  })
  const { min, max, mean } = reward
  return {
    context,
    covariates: Object.fromEntries(covariates),
    actions,
    reward: mean === undefined ? { min, max } : { min, max, mean },
  }
}

const FINAL: readonly RewardStatus[] = ['closed', 'default']

/** The reward if it is final, else null. */
export function finalReward(row: LogRow): number | null {
  return FINAL.includes(row.rewardStatus as RewardStatus) ? ((row.reward as number | null | undefined) ?? null) : null
}

/** A row of a log as a round that a learner can start from. */
export function loggedRound(header: LogHeader, row: LogRow): LoggedRound {
  const names = Object.keys(header.covariates)
  const valuesOf = (group: string) =>
    Object.fromEntries(names.map((name) => [name, (row[`${group}.${name}`] ?? null) as FeatureValue | null]))
  const predictionsOf = (group: 'pretrained' | 'imputed') =>
    Object.fromEntries(names.map((name) => [name, predictionOf(group, name, header.covariates[name]!, row)]))
  return {
    id: row.decisionId as string,
    context: Object.fromEntries(
      Object.keys(header.context).map((name) => [name, row[`context.${name}`] as FeatureValue]),
    ),
    covariates: valuesOf('covariate'),
    predictions: predictionsOf('pretrained'),
    imputed: predictionsOf('imputed'),
    revealed: valuesOf('revealed'),
    action: row.action as string,
    propensity: row.propensity as number,
    reward: finalReward(row),
  }
}

function predictionOf(group: 'pretrained' | 'imputed', name: string, feature: Feature, row: LogRow): Prediction | null {
  const cells = predictionColumns(group, name, feature).map((column) => row[column] ?? null)
  if (feature.type !== 'category') {
    const value = cells[0] as number | null
    const sd = group === 'pretrained' && feature.type === 'number' ? (row[modelSdColumn(name)] ?? null) : null
    return value === null || sd === null ? value : { value, sd: sd as number }
  }
  if (cells.every((cell) => cell === null)) return null
  return Object.fromEntries(levelsOf(feature).map((level, k) => [level, Number(cells[k] ?? 0)]))
}
