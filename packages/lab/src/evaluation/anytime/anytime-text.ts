// What an evaluation that holds at all times comes to: one sentence, and a table.

import { formatEstimate, formatInterval, levelText } from '../../report/number-format.js'
import type { StudyTable } from '../../report/study.js'
import { FEWEST_DEGREES } from '../evaluate-policy.js'
import type { EvaluationInterval } from '../intervals.js'
import { TOO_FEW } from '../readable-evaluation.js'
import type { AnytimeEvaluation, AnytimeLimits } from './evaluate-anytime.js'

/** null: nothing is compared. */
export function anytimeConclusion({ differences, mayBeBest, level, rows }: AnytimeEvaluation): string | null {
  const best = differences.reduce<AnytimeEvaluation['differences'][number] | null>(
    (found, one) => (found === null || one.anytime.low > found.anytime.low ? one : found),
    null,
  )
  if (best === null) return null
  const { policy, against, anytime } = best
  const other = against === 'logged' ? 'what was played' : against
  const sure = `${levelText(level)} sure, however often one looks; ${rows.toLocaleString('en')} decisions so far`
  const limits = formatInterval([anytime.low, anytime.high])
  const still =
    mayBeBest.length === 1
      ? `Best of those compared: ${mayBeBest[0]}`
      : `May each still be best: ${mayBeBest.join(', ')}`
  if (anytime.low > 0) return `${policy} is better than ${other}: ${limits} more per decision (${sure}). ${still}.`
  if (differences.every((one) => one.anytime.high < 0))
    return `No policy is better than ${other}: the best, ${policy}, earns ${formatInterval([-anytime.high, -anytime.low])} less per decision (${sure}).`
  return `${policy} and ${other} cannot be told apart yet: the difference is ${limits} per decision (${sure}). ${still}.`
}

/** `few`: policies that the log says too little about to estimate them. */
export function anytimeTables(
  { policies, differences, mayBeBest, decidedAfter }: AnytimeEvaluation,
  few: ReadonlySet<string>,
): StudyTable[] {
  const state = (policy: string) =>
    !mayBeBest.includes(policy) ? 'no' : decidedAfter === null ? 'yes' : `the only one, after ${decidedAfter} rows`
  const cells = ({ policy, anytime, atEnd }: AnytimeLimits & { readonly policy: string }) => [
    few.has(policy) ? TOO_FEW : formatEstimate({ mean: atEnd.value, standardError: atEnd.standardError }),
    limits(anytime),
    few.has(policy)
      ? '-'
      : atEnd.asymptotic !== null && atEnd.degrees < FEWEST_DEGREES
        ? `${limits(atEnd.asymptotic)} !`
        : limits(atEnd.asymptotic),
  ]
  return [
    {
      title: 'Value per decision on a log of a learning policy',
      header: ['policy', 'value', 'at all times', 'at this row', 'may be best'],
      rows: policies.map((one) => [one.policy, ...cells(one), state(one.policy)]),
    },
    {
      title: `Difference from ${differences[0]?.against ?? 'what was played'}`,
      header: ['policy', 'difference', 'at all times', 'at this row'],
      rows: differences.map((one) => [one.policy, ...cells(one)]),
    },
  ]
}

function limits(found: EvaluationInterval | null): string {
  return found === null ? '-' : formatInterval([found.low, found.high])
}
