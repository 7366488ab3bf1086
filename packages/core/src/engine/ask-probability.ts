// How likely the truth of a missing value is asked for (method#asking). With a share the probability is the share. With a budget b it grows
// with what knowing the value would be worth there, V (method#value-of-observing):
//   pi(x) = min(1, pace b (even + (1 - EVEN) min(LARGEST, V / unit))),
// unit such that the mean of min(LARGEST, V / unit) over the newest missing rows is 1, and even = EVEN; where too few rows have a value for
// that, unit is the smallest value and even the rest. A truth that comes early is used ever after: the first ADVANCE truths are asked
// for at pace 4, what that took too much is saved at pace 2/3, then the pace is 1, so that the mean of pi comes back to b. All three are set at
// ends of epochs and part of the state: a decision still follows from policy, request, seed and id. An even part of the budget goes to
// every row, so that weights 1 / pi are bounded. Where V is not known, pi = pace b.

import { EVEN, SLOW } from '../problem/audit-spec.js'
import type { CovariateSpec } from '../problem/problem.js'
import type { RoundBlock } from '../rounds/round-table.js'
import type { Engine } from './engine.js'
import type { Asking, EpochState } from './epoch-state.js'
import type { ValueOfObserving } from './value-of-observing.js'

/** What a row can get of the rest, in units of the mean. */
const LARGEST = 4
/** Truths that are asked for faster. */
const ADVANCE = 96
const FAST = 4

/** Of a missing value on a decided row. */
export type AskProbability = (which: number, block: RoundBlock, row: number, eligible?: Int32Array) => number

/** null: no covariate is audited. */
export function compileAskProbability(
  { encoding }: Engine,
  { asking, version }: EpochState,
  observing: () => ValueOfObserving | null,
): AskProbability | null {
  const audits = encoding.covariates.map(({ feature }) => (feature as CovariateSpec).audit)
  if (audits.every((audit) => audit === undefined)) return null
  return (which, block, row, eligible) => {
    const audit = audits[which]
    if (audit === undefined) return 0
    if (audit.share !== undefined) return audit.share
    const now = asking?.[which] ?? { worth: null, pace: version === 0 ? FAST : 1 }
    const value = now.worth === null ? Number.NaN : (observing()?.(block, row, which, eligible) ?? Number.NaN)
    return askShare(audit.budget, now, value)
  }
}

export function askShare(budget: number, { worth, pace }: Asking, value: number): number {
  const part =
    worth === null || Number.isNaN(value)
      ? 1
      : worth.even + (1 - EVEN) * (value > 0 ? Math.min(LARGEST, value / worth.unit) : 0)
  return Math.min(1, pace * budget * part)
}

/** From the missing values so far and those of them that were asked for. */
export function askPace(budget: number, missing: number, asked: number): number {
  if (asked < ADVANCE) return FAST
  return asked > budget * missing ? SLOW : 1
}

/** How values become shares whose mean is 1; null: no row has a value. */
export function askWorth(values: readonly number[]): Asking['worth'] {
  const positive = values.filter((value) => value > 0).sort((a, b) => b - a)
  if (positive.length === 0) return null
  // With the largest `capped` ones at LARGEST: LARGEST capped + (sum of the others) / unit = count.
  let rest = positive.reduce((sum, value) => sum + value, 0)
  for (let capped = 0; capped < positive.length && LARGEST * capped < values.length; capped++) {
    const unit = rest / (values.length - LARGEST * capped)
    if (positive[capped]! <= LARGEST * unit) return { unit, even: EVEN }
    rest -= positive[capped]!
  }
  const unit = positive.at(-1)! / LARGEST
  return { unit, even: 1 - ((1 - EVEN) * LARGEST * positive.length) / values.length }
}
