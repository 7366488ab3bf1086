// method#untested-actions: no action gets more than (n_a + 1)/F of the decisions, n_a its closed rounds of the n in the newest fit,
// F = min(10, max(1, n/(2K))): an action that was just added at most a tenth where all have been tried, until its first rewards are learnt from,
// however many decisions that takes; in the first rounds half of an equal share is enough. What is above goes to the best-scored action that
// is not limited.

const FULL = 10
/** Of its equal share n/K, what makes an action tested. */
const PART = 1 / 2

/** By action; null: none is limited. */
export function untestedLimits(actions: number, rows: readonly number[]): Float64Array | null {
  const closed = rows.reduce((sum, own) => sum + own, 0)
  const full = Math.min(FULL, Math.max(1, (PART * closed) / actions))
  const limits = Float64Array.from({ length: actions }, (_, a) => Math.min(1, ((rows[a] ?? 0) + 1) / full))
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
