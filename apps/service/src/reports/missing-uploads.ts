// Decisions that callers made themselves and that never arrived. Their actions and rewards are unknown. If all m of
// them were action a, its mean over n rewards with sum S would be between (S + m min) / (n + m) and (S + m max) / (n +
// m).

import type { ProblemSummary } from '@primo/contract'
import { noUploadGaps, uploadTotals } from '@primo/core/ledger'
import type { ProblemRow } from '../ledger/book.js'

type Uploads = ProblemSummary['uploads']

export function uploadsOf({ book, definition }: Pick<ProblemRow, 'book' | 'definition'>): Uploads {
  const { uploads = noUploadGaps(), tally } = book
  const { decisions, missing } = uploadTotals(uploads)
  const { min, max } = definition.reward
  const limits = Object.entries(missing === 0 ? {} : tally.actions).map(([action, { reward }]) => {
    const count = reward.count + missing
    return [action, { low: (reward.sum + missing * min) / count, high: (reward.sum + missing * max) / count }] as const
  })
  return { decisions, missing, callers: uploads.callers, limits: Object.fromEntries(limits) }
}

/** A warning where missing decisions could move the mean of an action by more than its standard error. */
export function missingUploads(
  { decisions, missing, callers, limits }: Uploads,
  actions: ProblemSummary['actions'],
): readonly string[] {
  const moved = Object.entries(limits).filter(([action, { low, high }]) => {
    const { mean, standardError } = actions[action]!.reward
    return standardError !== null && Math.max(high - mean!, mean! - low) > standardError
  })
  if (moved.length === 0) return []
  const from = Object.entries(callers).filter((caller) => caller[1].missing > 0)
  const text = (value: number) => String(Number(value.toPrecision(3)))
  const means = moved.map(([action, { low, high }]) => `${action} ${text(low)} to ${text(high)}`)
  const callersOf = listed(from.map(([name, tally]) => `${name} (${tally.missing})`))
  const counts = `${missing} of ${decisions + missing} decisions of local callers never arrived: ${callersOf}`
  return [`${counts}; if all of them were one action, its mean reward would be: ${listed(means)}`]
}

/** At most five. */
function listed(items: readonly string[]): string {
  return items.length <= 5 ? items.join(', ') : `${items.slice(0, 5).join(', ')} and ${items.length - 5} more`
}
