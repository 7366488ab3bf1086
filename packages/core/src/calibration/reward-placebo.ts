// A placebo of what rewards say about missing values (method#mar-test). d(x, g~) is the change that rewards of missing rows make in the
// correction. On rows where the value was seen there is nothing to correct, so with u = r - f(x, z, a) and v = slope d
//   t = sum v u / sqrt(sum v^2 u^2)
// is about standard normal where the reward model is right, whatever made values go missing. It is large where the model is wrong in
// just the way that d stands in for, since then rows with the value err in the same way.

import { addDots } from '@primo/numeric'
import { expandMissing, MISSING_ROWS, seenRows } from './missing-rows.js'
import { type RewardInput, rewardProbe } from './reward-probe.js'

/** One-sided 5% point of the standard normal: beyond it the reward model is wrong. */
export const PLACEBO_LIMIT = 1.6449

/** `change`: coefficients of d in the basis. */
export function rewardPlacebo(input: RewardInput, change: readonly number[]): number {
  const { parts, encoding, which, basis } = input
  const probe = rewardProbe(input)
  const width = encoding.covariateWidth
  const { at } = encoding.covariates[which]!
  const z = new Float64Array(MISSING_ROWS)
  const slopes = new Float64Array(MISSING_ROWS)
  const values = new Float64Array(MISSING_ROWS)
  const changes = new Float64Array(MISSING_ROWS)
  let product = 0
  let square = 0
  for (const rows of seenRows(parts, encoding, which, basis)) {
    for (let row = 0; row < rows.count; row++) z[row] = rows.covariates[row * width + at]!
    expandMissing(rows, basis)
    changes.fill(0)
    addDots(rows.b, rows.count, basis.columns, change, change.length, changes)
    probe.begin(rows)
    probe.slopesAt(rows, z, slopes)
    probe.valuesAt(rows, z, values)
    for (let row = 0; row < rows.count; row++) {
      const term = slopes[row]! * changes[row]! * (rows.reward[row]! - values[row]!)
      product += term
      square += term * term
    }
  }
  return square > 0 ? product / Math.sqrt(square) : 0
}
