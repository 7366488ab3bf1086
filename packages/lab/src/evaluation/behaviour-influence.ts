// What estimating the propensities does to an estimate. A fitted behaviour model moves with its scores S_i (derivatives of the log likelihood
// of what was played); an estimate by fitted propensities has the influence values phi_i - b'S_i, b by least squares of phi on S: what
// the scores explain of phi is known from the log itself (Hirano, Imbens and Ridder 2003). Rows that b uses up are given back: n / (n - q).
//   logit: S_i = (1{a_i = a} - p_i(a)) x_i of all actions but the last;  trees: of the calibration alone (slope and offsets).

import { cholesky, solveCholesky } from '@primo/numeric'
import type { FittedBehaviour } from './behaviour-model.js'
import type { Terms } from './estimators.js'
import { influence, ratio } from './intervals.js'
import type { LoggedChoices } from './logged-choices.js'

const RIDGE = 1e-9
/** Beyond, and with fewer rows for each, a logit is taken like trees: its interval is then rather too wide. */
const MAX_SCORES = 300
const ROWS_PER_SCORE = 5

/** Terms whose spread is that of an estimate by these propensities; its value stays. */
export function behaviourInfluence(choices: LoggedChoices, behaviour: FittedBehaviour): (terms: Terms) => Terms {
  const { rows: n } = choices
  const { size, write } = scoreRows(choices, behaviour)
  const gram = new Float64Array(size * size)
  const mean = new Float64Array(size)
  const score = new Float64Array(size)
  for (let i = 0; i < n; i++) {
    write(i, score)
    for (let j = 0; j < size; j++) {
      mean[j] = mean[j]! + score[j]! / n
      for (let k = 0; k <= j; k++) gram[j * size + k] = gram[j * size + k]! + score[j]! * score[k]!
    }
  }
  for (let j = 0; j < size; j++) {
    for (let k = 0; k < j; k++) gram[k * size + j] = gram[j * size + k]!
    gram[j * size + j] = gram[j * size + j]! * (1 + RIDGE) + RIDGE * n
  }
  const factor = cholesky(gram, size)
  const used = Math.sqrt(n / Math.max(1, n - size))
  return (terms) => {
    const phi = influence(terms)
    const right = new Float64Array(size)
    for (let i = 0; i < n; i++) {
      write(i, score)
      for (let j = 0; j < size; j++) right[j] = right[j]! + phi[i]! * score[j]!
    }
    const b = solveCholesky(factor, size, right)
    const value = ratio(terms)
    const below = terms.bottom === null ? 1 : terms.bottom.reduce((sum, one) => sum + one, 0) / n
    const top = phi.map((own, i) => {
      write(i, score)
      let explained = 0
      for (let j = 0; j < size; j++) explained += b[j]! * (score[j]! - mean[j]!)
      return value * (terms.bottom?.[i] ?? 1) + below * used * (own - explained)
    })
    return { ...terms, top, bounds: null }
  }
}

function scoreRows(
  { rows: n, action, actions }: LoggedChoices,
  { model, propensities, scores, columns }: FittedBehaviour,
) {
  const free = actions - 1
  const excess = (i: number, a: number) => (action[i] === a ? 1 : 0) - propensities[i * actions + a]!
  const { rows, width } = columns
  const many = free * width > MAX_SCORES || free * width * ROWS_PER_SCORE > n
  if (model.class === 'trees' || many)
    return {
      size: actions,
      write: (i: number, out: Float64Array) => {
        let slope = 0
        for (let a = 0; a < actions; a++) slope += excess(i, a) * scores[a]![i]!
        for (let a = 0; a < free; a++) out[a] = excess(i, a)
        out[free] = slope
      },
    }
  return {
    size: free * width,
    write: (i: number, out: Float64Array) => {
      for (let a = 0; a < free; a++) {
        const own = excess(i, a)
        for (let j = 0; j < width; j++) out[a * width + j] = own * rows[i * width + j]!
      }
    },
  }
}
