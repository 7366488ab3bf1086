// The largest residuals of a reward model, above and below what was expected: how far rewards go. Of each action on the newest rows, and
// what was seen of it before: that counts half for every 512 rounds of its own since, so that an action that was left does not lose its
// rare rewards because others are played.

import type { RewardView } from '../rounds/reward-rows.js'
import type { SummableRows } from './action-sums.js'
import { scoreListed, visitNewest } from './newest-rows.js'
import type { RewardScorer } from './oracle.js'
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

/** On the newest rows, of actions with few rounds on all rows since the model before; the scorer does not clip. */
export function largestResiduals(
  rows: SummableRows,
  scorer: RewardScorer,
  weights: readonly number[],
  before: ActionNoise | undefined,
): LargestResiduals {
  const actions = rows.actionCount
  const above = new Float64Array(actions)
  const below = new Float64Array(actions)
  const look = (view: RewardView, list: Int32Array, first: number, end: number) =>
    scoreListed(scorer, actions, false, view, list, first, end, (scores, _, at, count) =>
      takeLargest(view, list, at, count, scores, above, below),
    )
  visitNewest(rows, ROWS, (view, first) => look(view, view.rows, first, view.count))
  const since = Math.ceil(total(weights) - total(before?.weights ?? []))
  const few = Uint8Array.from(weights, (weight) => (weight < FEW_ROUNDS ? 1 : 0))
  if (since > ROWS && few.includes(1)) {
    visitNewest(rows, since, (view, first) => {
      const list = rowsOf(few, view, first)
      look(view, list, 0, list.length)
    })
  }
  return { above: Array.from(above), below: Array.from(below) }
}

/** The rows of a view, from the first on, whose actions are such. */
function rowsOf(such: Uint8Array, { rows, action, count }: RewardView, first: number): Int32Array {
  const found = new Int32Array(count - first)
  let size = 0
  for (let i = first; i < count; i++) if (such[action[rows[i]!]!] === 1) found[size++] = rows[i]!
  return found.subarray(0, size)
}

function takeLargest(
  { action, reward }: RewardView,
  list: Int32Array,
  at: number,
  count: number,
  scores: Float64Array,
  above: Float64Array,
  below: Float64Array,
): void {
  const actions = above.length
  for (let i = 0; i < count; i++) {
    const row = list[at + i]!
    const a = action[row]!
    const residual = reward[row]! - scores[i * actions + a]!
    if (residual > above[a]!) above[a] = residual
    else if (-residual > below[a]!) below[a] = -residual
  }
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
