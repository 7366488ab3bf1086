// Limits of an action's mean reward where the reward itself may decide whether it comes, narrowed by signals (method#reward-limits): a
// signal that depends on whether the reward came only through context and reward is a witness of those that did not (method#missing-set).
// The mean of the missing ones then lies in the set that the witnesses allow, inside the range of rewards that came.

import { missingSet, type Witness } from '../bounds/missing-set.js'
import type { RewardFates } from '../missingness/reward-observation.js'

/** 95% limits of the mean of an action's rewards that did not come, in units of the mean reward's range; null: signals say nothing. */
export function witnessedRewards(
  { width, batches }: RewardFates,
  action: number,
  signalWidth: number,
): { readonly lower: number; readonly upper: number } | null {
  const rows = batches.flatMap((batch) =>
    batch.rows.flatMap((row, i) => (batch.action[i] === action ? [{ batch, row, i }] : [])),
  )
  const count = rows.length
  const context = new Float64Array(count * width)
  rows.forEach(({ batch, i }, k) => {
    context.set(batch.context.subarray(i * width, (i + 1) * width), k * width)
  })
  const observed = Uint8Array.from(rows, ({ batch, i }) => batch.observed[i]!)
  const witnesses = Array.from({ length: signalWidth }, (_, s): Witness => {
    const values = Float64Array.from(
      rows,
      ({ batch, row }) => batch.source.signals?.[row * signalWidth + s] ?? Number.NaN,
    )
    return { name: `signal ${s}`, values, group: null, weights: null }
  })
  const covariate = Float64Array.from(rows, ({ batch, row, i }) =>
    batch.observed[i] === 1 ? batch.source.reward[row]! : 0,
  )
  const { set, equations } = missingSet({ count, context, contextWidth: width, observed, covariate, witnesses })
  return equations === 0 ? null : set
}
