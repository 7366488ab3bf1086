// Optimism with a share for whatever the evidence leaves open (method#evidence; beyond the paper, no proof).
//   w_a = sigma_a sqrt(v_a) one standard deviation of f_a with the action's own noise; b = argmax f, star = argmax f_a + beta_a w_a,
//   beta_a = beta sqrt(1 + ln+(n / (K n_a))): more for an action that is behind its equal share of rounds, and where its rewards are rare,
//   times r + sqrt(1 + r^2), r = beta_a/3 (above - 2 below)^+ / (sigma_a sqrt(n_a)) of its largest residuals;
//   gap_a = f_b - f_a;  L_a = min( gap_a^2 / (2 w_b^2 + 2 w_a^2 + gap_a t_a w_a), 3/2 ln n ), what was seen against it: e^-L_a is about the
//   chance of so poor a record had the action been as good as the leader; t_a is what a round at the far end of the range, not yet
//   seen, would change (oracle/reward-noise.ts); without 2 w_a^2 where its rewards were all the same: what is left, n_a gap_a / R_a, is
//   the exponent of (1 - gap_a/R_a)^n_a, the chance that the far end was never seen;
//   q_a = (2/K) e^-L_a min(1, (n / (12 K n_a))^2), n_a of the n rounds learnt from were the action's own: who got its share needs no more;
//   4 in place of 12 where the action has more than ten times the noise of b: rounds of a sure action teach nothing, all doubt is in this
//   one; and of L_a only the part 3/5 + 2/5 min(1, k/5), k = n_a sigma_a^2 / above^2, about the number of its successes: offers that few
//   succeeded in are few, and some successes tell all; 3/5 where its rewards were all the same;
//   p_a = q_a, all of them together at most 1/2; p_star = the rest. Ties: smallest index;
//   where star is not b, p_star is at most max(5 n_a / (n s_a), q_a), s_a the part of the newest rows in which it is star and not b, and b
//   gets what is above: a policy stands until the next fit, a tenth of the rounds later, and optimism needs no more than half as many
//   rounds again as it was based on.
// No action gets more than (n_a + 1)/10 (limit-untested.ts).
// Guarantee: an action with less than n/(12 K) rounds has p_a >= e^-L_a / (2K), so its next offer is expected within 2K e^L_a
// decisions, and never later than within 2K n^(3/2). K is the number of eligible actions.

import { type ActionNoise, optimismOf, rarityOf } from '../oracle/reward-noise.js'
import type { Weighing } from './exploration-rule.js'
import { limitUntested, untestedLimits } from './limit-untested.js'

export interface OptimismWithEvidence {
  /** Optimism in widths; default 1. */
  readonly beta?: number
}

/** What the rule needs of a reward model, by action; a model from before noise was kept by action has none. */
export interface FittedNoise {
  readonly sigma: number
  readonly rows: readonly number[]
  readonly weight: number
  readonly noise?: ActionNoise
}

/** Rounds of an action, as a part of its equal share, below which evidence alone decides. */
const FAIR_PART = 1 / 12
/** Times as much noise as the leader has, from which on an action's part is three times as large. */
const LOUD = 10
const LOUD_OWED = 3 ** 2
/** Part of the evidence that counts against an action without any success beside a sure one, and successes from which on all of it does. */
const UNSEEN_TRUST = 3 / 5
const TRUSTED_SUCCESSES = 5
const LARGEST_SHARE = 0.5
/** Rounds that optimism may add between two fits, as a part of the action's own, over the part of all rounds that an epoch adds. */
const PACE = 5

/** Actions that the model does not know have as much noise as all together and no rounds. */
export function optimismWithEvidence(
  { beta = 1 }: OptimismWithEvidence,
  actions: number,
  { sigma, rows, weight, noise }: FittedNoise,
): Weighing {
  const scales = new Float64Array(actions).fill(1)
  const tails = new Float64Array(actions)
  const variances = new Float64Array(actions)
  // (n / (12 n_a))^2
  const owed = new Float64Array(actions)
  // ln(n / n_a), beta_a where all are eligible, and 5 n_a / (n s_a).
  const behind = new Float64Array(actions)
  const betas = new Float64Array(actions)
  const rarities = new Float64Array(actions)
  const paces = new Float64Array(actions)
  const trusts = new Float64Array(actions)
  for (let a = 0; a < actions; a++) {
    scales[a] = (noise?.sigmas[a] ?? sigma) / sigma
    tails[a] = noise?.tails[a] ?? 0
    variances[a] = noise?.constant?.[a] === true ? 0 : 2
    const own = Math.max(1, noise?.weights[a] ?? rows[a] ?? 0)
    owed[a] = ((FAIR_PART * weight) / own) ** 2
    behind[a] = Math.log(Math.max(1, weight) / own)
    rarities[a] = noise === undefined ? 0 : rarityOf(noise, a)
    betas[a] = beta * optimismOf(behind[a]!, actions, rarities[a]!)
    trusts[a] = trustIn(noise, a)
    paces[a] = (PACE * own) / (weight * (noise?.optimistic?.[a] ?? 0))
  }
  const limits = untestedLimits(actions, rows)
  const mostEvidence = 1.5 * Math.log(Math.max(1, weight))
  const smallest = Math.exp(-mostEvidence)

  return (scores, widths, count, out, at = 0, eligible) => {
    let best = 0
    let star = 0
    let top = Number.NEGATIVE_INFINITY
    let highest = Number.NEGATIVE_INFINITY
    for (let k = 0; k < count; k++) {
      const score = scores[at + k]!
      if (score > top) {
        top = score
        best = k
      }
      const a = eligible === undefined ? k : eligible[k]!
      const own = count === actions ? betas[a]! : beta * optimismOf(behind[a]!, count, rarities[a]!)
      const upper = score + own * widths[at + k]! * scales[a]!
      if (upper > highest) {
        highest = upper
        star = k
      }
    }
    const width = widths[at + best]! * scales[eligible === undefined ? best : eligible[best]!]!
    const leader = 2 * width * width
    const loud = LOUD * scales[eligible === undefined ? best : eligible[best]!]!
    let total = 0
    let limit = 1
    for (let k = 0; k < count; k++) {
      if (k === star && k === best) continue
      const a = eligible === undefined ? k : eligible[k]!
      const gap = top - scores[at + k]!
      const own = widths[at + k]! * scales[a]!
      const isLoud = scales[a]! > loud
      const trust = isLoud ? trusts[a]! : 1
      const against = gap === 0 ? 0 : (trust * gap * gap) / (leader + own * (variances[a]! * own + gap * tails[a]!))
      const share = (isLoud ? LOUD_OWED : 1) * (owed[a]! / (count * count))
      const left = against < mostEvidence ? Math.exp(-against) : smallest
      const q = (share < 1 ? share : 1) * (2 / count) * left
      if (k === star) {
        limit = Math.max(paces[a]!, q)
        continue
      }
      out[at + k] = q
      total += q
    }
    if (total > LARGEST_SHARE) {
      const scale = LARGEST_SHARE / total
      for (let k = 0; k < count; k++) out[at + k] = out[at + k]! * scale
      total = LARGEST_SHARE
    }
    const rest = 1 - total
    out[at + star] = rest > limit ? limit : rest
    if (rest > limit) out[at + best] = out[at + best]! + rest - limit
    if (limits !== null) limitUntested(limits, scores, count, out, at, eligible)
  }
}

/** Beside a sure action. */
function trustIn(noise: ActionNoise | undefined, action: number): number {
  if (noise?.constant?.[action] === true) return UNSEEN_TRUST
  const above = noise?.above?.[action] ?? 0
  if (noise === undefined || above === 0) return 1
  const successes = noise.weights[action]! * (noise.sigmas[action]! / above) ** 2
  return UNSEEN_TRUST + (1 - UNSEEN_TRUST) * Math.min(1, successes / TRUSTED_SUCCESSES)
}
