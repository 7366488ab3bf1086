// Probability matching by quadrature (method#probability-matching): action a is played with the probability that it is the best
// under the independent posteriors N(f_a + optimism w_a, (spread w_a)^2). With spread 1 and optimism 0 this is linear Thompson
// sampling in law, with exact propensities.
//   q_a = sum_j [Phi_a(u_{j+1}) - Phi_a(u_j)] * (mean over both ends of prod_{b != a} Phi_b) + Phi_a(u_0) prod_{b != a} Phi_b(u_0)
// on 25 equally spaced points from max_a (mean - 4 sd) to the largest mean + 4 sd of the actions that reach above that; an
// action that does not is never the best there. If only one reaches it, it has probability 1. Normalised.

import { normalDistribution } from '@primo/numeric'

const POINTS = 25
const REACH = 4

export interface MatchingOptions {
  readonly spread: number
  readonly optimism: number
  /** e_a = floor / (K + gamma gap_a) is kept for every action: p_a = q_a (1 - sum e) + e_a. Default 0. */
  readonly floor?: number
  readonly gamma?: number
}

export type ProbabilityMatching = (
  scores: Float64Array,
  widths: Float64Array,
  count: number,
  out: Float64Array,
  at?: number,
) => void

export function probabilityMatching(actions: number, options: MatchingOptions): ProbabilityMatching {
  const { spread, optimism, floor = 0, gamma = 0 } = options
  const means = new Float64Array(actions)
  const deviations = new Float64Array(actions)
  // Phi_a at the points of the grid, by action.
  const grid = new Float64Array(actions * POINTS)
  const contender = new Uint8Array(actions)

  function match(scores: Float64Array, widths: Float64Array, count: number, out: Float64Array, at: number): void {
    let low = Number.NEGATIVE_INFINITY
    for (let a = 0; a < count; a++) {
      means[a] = scores[at + a]! + optimism * widths[at + a]!
      deviations[a] = Math.max(spread * widths[at + a]!, 1e-12)
      low = Math.max(low, means[a]! - REACH * deviations[a]!)
    }
    let high = low
    let contenders = 0
    let last = 0
    for (let a = 0; a < count; a++) {
      const top = means[a]! + REACH * deviations[a]!
      contender[a] = top > low ? 1 : 0
      out[at + a] = 0
      if (contender[a] === 0) continue
      contenders++
      last = a
      high = Math.max(high, top)
    }
    if (contenders === 1) {
      out[at + last] = 1
      return
    }
    const step = (high - low) / (POINTS - 1)
    for (let a = 0; a < count; a++) {
      if (contender[a] === 0) continue
      for (let j = 0; j < POINTS; j++)
        grid[a * POINTS + j] = normalDistribution((low + j * step - means[a]!) / deviations[a]!)
    }
    let total = 0
    for (let a = 0; a < count; a++) {
      if (contender[a] === 0) continue
      let before = others(grid, contender, count, a, 0)
      let q = grid[a * POINTS]! * before
      for (let j = 1; j < POINTS; j++) {
        const after = others(grid, contender, count, a, j)
        q += (grid[a * POINTS + j]! - grid[a * POINTS + j - 1]!) * 0.5 * (before + after)
        before = after
      }
      out[at + a] = q
      total += q
    }
    for (let a = at; a < at + count; a++) out[a] = out[a]! / total
  }

  return (scores, widths, count, out, at = 0) => {
    match(scores, widths, count, out, at)
    if (floor > 0) keepFloor(scores, count, Math.min(floor, 2 / count), gamma, out, at)
  }
}

function keepFloor(
  scores: Float64Array,
  count: number,
  floor: number,
  gamma: number,
  out: Float64Array,
  at: number,
): void {
  const end = at + count
  let top = scores[at]!
  for (let a = at + 1; a < end; a++) top = Math.max(top, scores[a]!)
  const share = (a: number) => floor / (count + gamma * (top - scores[a]!))
  let kept = 0
  for (let a = at; a < end; a++) kept += share(a)
  for (let a = at; a < end; a++) out[a] = out[a]! * (1 - kept) + share(a)
}

/** prod over contenders b != a of Phi_b at point j. */
function others(grid: Float64Array, contender: Uint8Array, count: number, a: number, j: number): number {
  let product = 1
  for (let b = 0; b < count; b++) if (b !== a && contender[b] === 1) product *= grid[b * POINTS + j]!
  return product
}
