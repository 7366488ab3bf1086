// Rounds as a reward fit counts them where rewards are missing or late (method#missing-rewards, method#early-signals). A closed round
// counts 1 / P(its reward is seen), scaled so that an action's rounds count as many as they are worth, (sum w)^2 / sum w^2. An open
// round with all its signals stands for a closed one with the reward and the weight that signals give it, until it closes. The table
// itself stays as it is.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import { compileRewardSeen, fitRewardObservation, rewardFates } from '../missingness/reward-observation.js'
import { type BlockPart, blockParts, type RoundRange } from '../rounds/block-parts.js'
import type { RoundBlock, RoundTable, TableShape } from '../rounds/round-table.js'
import { eachClosed, earlyRounds, type SignalsReport, withEarlyRounds } from './early-rounds.js'

/** What was made up for rewards that did not come, at one end of an epoch. */
export interface MissingRewardsReport {
  /** Share of the rounds whose time is over that had a reward. */
  readonly seenShare: number
  /** The smallest probability used, and the share of closed rounds that have the floor. */
  readonly smallest: number
  readonly clippedShare: number
  /** By action: what its closed rounds are worth over how many they are. */
  readonly effectiveShares: readonly number[]
}

export interface WeightedRounds {
  readonly rounds: RoundTable
  readonly weigh: (block: RoundBlock, row: number) => number
  readonly missingRewards?: MissingRewardsReport
  readonly signals?: SignalsReport
}

type Settings = Pick<Engine, 'encoding' | 'missingRewards'>

/** null: all closed rounds count alike, and no others. */
export function weightedRounds(rounds: RoundTable, memory: RoundRange, settings: Settings): WeightedRounds | null {
  const { encoding } = settings
  if (settings.missingRewards === null && encoding.signalWidth === 0) return null
  const parts = [...blockParts(rounds, memory)]
  const weights = new Map(parts.map(({ block }) => [block.index, new Float64Array(BLOCK_ROUNDS).fill(1)]))
  const weightOf = (block: RoundBlock, row: number) => weights.get(block.index)![row]!
  const missingRewards = weighSeen(parts, rounds.shape, settings, weights)
  const early = encoding.signalWidth === 0 ? null : earlyRounds(parts, rounds.shape, encoding, weightOf)
  if (missingRewards === null && early === null) return null
  const counted = early === null ? rounds : withEarlyRounds(rounds, parts, early, weights)
  return {
    rounds: counted,
    weigh: weightOf,
    ...(missingRewards === null ? {} : { missingRewards }),
    ...(early === null ? {} : { signals: early.report }),
  }
}

function weighSeen(
  parts: readonly BlockPart[],
  shape: TableShape,
  { missingRewards: settings, encoding }: Settings,
  weights: ReadonlyMap<number, Float64Array>,
): MissingRewardsReport | null {
  const fates = settings === null ? null : rewardFates(parts, shape)
  if (settings === null || fates === null) return null
  const actions = encoding.actions.length
  const seenBy = compileRewardSeen(fitRewardObservation(fates, actions, settings), shape)
  const totals = Array.from({ length: actions }, () => ({ rounds: 0, sum: 0, squares: 0 }))
  let smallest = 1
  let clipped = 0
  eachClosed(parts, (block, row) => {
    const p = seenBy(block, row)
    const total = totals[block.action[row]!]!
    weights.get(block.index)![row] = 1 / p
    smallest = Math.min(smallest, p)
    if (p <= settings.floor) clipped++
    total.rounds++
    total.sum += 1 / p
    total.squares += 1 / (p * p)
  })
  eachClosed(parts, (block, row) => {
    const { sum, squares } = totals[block.action[row]!]!
    const own = weights.get(block.index)!
    own[row] = (own[row]! * sum) / squares
  })
  const over = fates.batches.reduce((sum, { count }) => sum + count, 0)
  const seen = fates.batches.reduce((sum, { observed }) => sum + observed.reduce((all, flag) => all + flag, 0), 0)
  const closed = totals.reduce((sum, total) => sum + total.rounds, 0)
  return {
    seenShare: seen / over,
    smallest,
    clippedShare: closed === 0 ? 0 : clipped / closed,
    effectiveShares: totals.map((total) => (total.rounds === 0 ? 0 : total.sum ** 2 / total.squares / total.rounds)),
  }
}
