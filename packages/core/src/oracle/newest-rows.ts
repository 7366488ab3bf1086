// Walks over the newest rows of a fit, to look at what its model says there.

import type { RewardPart } from '../rounds/reward-rows.js'
import type { InputRow, RewardScorer } from './oracle.js'

/** Where the newest rows of a part begin, at the latest. */
export function startOf({ start, end, count, countBefore }: RewardPart, most: number): number {
  let from = Math.max(start, end - 2 * most)
  while (from > start && count - countBefore(from) < most) from = Math.max(start, from - most)
  return from
}

/** Rows that are scored before the next ones. */
const CHUNK = 64

/** Scores rows[first ... end - 1] of the input, some at a time; `use` gets what is row-major by action, for rows from `at` on. */
export function scoreListed(
  scorer: RewardScorer,
  actions: number,
  wantsWidths: boolean,
  input: InputRow,
  rows: Int32Array,
  first: number,
  end: number,
  use: (scores: Float64Array, widths: Float64Array, at: number, count: number) => void,
): void {
  const scores = new Float64Array(CHUNK * actions)
  const widths = new Float64Array(CHUNK * actions)
  for (let at = first; at < end; at += CHUNK) {
    const count = Math.min(CHUNK, end - at)
    if (scorer.scoreRows !== undefined) scorer.scoreRows(input, at, count, scores, wantsWidths ? widths : null, rows)
    else
      for (let i = 0; i < count; i++) {
        scorer.scores(input, rows[at + i]!, scores.subarray(i * actions, (i + 1) * actions))
        if (wantsWidths) scorer.widths(widths.subarray(i * actions, (i + 1) * actions))
      }
    use(scores, widths, at, count)
  }
}
