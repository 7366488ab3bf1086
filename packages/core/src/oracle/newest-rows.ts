// Walks over the newest rows of a fit, to look at what its model says there.

import type { RewardPart, RewardView } from '../rounds/reward-rows.js'
import { type SummableRows, viewOf } from './action-sums.js'

/** Of each kind of rows (observed, imputed) of the newest block the newest `most`, and of blocks before until there are as many. */
export function visitNewest(
  { batches, parts }: SummableRows,
  most: number,
  visit: (view: RewardView, row: number) => void,
): void {
  let seen = 0
  const look = (view: RewardView) => {
    const first = Math.max(0, view.count - most)
    for (let i = first; i < view.count; i++) visit(view, view.rows[i]!)
    seen += view.count - first
  }
  if (parts === undefined) {
    let last: RewardView | undefined
    for (const batch of batches) last = viewOf(batch)
    if (last !== undefined) look(last)
    return
  }
  let block: RewardPart['block'] | null = null
  for (const part of [...parts].reverse()) {
    if (part.block !== block && seen >= most) return
    block = part.block
    look(part.view(startOf(part, most)))
  }
}

/** Where the newest rows of a part begin, at the latest. */
function startOf({ start, end, count, countBefore }: RewardPart, most: number): number {
  let from = Math.max(start, end - 2 * most)
  while (from > start && count - countBefore(from) < most) from = Math.max(start, from - most)
  return from
}
