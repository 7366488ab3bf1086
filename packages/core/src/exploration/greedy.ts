// Greedy play and its epsilon variant: all weight on the best score (ties: smallest index), epsilon spread evenly.
//   p_best = 1 - epsilon + epsilon/K,  p_a = epsilon/K.   epsilon = 0 is greedy; propensities are then 0 and 1.

export function epsilonGreedy(scores: Float64Array, count: number, epsilon: number, out: Float64Array, at = 0): void {
  const share = epsilon / count
  let best = at
  for (let a = at; a < at + count; a++) {
    out[a] = share
    if (scores[a]! > scores[best]!) best = a
  }
  out[best] = 1 - share * (count - 1)
}
