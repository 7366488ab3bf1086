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

/** What rewards say of the mean where the value is missing, whatever made it missing. */
export function setSentence({ limits, used, excluded, settledShare }: MissingSetDiagnosis): string {
  if (limits === null) return 'No values agree with the rewards where it is missing.'
  const within = `between ${figure(limits.lower)} and ${figure(limits.upper)}`
  const settled =
    settledShare === null
      ? ''
      : ` For ${percent(settledShare)} of such decisions the best action is the same for all of that.`
  return excluded
    ? `Where it is missing, rewards put its mean ${within}, not at ${figure(used)} as used: whatever made it missing, the correction is off.${settled}`
    : `Where it is missing, its mean is ${within} by rewards, whatever made it missing (used: ${figure(used)}).${settled}`
}
