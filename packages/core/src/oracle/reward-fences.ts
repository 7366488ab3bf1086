// Fences for rewards with heavy tails: a fit takes a reward outside for the nearer fence. They stand three interquartile ranges outside the
// quartiles of the newest rewards, where normal noise never comes. Taking rewards to them must not move means, so there are fences
// only where rewards lie beyond both, of every action few and about as many above as below; rare large rewards are left alone, and so
// is an action whose rewards are all far from those of quieter ones.

import { RoundStatus } from '../rounds/round-table.js'
import type { SummableRows } from './action-sums.js'

export interface RewardFences {
  readonly min: number
  readonly max: number
}

export const EVERYWHERE: RewardFences = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY }

const NEWEST = 4096
const RANGES = 3
/** Rewards beyond each fence, at least. */
const BEYOND = 3
/** Part of an action's rewards that lie beyond the fences, at most. */
const MAX_SHARE = 0.1
/** Standard errors that the numbers above and below may differ by. */
const ERRORS = 3

/** The fences before stay where they are about right; undefined: none are needed. */
export function rewardFences(rows: SummableRows, before: RewardFences | undefined): RewardFences | undefined {
  const { rewards, actions } = newestRewards(rows)
  const sorted = rewards.slice().sort()
  if (sorted.length === 0) return undefined
  const low = sorted[Math.floor(sorted.length / 4)]!
  const high = sorted[Math.floor((3 * sorted.length) / 4)]!
  const range = high - low
  if (!(range > 0)) return undefined
  const min = low - RANGES * range
  const max = high + RANGES * range
  const above = new Float64Array(rows.actionCount)
  const below = new Float64Array(rows.actionCount)
  const counts = new Float64Array(rows.actionCount)
  rewards.forEach((reward, i) => {
    counts[actions[i]!]!++
    if (reward > max) above[actions[i]!]!++
    if (reward < min) below[actions[i]!]!++
  })
  const total = (some: Float64Array) => some.reduce((sum, count) => sum + count, 0)
  if (total(above) < BEYOND || total(below) < BEYOND) return undefined
  const areTails = above.every((up, a) => {
    const beyond = up + below[a]!
    return beyond <= MAX_SHARE * counts[a]! + 1 && Math.abs(up - below[a]!) <= ERRORS * Math.sqrt(beyond) + 1
  })
  if (!areTails) return undefined
  const near = before !== undefined && Math.abs(min - before.min) <= range && Math.abs(max - before.max) <= range
  return near ? before : { min, max }
}

function newestRewards({ batches, parts }: SummableRows): {
  readonly rewards: Float64Array
  readonly actions: Uint16Array
} {
  if (parts === undefined) {
    const all: number[] = []
    const taken: number[] = []
    for (const { count, reward, action } of batches) {
      for (let row = 0; row < count; row++) {
        all.push(reward[row]!)
        taken.push(action[row]!)
      }
    }
    return { rewards: Float64Array.from(all.slice(-NEWEST)), actions: Uint16Array.from(taken.slice(-NEWEST)) }
  }
  const rewards = new Float64Array(NEWEST)
  const actions = new Uint16Array(NEWEST)
  let count = 0
  let before: object | null = null
  for (const { block, start, end } of [...parts].reverse()) {
    if (block === before) continue
    before = block
    for (let row = end - 1; row >= start && count < NEWEST; row--) {
      if (block.status[row] !== RoundStatus.closed) continue
      rewards[count] = block.reward[row]!
      actions[count++] = block.action[row]!
    }
  }
  return { rewards: rewards.subarray(0, count), actions: actions.subarray(0, count) }
}
