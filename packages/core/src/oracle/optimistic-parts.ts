// s_a of method#evidence: in which part of the newest rows optimism plays action a although another one has the best score.

import type { SummableRows } from './action-sums.js'
import { compileLinear, type LinearModel } from './linear-model.js'
import { visitNewest } from './newest-rows.js'
import { type ActionNoise, optimismOf, rarityOf } from './reward-noise.js'

const ROWS = 128

export function optimisticParts(
  rows: SummableRows,
  model: LinearModel & { readonly noise: ActionNoise },
): readonly number[] {
  const { sigma, weight, noise } = model
  const actions = rows.actionCount
  const scorer = compileLinear(model, rows.spread)
  const scores = new Float64Array(actions)
  const widths = new Float64Array(actions)
  const factors = noise.sigmas.map(
    (own, a) =>
      (own / sigma) * optimismOf(Math.log(weight / Math.max(1, noise.weights[a]!)), actions, rarityOf(noise, a)),
  )
  const counts = new Float64Array(actions)
  let count = 0
  visitNewest(rows, ROWS, (view, row) => {
    scorer.scores(view, row, scores)
    scorer.widths(widths)
    let best = 0
    let star = 0
    let highest = Number.NEGATIVE_INFINITY
    for (let a = 0; a < actions; a++) {
      if (scores[a]! > scores[best]!) best = a
      const upper = scores[a]! + factors[a]! * widths[a]!
      if (upper > highest) {
        highest = upper
        star = a
      }
    }
    if (star !== best) counts[star]!++
    count++
  })
  return Array.from(counts, (own) => (count === 0 ? 0 : own / count))
}
