// Which rewards never came (method#missing-rewards), on rounds whose time is over. By action: how many came, how many its contexts
// explain if actions make no difference (sum e(x)), the mean of those that came, the same weighted by 1 / P, and the limits of the mean
// over all its rounds whatever made rewards stay away:  (sum r + missing min) / n  to  (sum r + missing max) / n  (method#reward-limits).
// Whether actions differ: sum_a (came_a - sum e)^2 / sum e (1 - e), a chi-square with K - 1 degrees of freedom.

import { BLOCK_ROUNDS } from '@primo/numeric'
import { chiSquareDeviate } from '../calibration/chi-square-deviate.js'
import type { Engine } from '../engine/engine.js'
import { observationProbability, observationSettings } from '../missingness/observation-model.js'
import { compileRewardSeen, fitRewardObservation, rewardFates } from '../missingness/reward-observation.js'
import { type BlockPart, blockParts } from '../rounds/block-parts.js'
import type { RoundTable } from '../rounds/round-table.js'
import { witnessedRewards } from './witnessed-rewards.js'

/** The rewards of one action: how many came, and what can be said of their mean; rewards in the user's units. */
export interface ActionRewards {
  readonly action: string
  readonly rounds: number
  readonly seenShare: number
  /** Share that would have come if only contexts mattered. */
  readonly expectedShare: number
  /** Mean of rewards that came, as they are and weighted by 1 / P; null: none came. */
  readonly mean: number | null
  readonly weightedMean: number | null
  /** Of the mean over all its rounds, whatever the others would have been. */
  readonly limits: { readonly low: number; readonly high: number }
  /** The same narrowed by signals, which depend on whether the reward came only through context and reward; absent: they say nothing. */
  readonly witnessed?: { readonly low: number; readonly high: number }
}

/** Rewards that never came, on rounds whose time is over. */
export interface MissingRewards {
  readonly rounds: number
  readonly seenShare: number
  /** The smallest P(a reward comes | context, action), and the share of rewards that came whose P is at the floor. */
  readonly smallest: number
  readonly clippedShare: number
  /** How much more actions differ than contexts explain, as a standard normal deviate. */
  readonly deviate: number
  readonly actions: readonly ActionRewards[]
}

const NEWEST_BLOCKS = 4
/** Rewards that came, and that did not, which signals need to say something. */
const FEWEST_WITNESSED = 30

/** The newest rounds before `end`. */
export function newestParts(table: RoundTable, end: number): readonly BlockPart[] {
  return [...blockParts(table, { from: Math.max(0, end - NEWEST_BLOCKS * BLOCK_ROUNDS), to: end })]
}

/** Which rewards never came, by action; null: every one did. */
export function diagnoseMissingRewards(
  parts: readonly BlockPart[],
  { encoding, shape, problem, missingRewards }: Pick<Engine, 'encoding' | 'shape' | 'problem' | 'missingRewards'>,
): MissingRewards | null {
  const fates = rewardFates(parts, shape)
  if (fates === null) return null
  const settings = missingRewards ?? observationSettings({ loss: 'likelihood' })
  const { min, max } = problem.reward
  const unit = problem.reward.mean ?? problem.reward
  const model = fitRewardObservation(fates, encoding.actions.length, settings)
  const seenBy = compileRewardSeen(model, shape)
  const totals = encoding.actions.map(() => ({
    rounds: 0,
    seen: 0,
    expected: 0,
    variance: 0,
    sum: 0,
    weighted: 0,
    weights: 0,
  }))
  let smallest = 1
  let clipped = 0
  for (const { count, context, action, observed, source, rows } of fates.batches) {
    for (let i = 0; i < count; i++) {
      const total = totals[action[i]!]!
      const e = observationProbability(model.pooled, context, i * fates.width)
      total.rounds++
      total.expected += e
      total.variance += e * (1 - e)
      if (observed[i] === 0) continue
      const p = seenBy(source, rows[i]!)
      smallest = Math.min(smallest, p)
      if (p <= settings.floor) clipped++
      const reward = unit.min + (unit.max - unit.min) * source.reward[rows[i]!]!
      total.seen++
      total.sum += reward
      total.weighted += reward / p
      total.weights += 1 / p
    }
  }
  const played = totals.filter(({ rounds, variance }) => rounds > 0 && variance > 0)
  const square = played.reduce((sum, { seen, expected, variance }) => sum + (seen - expected) ** 2 / variance, 0)
  const rounds = totals.reduce((sum, total) => sum + total.rounds, 0)
  const seen = totals.reduce((sum, total) => sum + total.seen, 0)
  return {
    rounds,
    seenShare: seen / rounds,
    smallest,
    clippedShare: seen === 0 ? 0 : clipped / seen,
    deviate: played.length > 1 ? chiSquareDeviate(square, played.length - 1) : 0,
    actions: totals.flatMap((total, a) => {
      if (total.rounds === 0) return []
      const missing = total.rounds - total.seen
      const few = Math.min(missing, total.seen) < FEWEST_WITNESSED
      const set = encoding.signalWidth === 0 || few ? null : witnessedRewards(fates, a, encoding.signalWidth)
      const withMissing = (mean: number) => (total.sum + missing * mean) / total.rounds
      const inUnits = (value: number) => unit.min + (unit.max - unit.min) * value
      return {
        action: encoding.actions[a]!,
        rounds: total.rounds,
        seenShare: total.seen / total.rounds,
        expectedShare: total.expected / total.rounds,
        mean: total.seen === 0 ? null : total.sum / total.seen,
        weightedMean: total.weights === 0 ? null : total.weighted / total.weights,
        limits: { low: withMissing(min), high: withMissing(max) },
        ...(set === null
          ? {}
          : { witnessed: { low: withMissing(inUnits(set.lower)), high: withMissing(inUnits(set.upper)) } }),
      }
    }),
  }
}
