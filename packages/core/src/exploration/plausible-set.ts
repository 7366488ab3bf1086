// Plausible-set inverse gap weighting (method#plausible-set): beyond the paper, no proof. IGW among the actions that are still
// plausible at this context, scored optimistically, and a small floor on all others.
//   alphaS = sqrt(3 + 2 ln K), delta = min(0.1, 2/K), gap_a = f_ahat - f_a
//   S = {ahat} u {a : gap_a <= alphaS sqrt(w_a^2 + w_ahat^2)},  U_a = f_a + beta w_a,  astar = argmax_S U (ties: smallest index)
//   a in S, a != astar: p_a = 1/(|S| + gamma (U_astar - U_a));   a not in S: p_a = delta/(K + gamma gap_a);   p_astar = the rest.
// Guarantees: the p sum to 1 and are all > 0; p_astar >= 1/(2|S|), because delta <= 2/K. With equal widths, alphaS = Infinity and
// beta = 0 it is plain IGW. K is the number of eligible actions.

export interface PlausibleSet {
  /** Scores of the set's size and width; default sqrt(3 + 2 ln K). */
  readonly alpha?: number
  /** Optimism inside the set, in widths; default 1. */
  readonly beta?: number
  /** Weight of the actions outside the set; default min(0.1, 2/K), and never more than 2/K. */
  readonly delta?: number
}

let alphaCount = 1
let alphaKept = Math.sqrt(3)

/** The same count comes again and again. */
function defaultAlpha(count: number): number {
  if (count !== alphaCount) {
    alphaKept = Math.sqrt(3 + 2 * Math.log(count))
    alphaCount = count
  }
  return alphaKept
}

/** Writes the propensities of `count` actions, whose scores and widths begin at `at`, to out[at ...]. Allocates nothing. */
export function plausibleSetWeighting(
  scores: Float64Array,
  widths: Float64Array,
  count: number,
  gamma: number,
  options: PlausibleSet,
  out: Float64Array,
  at = 0,
): void {
  const alpha = options.alpha ?? defaultAlpha(count)
  const beta = options.beta ?? 1
  const delta = Math.min(options.delta ?? 0.1, 2 / count)
  const end = at + count
  let best = at
  for (let a = at + 1; a < end; a++) if (scores[a]! > scores[best]!) best = a
  const top = scores[best]!
  const bestWidth = widths[best]!
  let size = 0
  let star = -1
  let highest = Number.NEGATIVE_INFINITY
  for (let a = at; a < end; a++) {
    const width = widths[a]!
    const inside = a === best || top - scores[a]! <= alpha * Math.sqrt(width * width + bestWidth * bestWidth)
    // 1 marks a member until its propensity is known.
    out[a] = inside ? 1 : 0
    if (!inside) continue
    size++
    const upper = scores[a]! + beta * width
    if (upper > highest) {
      highest = upper
      star = a
    }
  }
  let others = 0
  for (let a = at; a < end; a++) {
    if (a === star) continue
    const difference = out[a] === 1 ? highest - scores[a]! - beta * widths[a]! : top - scores[a]!
    const pull = difference === 0 ? 0 : gamma * difference
    out[a] = out[a] === 1 ? 1 / (size + pull) : delta / (count + pull)
    others += out[a]!
  }
  out[star] = 1 - others
}
