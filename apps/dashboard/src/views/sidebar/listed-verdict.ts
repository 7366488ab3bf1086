// The verdict of a problem of the list, the same as on its own page: of the demo, against the best rival.

import type { Comparison } from '@primo/contract'
import { type ProblemStatus, statusOf } from '../problem/problem-status.js'
import { comparisonVerdict, type Verdict, valueVerdict } from '../problem/verdict.js'
import type { ListedProblem } from './use-problems.js'

export function listedVerdict(listed: ListedProblem, comparisons: readonly Comparison[]): Verdict {
  const { problem, summary } = listed
  const compared = comparisons.find((one) => one.problem === problem)
  return compared === undefined ? earnedVerdict(listed) : comparisonVerdict(compared, summary)
}

/** What it earned, against doing without Primo. */
export function earnedVerdict({ info, summary, trend }: ListedProblem): Verdict {
  return valueVerdict(info.definition, summary, trend.value)
}

export function listedStatus(listed: ListedProblem, comparisons: readonly Comparison[]): ProblemStatus {
  return statusOf(listed.summary, listedVerdict(listed, comparisons))
}
