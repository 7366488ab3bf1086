// The largest residual of a reward model on the newest rows: how far rewards go from what is expected of them.

import type { SummableRows } from './action-sums.js'
import { visitNewest } from './newest-rows.js'
import type { InputRow } from './oracle.js'

const ROWS = 512

/** `score` writes the model's scores of a row, one per action. */
export function largestResidual(
  rows: SummableRows,
  score: (input: InputRow, row: number, out: Float64Array) => void,
): number {
  const scores = new Float64Array(rows.actionCount)
  let largest = 0
  visitNewest(rows, ROWS, (view, row) => {
    score(view, row, scores)
    largest = Math.max(largest, Math.abs(view.reward[row]! - scores[view.action[row]!]!))
  })
  return largest
}
