// The rewards that were seen, as a unit: users declare wide ranges to be safe. Predictions stay inside the seen range and half of it on
// either side, where the declared one would let them go further, and a width is at most the seen range.

import { BLOCK_ROUNDS } from '@primo/numeric'
import { allClosed } from '../rounds/closed-counts.js'
import { type RoundBlock, RoundStatus } from '../rounds/round-table.js'
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
  const see = (range: SeenRewards) => {
    min = Math.min(min, range.min)
    max = Math.max(max, range.max)
  }
  if (parts === undefined) for (const { count, reward } of batches) see(rangeOf(reward, 0, count))
  else {
    // Observed and imputed rows of a block are two parts of the same rounds.
    let before: object | null = null
    for (const { block, start, end } of parts) {
      if (block !== before) see(seenInBlock(block, start, end))
      before = block
    }
  }
  min = Math.max(min, fences.min)
  max = Math.min(max, fences.max)
  return min < max ? { min, max } : null
}

/** Of blocks whose rounds are all closed. */
const kept = new WeakMap<RoundBlock, SeenRewards>()

function seenInBlock(block: RoundBlock, start: number, end: number): SeenRewards {
  if (start !== 0 || end !== BLOCK_ROUNDS || !allClosed(block, start, end))
    return rangeOf(block.reward, start, end, block.status)
  let range = kept.get(block)
  if (range === undefined) {
    range = rangeOf(block.reward, start, end)
    kept.set(block, range)
  }
  return range
}

/** With a status, only of closed rounds. */
function rangeOf(reward: Float64Array, start: number, end: number, status?: Uint8Array): SeenRewards {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let row = start; row < end; row++) {
    if (status !== undefined && status[row] !== RoundStatus.closed) continue
    const value = reward[row]!
    if (value < min) min = value
    if (value > max) max = value
  }
  return { min, max }
}

export function clipToSeen(clip: RewardClip | null, seen: SeenRewards | null): RewardClip | null {
  if (clip === null || seen === null) return clip
  const half = (seen.max - seen.min) / 2
  return { min: Math.max(clip.min, seen.min - half), max: Math.min(clip.max, seen.max + half) }
}
