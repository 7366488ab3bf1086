// The rewards that were seen, as a unit: users declare wide ranges to be safe. Predictions stay inside the seen range and half of it on
// either side, where the declared one would let them go further, and a width is at most the seen range.

import { RoundStatus } from '../rounds/round-table.js'
import type { SummableRows } from './action-sums.js'
import type { RewardClip } from './reward-clip.js'
import { EVERYWHERE } from './reward-fences.js'

export interface SeenRewards {
  readonly min: number
  readonly max: number
}

/** Null: no rewards, or all alike. */
export function seenRewards({ batches, parts }: SummableRows, fences = EVERYWHERE): SeenRewards | null {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  const see = (reward: number) => {
    if (reward < min) min = reward
    if (reward > max) max = reward
  }
  if (parts === undefined) {
    for (const { count, reward } of batches) for (let row = 0; row < count; row++) see(reward[row]!)
  } else {
    // Observed and imputed rows of a block are two parts of the same rounds.
    let before: object | null = null
    for (const { block, start, end } of parts) {
      if (block === before) continue
      before = block
      for (let row = start; row < end; row++) if (block.status[row] === RoundStatus.closed) see(block.reward[row]!)
    }
  }
  min = Math.max(min, fences.min)
  max = Math.min(max, fences.max)
  return min < max ? { min, max } : null
}

export function clipToSeen(clip: RewardClip | null, seen: SeenRewards | null): RewardClip | null {
  if (clip === null || seen === null) return clip
  const half = (seen.max - seen.min) / 2
  return { min: Math.max(clip.min, seen.min - half), max: Math.min(clip.max, seen.max + half) }
}
