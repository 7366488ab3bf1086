// Whether the correction of a model helps where the value is missing: said only where the intervals of the errors are apart.

import type { MissingSetDiagnosis } from '@primo/core'
import { figure, percent } from '../../charts/number-format.js'
import type { ErrorByEpoch } from './learnt.js'

export function correctionSentence(covariate: string, rows: readonly ErrorByEpoch[]): string {
  const last = rows.at(-1)
  if (last === undefined) return `Too few values of ${covariate} were seen to judge its model`
  const { pretrained, calibrated, pretrainedLimits, calibratedLimits } = last
  if (calibratedLimits[1] < pretrainedLimits[0])
    return `The correction cut the error of missing ${covariate} by ${percent(1 - calibrated / pretrained)}`
  if (calibratedLimits[0] > pretrainedLimits[1])
    return `A correction would make the error of ${covariate} larger here; the checks decide what is used`
  return `Whether a correction helps with ${covariate} is not settled yet`
}

type Limits = Pick<MissingSetDiagnosis, 'limits' | 'used'>

/** Whether the value in use contradicts what rewards allow. */
export function usedOutside({ limits, used }: Limits): boolean {
  return limits !== null && (used < limits.lower || used > limits.upper)
}

/** The range of the missing values' mean that rewards allow, regardless of why they are missing. */
export function setSentence({ limits, used, settledShare }: MissingSetDiagnosis): string {
  if (limits === null) return 'No values agree with the rewards where it is missing.'
  const within = `${figure(limits.lower)} to ${figure(limits.upper)}`
  const mean = usedOutside({ limits, used })
    ? `Rewards allow a mean of ${within} where it is missing. Primo uses ${figure(used)}, which lies outside.`
    : `If values are hidden on purpose, their mean could be ${within}; Primo uses ${figure(used)}.`
  return settledShare === null
    ? mean
    : `${mean} For ${percent(settledShare)} of such decisions the best action is the same in all of that range.`
}
