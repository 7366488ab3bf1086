// LinUCB: play the largest upper confidence limit f_a + alpha w_a, w_a one standard deviation of the prediction (ties:
// smallest index). Deterministic: propensities are 0 and 1, so a log of it supports no off-policy evaluation.

export function upperConfidence(
  scores: Float64Array,
  widths: Float64Array,
  count: number,
  alpha: number,
  out: Float64Array,
  at = 0,
): void {
  let best = at
  let top = Number.NEGATIVE_INFINITY
  for (let a = at; a < at + count; a++) {
    out[a] = 0
    const upper = scores[a]! + alpha * widths[a]!
    if (upper > top) {
      top = upper
      best = a
    }
  }
  out[best] = 1
}
