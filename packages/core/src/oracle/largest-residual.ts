// The largest residual of a reward model: how far rewards go from what is expected of them. Of all actions on the newest rows, and of each
// action what was seen of it before: that counts half for every 512 rounds of its own since, so that an action that was left does not
// lose its rare rewards because others are played.

import type { SummableRows } from './action-sums.js'
import { visitNewest } from './newest-rows.js'
import type { InputRow } from './oracle.js'
import type { ActionNoise } from './reward-noise.js'

const ROWS = 512
/** Rounds of an action that halve what it showed before. */
const REMEMBERED_ROUNDS = 512

/** By action, on the newest rows; `score` writes the model's scores of a row, one per action. */
export function largestResiduals(
  rows: SummableRows,
  score: (input: InputRow, row: number, out: Float64Array) => void,
): Float64Array {
  const scores = new Float64Array(rows.actionCount)
  const largest = new Float64Array(rows.actionCount)
  visitNewest(rows, ROWS, (view, row) => {
    score(view, row, scores)
    const action = view.action[row]!
    largest[action] = Math.max(largest[action]!, Math.abs(view.reward[row]! - scores[action]!))
  })
  return largest
}

/** By action, with what the model before knew. */
export function rememberedResiduals(
  newest: Float64Array,
  weights: readonly number[],
  before: ActionNoise | undefined,
): readonly number[] {
  return Array.from(newest, (seen, a) => {
    const since = Math.max(0, weights[a]! - (before?.weights[a] ?? 0))
    return Math.max(seen, (before?.largest?.[a] ?? 0) * 2 ** (-since / REMEMBERED_ROUNDS))
  })
}
