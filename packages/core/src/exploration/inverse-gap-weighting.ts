// Inverse gap weighting (method#inverse-gap-weighting): v_a = f-hat(x, z, a), a-hat = argmax (ties: smallest index),
//   p_a = 1 / (K + gamma (v_ahat - v_a)) for a != a-hat,   p_ahat = 1 - the others.
// Guarantees: the p sum to 1, p_ahat >= 1/K, 0 < p_a <= 1/K, the estimated regret is at most (K - 1)/gamma, and for every
// f in [0,1]^K  sum p_a (max f - f_a) <= 2K/gamma + (gamma/4) sum p_a (v_a - f_a)^2.
// gamma = 0 is uniform play; gamma = Infinity is greedy with ties shared (Infinity * 0 counts as 0).

/** Writes the propensities of `count` actions, whose scores begin at scores[at], to out[at ...]. Allocates nothing. */
export function inverseGapWeighting(
  scores: Float64Array,
  count: number,
  gamma: number,
  out: Float64Array,
  at = 0,
): void {
  const end = at + count
  let best = at
  let top = scores[at]!
  for (let a = at + 1; a < end; a++) {
    const value = scores[a]!
    if (value > top) {
      top = value
      best = a
    }
  }
  let others = 0
  for (let a = at; a < end; a++) {
    if (a === best) continue
    const gap = top - scores[a]!
    const p = gap === 0 ? 1 / count : 1 / (count + gamma * gap)
    out[a] = p
    others += p
  }
  out[best] = 1 - others
}
