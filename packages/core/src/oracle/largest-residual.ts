// The largest residuals of a reward model, above and below what was expected: how far rewards go. Of each action on the newest rows, and
// what was seen of it before: that counts half for every 512 rounds of its own since, so that an action that was left does not lose its
// rare rewards because others are played.

import type { RewardView } from '../rounds/reward-rows.js'
import type { SummableRows } from './action-sums.js'
import { visitNewest } from './newest-rows.js'
import type { InputRow } from './oracle.js'
import type { ActionNoise } from './reward-noise.js'

const ROWS = 512
/** Of an action with fewer rounds than this every round counts, however many of others came since. */
const FEW_ROUNDS = 2048
/** Rounds of an action that halve what it showed before. */
const REMEMBERED_ROUNDS = 512

/** By action, the sizes of the largest residual above and of the largest below; 0: none. */
export interface LargestResiduals {
  readonly above: readonly number[]
  readonly below: readonly number[]
}

/**
 * On the newest rows, of actions with few rounds on all rows since the model before; `score` writes the model's scores of a row, one
 * per action.
 */
export function largestResiduals(
  rows: SummableRows,
  score: (input: InputRow, row: number, out: Float64Array) => void,
  weights: readonly number[],
  before: ActionNoise | undefined,
): LargestResiduals {
  const scores = new Float64Array(rows.actionCount)
  const above = new Array<number>(rows.actionCount).fill(0)
  const below = new Array<number>(rows.actionCount).fill(0)
  const look = (view: RewardView, row: number) => {
    score(view, row, scores)
    const action = view.action[row]!
    const residual = view.reward[row]! - scores[action]!
    const side = residual > 0 ? above : below
    side[action] = Math.max(side[action]!, Math.abs(residual))
  }
  visitNewest(rows, ROWS, look)
  const since = Math.ceil(total(weights) - total(before?.weights ?? []))
  if (since > ROWS && weights.some((weight) => weight < FEW_ROUNDS)) {
    visitNewest(rows, since, (view, row) => {
      if (weights[view.action[row]!]! < FEW_ROUNDS) look(view, row)
    })
  }
  return { above, below }
}

/** With what the model before knew. */
export function rememberedResiduals(
  newest: LargestResiduals,
  weights: readonly number[],
  before: ActionNoise | undefined,
): LargestResiduals {
  const remembered = (side: keyof LargestResiduals) =>
    newest[side].map((seen, a) => {
      const since = Math.max(0, weights[a]! - (before?.weights[a] ?? 0))
      return Math.max(seen, (before?.[side]?.[a] ?? 0) * 2 ** (-since / REMEMBERED_ROUNDS))
    })
  return { above: remembered('above'), below: remembered('below') }
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
