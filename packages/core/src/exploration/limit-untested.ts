// method#untested-actions: no action gets more than (n_a + 1)/10 of the decisions, n_a its closed rounds in the newest fit: an action that was just added at
// most a tenth, until its first rewards are learnt from, however many decisions that takes. What is above goes to the best-scored
// action that is not limited. Where all eligible actions are (n_a < 9), there is nobody to prefer and none is.

const FULL = 10

/** By action; null: none is limited. */
export function untestedLimits(actions: number, rows: readonly number[]): Float64Array | null {
  const limits = Float64Array.from({ length: actions }, (_, a) => Math.min(1, ((rows[a] ?? 0) + 1) / FULL))
  return limits.some((limit) => limit < 1) ? limits : null
}

/** Changes the propensities of `count` actions that begin at `at`; their sum stays. Allocates nothing. */
export function limitUntested(
  limits: Float64Array,
  scores: Float64Array,
  count: number,
  out: Float64Array,
  at: number,
  eligible?: Int32Array,
): void {
  let heir = -1
  for (let k = 0; k < count; k++) {
    const tested = limits[eligible === undefined ? k : eligible[k]!] === 1
    if (tested && (heir < 0 || scores[at + k]! > scores[at + heir]!)) heir = k
  }
  if (heir < 0) return
  for (let k = 0; k < count; k++) {
    const limit = limits[eligible === undefined ? k : eligible[k]!]!
    const over = out[at + k]! - limit
    if (over <= 0) continue
    out[at + k] = limit
    out[at + heir] = out[at + heir]! + over
  }
}
