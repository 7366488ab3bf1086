// s_a of method#evidence: in which part of the newest rows optimism plays action a although another one has the best score.

import type { SummableRows } from './action-sums.js'
import { compileLinear, type LinearModel } from './linear-model.js'
import { scoreListed, visitNewest } from './newest-rows.js'
import { type ActionNoise, optimismOf, rarityOf } from './reward-noise.js'

const ROWS = 128

export function optimisticParts(
  rows: SummableRows,
  model: LinearModel & { readonly noise: ActionNoise },
): readonly number[] {
  const { sigma, weight, noise } = model
  const actions = rows.actionCount
  const scorer = compileLinear(model, rows.spread)
  const factors = Float64Array.from(
    noise.sigmas,
    (own, a) =>
      (own / sigma) * optimismOf(Math.log(weight / Math.max(1, noise.weights[a]!)), actions, rarityOf(noise, a)),
  )
  const counts = new Float64Array(actions)
  let count = 0
  visitNewest(rows, ROWS, (view, first) => {
    scoreListed(scorer, actions, true, view, view.rows, first, view.count, (scores, widths, _, some) =>
      countOptimistic(scores, widths, factors, some, counts),
    )
    count += view.count - first
  })
  return Array.from(counts, (own) => (count === 0 ? 0 : own / count))
}

function countOptimistic(
  scores: Float64Array,
  widths: Float64Array,
  factors: Float64Array,
  count: number,
  counts: Float64Array,
): void {
  const actions = factors.length
  for (let row = 0, at = 0; row < count; row++, at += actions) {
    let best = 0
    let star = 0
    let highest = Number.NEGATIVE_INFINITY
    for (let a = 0; a < actions; a++) {
      if (scores[at + a]! > scores[at + best]!) best = a
      const upper = scores[at + a]! + factors[a]! * widths[at + a]!
      if (upper > highest) {
        highest = upper
        star = a
      }
    }
    if (star !== best) counts[star] = counts[star]! + 1
  }
}
