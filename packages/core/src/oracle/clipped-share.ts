// How often the clip moves a reward model's predictions, measured on the newest rows.

import type { RewardPart, RewardView } from '../rounds/reward-rows.js'
import { type SummableRows, viewOf } from './action-sums.js'
import type { InputRow } from './oracle.js'
import type { RewardClip } from './reward-clip.js'

/** Rows that the share is measured on. */
const CLIP_SAMPLE = 512

/** Share of all predictions on the newest rows that lie outside the clip; `score` writes them unclipped, one per action. */
export function clippedShare(
  rows: SummableRows,
  { min, max }: RewardClip,
  score: (input: InputRow, row: number, out: Float64Array) => void,
): number {
  const newest = newestView(rows)
  if (newest === undefined) return 0
  const scores = new Float64Array(rows.actionCount)
  const first = Math.max(0, newest.count - CLIP_SAMPLE)
  let outside = 0
  for (let i = first; i < newest.count; i++) {
    score(newest, newest.rows[i]!, scores)
    for (let a = 0; a < scores.length; a++) if (scores[a]! < min || scores[a]! > max) outside++
  }
  return outside / ((newest.count - first) * scores.length)
}

/** The last rows: all that are wanted, where the last batch or part has so many. */
function newestView({ batches, parts }: SummableRows): RewardView | undefined {
  const last = parts === undefined ? undefined : [...parts].at(-1)
  if (last !== undefined) return last.view(newestRows(last))
  let newest: RewardView | undefined
  if (parts === undefined) for (const batch of batches) newest = viewOf(batch)
  return newest
}

/** Where the newest rows of the part begin, at the latest. */
function newestRows({ start, end, count, countBefore }: RewardPart): number {
  let from = Math.max(start, end - 2 * CLIP_SAMPLE)
  while (from > start && count - countBefore(from) < CLIP_SAMPLE) from = Math.max(start, from - CLIP_SAMPLE)
  return from
}
