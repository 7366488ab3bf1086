// How much of the past counts (method#default-memory). Memory m is "the rounds since s_m", s_0 = 0. Now and then the present round becomes
// a start, which counts once it is 128 rounds old; starts are thinned so that their ages double. Rewards choose among them:
//   V = max_m s2_a of m,   l_m = -1/2 ln(V + w_m^2) - 1/2 (r - f_m)^2 / (V + w_m^2)      for a reward of action a, before it is learnt
//   W_m <- W_m exp(clip((l_m - l_0) / 2, -1, 1)),   W <- (1 - c) W / sum W + c pi,   c = 1 / (t + 10),   pi_0 = .97, the others share .03
// w_m^2 is the mean width of m's own rounds. The memory with the largest weight is in use.

import { LEAF_ROUNDS } from '../model/row-sums.js'

/** A memory: the rounds from `round` on. */
export interface Start {
  readonly round: number
  /** Its share of the evidence; 0 until it counts. */
  readonly weight: number
}

const OLDEST_PRIOR = 0.97
const LARGEST_STEP = 1
const AGES_APART = 4

/** Where the memory in use begins among the starts. */
export function startInUse(starts: readonly Start[]): number {
  let found = 0
  starts.forEach(({ weight }, m) => {
    if (weight > starts[found]!.weight) found = m
  })
  return found
}

/** The present round becomes a start if the last one is old enough; starts too close to others are dropped, and not the one in use. */
export function renewStarts<S extends Start>(
  starts: readonly S[],
  cut: number,
  fresh: (round: number) => S,
): readonly S[] {
  const kept = [...starts]
  const inUse = starts[startInUse(starts)]!
  const round = Math.floor(cut / LEAF_ROUNDS) * LEAF_ROUNDS
  if (round - kept.at(-1)!.round >= LEAF_ROUNDS) kept.push(fresh(round))
  for (let i = 1; i + 1 < kept.length; ) {
    const age = (k: number) => cut - kept[k]!.round
    if (kept[i] === inUse || age(i - 1) > AGES_APART * age(i + 1)) {
      i++
      continue
    }
    const older = kept[i - 1]!
    kept[i - 1] = { ...older, weight: older.weight + kept[i]!.weight }
    kept.splice(i, 1)
  }
  return kept
}

/** One reward's log likelihoods by counting start (NaN: it does not count), as weights after it. `seen`: rewards weighed before. */
export function weighStarts(weights: Float64Array, likelihoods: Float64Array, seen: number): void {
  // An action that the oldest memory does not know yet.
  if (Number.isNaN(likelihoods[0])) return
  let sum = 0
  let counting = 0
  for (let m = 0; m < weights.length; m++) {
    if (Number.isNaN(likelihoods[m])) continue
    counting++
    const step = (likelihoods[m]! - likelihoods[0]!) / 2
    weights[m] = weights[m]! * Math.exp(Math.min(LARGEST_STEP, Math.max(-LARGEST_STEP, step)))
    sum += weights[m]!
  }
  if (counting < 2) return
  const share = 1 / (seen + 10)
  for (let m = 0; m < weights.length; m++) {
    if (Number.isNaN(likelihoods[m])) continue
    const prior = m === 0 ? OLDEST_PRIOR : (1 - OLDEST_PRIOR) / (counting - 1)
    weights[m] = ((1 - share) * weights[m]!) / sum + share * prior
  }
}

/** The weight of a start that begins to count after `seen` rewards, the `others` besides the oldest counting already. */
export function firstWeight(seen: number, others: number): number {
  return (1 - OLDEST_PRIOR) / (others + 1) / (seen + 10)
}

/** Log likelihood of a target under a mean, with the variance of the noise and that of the mean. */
export function logLikelihood(target: number, mean: number, variance: number): number {
  return -0.5 * Math.log(variance) - (0.5 * (target - mean) ** 2) / variance
}
