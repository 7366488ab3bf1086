// Two policies on the same log: their difference by each estimator, with the standard error of the paired rows. What both
// would have done alike cancels, so that the difference is known better than either value.

import type { EstimatorName } from './estimators.js'
import type { EvaluatedPolicy } from './evaluate-policy.js'
import { type EvaluationInterval, influence, ratio, studentEstimate } from './intervals.js'

/** How much more one policy would have earned than another, by each estimator. */
export interface PolicyDifference {
  readonly policy: string
  readonly against: string
  readonly estimator: EstimatorName
  /** Value of the policy less that of the other. */
  readonly difference: number
  readonly standardError: number
  /** null: the terms do not show the error. */
  readonly asymptotic: EvaluationInterval | null
}

/** By every estimator that both have. */
export function comparePolicies(one: EvaluatedPolicy, other: EvaluatedPolicy): readonly PolicyDifference[] {
  const found: PolicyDifference[] = []
  const { level } = one.evaluation
  for (const [estimator, terms] of one.terms) {
    const against = other.terms.get(estimator)
    if (against === undefined) continue
    const difference = ratio(terms) - ratio(against)
    const second = influence(against)
    const paired = influence(terms).map((phi, i) => phi - second[i]!)
    const { standardError, asymptotic } = studentEstimate(difference, paired, level, terms.modelled === true)
    found.push({
      policy: one.evaluation.policy,
      against: other.evaluation.policy,
      estimator,
      difference,
      standardError,
      asymptotic,
    })
  }
  return found
}
