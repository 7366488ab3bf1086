// How often the clip moves a reward model's predictions, measured on the newest rows.

import type { RewardView } from '../rounds/reward-rows.js'
import { type SummableRows, viewOf } from './action-sums.js'
import { scoreListed, startOf } from './newest-rows.js'
import type { RewardScorer } from './oracle.js'
import type { RewardClip } from './reward-clip.js'

/** Rows that the share is measured on. */
const CLIP_SAMPLE = 512

/** Share of all predictions on the newest rows that lie outside the clip; the scorer does not clip. */
export function clippedShare(rows: SummableRows, clip: RewardClip, scorer: RewardScorer): number {
  const newest = newestView(rows)
  if (newest === undefined) return 0
  const actions = rows.actionCount
  const first = Math.max(0, newest.count - CLIP_SAMPLE)
  let outside = 0
  scoreListed(scorer, actions, false, newest, newest.rows, first, newest.count, (scores, _widths, _at, count) => {
    outside += countOutside(scores, count * actions, clip)
  })
  return outside / ((newest.count - first) * actions)
}

function countOutside(scores: Float64Array, count: number, { min, max }: RewardClip): number {
  let outside = 0
  for (let k = 0; k < count; k++) if (scores[k]! < min || scores[k]! > max) outside++
  return outside
}

/** The last rows: all that are wanted, where the last batch or part has so many. */
function newestView({ batches, parts }: SummableRows): RewardView | undefined {
  const last = parts === undefined ? undefined : [...parts].at(-1)
  if (last !== undefined) return last.view(startOf(last, CLIP_SAMPLE))
  let newest: RewardView | undefined
  if (parts === undefined) for (const batch of batches) newest = viewOf(batch)
  return newest
}
