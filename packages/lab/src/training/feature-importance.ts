// By how much the held-out loss rises where one feature's values are those of another row of the same fold, drawn without replacement:
// each row is predicted by the models that did not see it. At most MAX_ROWS rows are looked at.

import { compileScores, featureColumns, linkScores } from '@primo/core/engine'
import type { Random } from '@primo/numeric'
import { lossOf, type ScoredRowsInput, type Validated } from './cross-validate.js'
import type { TrainingFeature } from './training-rows.js'

const MAX_ROWS = 4000

export function featureImportance(
  features: readonly TrainingFeature[],
  { inputs, width, truths, target }: ScoredRowsInput,
  { candidate, models, link }: Validated,
  folds: Uint8Array,
  random: Random,
): readonly { readonly feature: string; readonly rise: number }[] {
  const list = features.map(({ feature }) => feature)
  const predictors = models.map((scores) => compileScores({ features: list, columns: candidate.columns, scores }))
  const chosen = random.split('rows').permutation(truths.length).slice(0, MAX_ROWS).sort()
  const row = new Float64Array(width)
  const values = new Float64Array(models[0]!.length)
  const lossAt = (i: number) => {
    predictors[folds[i]!]!.forEach((predictor, k) => {
      values[k] = predictor.row(row, 0)
    })
    linkScores({ target, link }, values)
    return lossOf(target, values, truths[i]!)
  }
  let base = 0
  for (const i of chosen) {
    row.set(inputs.subarray(i * width, (i + 1) * width))
    base += lossAt(i)
  }
  let at = 0
  const found = list.map((feature, k) => {
    const columns = featureColumns(feature, candidate.columns)
    const others = shuffledWithin(chosen, folds, random.split('feature', k))
    let sum = 0
    chosen.forEach((i, j) => {
      row.set(inputs.subarray(i * width, (i + 1) * width))
      const other = others[j]! * width + at
      row.set(inputs.subarray(other, other + columns), at)
      sum += lossAt(i)
    })
    at += columns
    return { feature: feature.name, rise: (sum - base) / chosen.length }
  })
  return found.sort((a, b) => b.rise - a.rise)
}

/** For each chosen row another one of its fold. */
function shuffledWithin(chosen: Uint32Array, folds: Uint8Array, random: Random): Uint32Array {
  const byFold = new Map<number, number[]>()
  chosen.forEach((i, j) => {
    const own = byFold.get(folds[i]!)
    if (own === undefined) byFold.set(folds[i]!, [j])
    else own.push(j)
  })
  const out = new Uint32Array(chosen.length)
  for (const [fold, places] of byFold) {
    const order = random.split(fold).permutation(places.length)
    places.forEach((j, p) => {
      out[j] = chosen[places[order[p]!]!]!
    })
  }
  return out
}
