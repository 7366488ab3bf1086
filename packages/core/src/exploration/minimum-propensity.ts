// A minimum propensity set by the user wins over every rule: p_a <- minimum + (p_a - minimum)^+ * s with s such that the
// sum is 1. Does nothing when every action already has the minimum; needs minimum <= 1/K.

export function raiseToMinimum(propensities: Float64Array, count: number, minimum: number, at = 0): void {
  let excess = 0
  let below = false
  for (let a = at; a < at + count; a++) {
    const over = propensities[a]! - minimum
    if (over > 0) excess += over
    else if (over < 0) below = true
  }
  if (!below) return
  const scale = excess > 0 ? (1 - count * minimum) / excess : 0
  for (let a = at; a < at + count; a++) {
    const over = propensities[a]! - minimum
    propensities[a] = over > 0 ? minimum + over * scale : minimum
  }
}
