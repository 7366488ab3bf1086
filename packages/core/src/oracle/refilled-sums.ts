// Sums of rows whose missing covariates were filled anew. Of [1, x, z, r] only the entries with a column of z in them change; the
// others stay as they were summed. Each entry is summed in row order in one accumulator, so the bits are those of summing anew.

import { copySums, type Sums } from '@primo/numeric'
import type { RewardView } from '../rounds/reward-rows.js'
import type { Design } from './design.js'
import { EVERYWHERE, type RewardFences } from './reward-fences.js'

/** By action, for the rows that `before` has the sums of, with the same weights; null: no row. */
export function refilledSums(
  view: RewardView,
  before: readonly (Sums | null)[],
  { contextWidth: p, covariateWidth: m, fences = EVERYWHERE }: Design,
): readonly (Sums | null)[] {
  const width = p + m + 2
  // By action and column of z: its products with 1, x, z, r.
  const entries = new Float64Array(before.length * m * width)
  addProducts(view, p, m, fences, entries)
  return before.map((sums, a) => {
    if (sums === null) return null
    const made = copySums(sums)
    for (let k = 0; k < m; k++) {
      const from = (a * m + k) * width
      const column = 1 + p + k
      for (let i = 0; i <= column; i++) made.gram[i * width + column] = entries[from + i]!
      made.gram[column * width + width - 1] = entries[from + width - 1]!
    }
    return made
  })
}

function addProducts(
  { count, rows, context, covariates, action, reward, weight }: RewardView,
  p: number,
  m: number,
  { min, max }: RewardFences,
  entries: Float64Array,
): void {
  const width = p + m + 2
  for (let i = 0; i < count; i++) {
    const row = rows[i]!
    const x = row * p
    const r = Math.min(max, Math.max(min, reward[row]!))
    // The first of two factors is weighted, as in the Gram kernel.
    const w = weight === null ? 1 : weight[i]!
    for (let k = 0, at = action[row]! * m * width; k < m; k++) {
      const z = covariates[row * m + k]!
      entries[at] = entries[at]! + w * z
      at++
      for (let j = x; j < x + p; j++, at++) entries[at] = entries[at]! + w * context[j]! * z
      for (let j = row * m; j < row * m + m; j++, at++) entries[at] = entries[at]! + w * covariates[j]! * z
      entries[at] = entries[at]! + w * z * r
      at++
    }
  }
}
