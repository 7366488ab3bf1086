// No action gets more than (n_a + 1)/10 of the decisions, n_a its closed rounds in the newest fit: an action that was just added at
// most a tenth, until its first rewards are learnt from, however many decisions that takes. What is above goes to the best-scored
// action that is not limited; where all are, to those with room, and where there is not enough of it, in proportion to the limits.

const FULL = 10

/** By action; null: none is limited. */
export function untestedLimits(actions: number, rows: readonly number[]): Float64Array | null {
  const limits = Float64Array.from({ length: actions }, (_, a) => Math.min(1, ((rows[a] ?? 0) + 1) / FULL))
  return limits.some((limit) => limit < 1) ? limits : null
}

/** Changes the propensities of `count` actions that begin at `at`, so that they still sum to 1. Allocates nothing. */
export function limitUntested(
  limits: Float64Array,
  scores: Float64Array,
  count: number,
  out: Float64Array,
  at: number,
  eligible?: Int32Array,
): void {
  let excess = 0
  let room = 0
  let sum = 0
  let heir = -1
  for (let k = 0; k < count; k++) {
    const limit = limits[eligible === undefined ? k : eligible[k]!]!
    sum += limit
    if (limit === 1 && (heir < 0 || scores[at + k]! > scores[at + heir]!)) heir = k
    const over = out[at + k]! - limit
    if (over > 0) {
      excess += over
      out[at + k] = limit
    } else room -= over
  }
  if (excess === 0) return
  if (heir >= 0) {
    out[at + heir] = out[at + heir]! + excess
    return
  }
  for (let k = 0; k < count; k++) {
    const limit = limits[eligible === undefined ? k : eligible[k]!]!
    const p = out[at + k]!
    out[at + k] = excess <= room ? p + ((limit - p) * excess) / room : limit / sum
  }
}
