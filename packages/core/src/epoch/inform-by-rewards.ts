// The correction that rewards of missing rows make (method#reward-informed), where two things speak for it: it predicts held-out rewards
// better, and rows where the value was seen do not err in the way that it would stand in for (calibration/reward-placebo.ts, at 5%).

import { type Correction, inputPart, uncorrected } from '../calibration/correction.js'
import { informedRidge, rewardInformed } from '../calibration/reward-informed.js'
import { PLACEBO_LIMIT, rewardPlacebo } from '../calibration/reward-placebo.js'
import type { RewardInput } from '../calibration/reward-probe.js'
import type { BlockPart } from '../rounds/block-parts.js'

export interface InformInput {
  /** On all rounds. */
  readonly rewards: RewardInput
  /** Rounds whose seen rows are the placebo. */
  readonly seen: readonly BlockPart[]
  /** What it starts from; with `fallback` g~ itself. */
  readonly calibrated: Correction
  readonly fallback: boolean
  /** Those of the calibration, by column of the rich basis. */
  readonly ridges: Float64Array
}

export interface Informed {
  /** Null: it does not hold. */
  readonly correction: Correction | null
  /** Mean squared residual of held-out missing rows with it. */
  readonly loss: number
  /** Null: not tried. */
  readonly placebo: number | null
}

export function informByRewards({ rewards, seen, calibrated, fallback, ridges }: InformInput): Informed {
  const { moved: _, ...fromPretrained } = rewards
  const start = fallback ? fromPretrained : rewards
  const from = fallback ? [] : calibrated.coefficients[0]!
  const best = informedRidge(start, from, ridges)
  const loss = best.after
  if (loss >= best.before) return { correction: null, loss, placebo: null }
  const coefficients = rewardInformed(start, from, best.ridges)
  const change = coefficients.map((value, k) => value - (from[k] ?? 0))
  const placebo = rewardPlacebo({ ...start, parts: seen }, change)
  if (placebo > PLACEBO_LIMIT) return { correction: null, loss, placebo }
  const kept = fallback || calibrated.map === undefined ? {} : { map: calibrated.map }
  const own = inputPart(rewards.basis)
  return {
    correction: { ...uncorrected(calibrated), class: 'rich', ...own, coefficients: [coefficients], ...kept },
    loss,
    placebo,
  }
}
