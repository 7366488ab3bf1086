// How many rounds of a part of a block are closed, and in how many of them everything, or a covariate, was known at the
// decision. What was known at a decision never changes, so for a block whose rounds are all closed the answer is kept.

import { BLOCK_ROUNDS } from '@primo/numeric'
import { Observed, type RoundBlock, RoundStatus } from './round-table.js'

export interface ClosedCounts {
  readonly closed: number
  /** Closed rounds with every covariate known at the decision. */
  readonly complete: number
  /** Per covariate: closed rounds in which it was known at the decision. */
  readonly seen: readonly number[]
}

const kept = new WeakMap<RoundBlock, ClosedCounts>()

export function closedCounts(block: RoundBlock, start: number, end: number, covariateCount: number): ClosedCounts {
  if (start !== 0 || end !== BLOCK_ROUNDS || !allClosed(block, start, end)) {
    return countClosed(block, start, end, covariateCount)
  }
  let counts = kept.get(block)
  if (counts === undefined) {
    counts = countClosed(block, start, end, covariateCount)
    kept.set(block, counts)
  }
  return counts
}

/** Eight rounds in a double, all of them closed. */
const CLOSED_WORD = new Float64Array(new Uint8Array(8).fill(RoundStatus.closed).buffer)[0]!

/** Whether every round of the part is closed. */
export function allClosed(block: RoundBlock, start: number, end: number): boolean {
  const { status } = block
  let row = start
  if ((status.byteOffset + start) % 8 === 0) {
    const words = new Float64Array(status.buffer, status.byteOffset + start, (end - start) >> 3)
    for (let k = 0; k < words.length; k++) if (words[k] !== CLOSED_WORD) return false
    row += 8 * words.length
  }
  for (; row < end; row++) if (status[row] !== RoundStatus.closed) return false
  return true
}

function countClosed(
  { status, observed }: RoundBlock,
  start: number,
  end: number,
  covariateCount: number,
): ClosedCounts {
  const seen = new Array<number>(covariateCount).fill(0)
  let closed = 0
  let complete = 0
  for (let row = start; row < end; row++) {
    if (status[row] !== RoundStatus.closed) continue
    closed++
    let known = 0
    for (let which = 0, at = row * covariateCount; which < covariateCount; which++) {
      if (observed[at + which] !== Observed.atDecision) continue
      known++
      seen[which] = seen[which]! + 1
    }
    if (known === covariateCount) complete++
  }
  return { closed, complete, seen }
}
