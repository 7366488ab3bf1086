// The difference of two policies along a log, with limits that hold at all times (method#anytime): one sequence for d = pi_1 - pi_2 and one
// for -d. A gate for promotions is this with pi_1 the candidate and pi_2 what was played: it opens when the lower limit passes zero, and
// closes for good when the upper one does (method#promotion).

import type { EvaluationInterval } from '../intervals.js'
import { type JudgedRow, SignedValue } from './signed-value.js'

/** What a gate says: the candidate is better, is worse, or nothing can be said yet. */
export type GateVerdict = 'promote' | 'give-up' | 'wait'

/** Sums about a difference, and its limits. */
export class DifferenceSequence {
  readonly #low = new SignedValue(1)
  readonly #high = new SignedValue(1)
  readonly #opposite: Float64Array
  #rows = 0

  constructor(actions: number) {
    this.#opposite = new Float64Array(actions)
  }

  /** Rows added so far. */
  get rows(): number {
    return this.#rows
  }

  /** `weights`: pi_1(a | x) - pi_2(a | x), known before the row. */
  add(row: JudgedRow, weights: Float64Array): void {
    for (let a = 0; a < weights.length; a++) this.#opposite[a] = -weights[a]!
    this.#low.add(row, weights)
    this.#high.add(row, this.#opposite)
    this.#rows++
  }

  /** Of the mean difference over the rows so far, in units of the reward's range; each limit is missed ever with probability `each` at most. */
  limits(each: number): EvaluationInterval {
    return { low: this.#low.lower(each), high: -this.#high.lower(each) }
  }
}

/** What the limits of a candidate's gain say. */
export function gateVerdict({ low, high }: EvaluationInterval): GateVerdict {
  if (low > 0) return 'promote'
  return high < 0 ? 'give-up' : 'wait'
}
