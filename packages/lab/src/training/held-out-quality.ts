// What held-out rows say about a model: its calibration curve (groups of similar predictions), the best constant's loss, and for numbers
// the spread of its errors by the size of the prediction, with the quantiles that draws are made from.

import type { CurvePoint, TrainedModel, TrainedSpread, TrainedTarget } from '@primo/core'
import { linkScores, spreadAt } from '@primo/core/engine'
import { sortOrder } from '@primo/numeric'
import { lossOf, meanLoss, type Validated } from './cross-validate.js'

const GROUPS = 10
const FEWEST_IN_GROUP = 50
const MAX_QUANTILES = 201

/** Held-out predictions: values[k][i] of score k and row i. */
export function heldOutValues(target: TrainedTarget, { scores, link }: Validated): readonly Float64Array[] {
  const values = scores.map((list) => Float64Array.from(list))
  const row = new Float64Array(values.length)
  for (let i = 0; i < (values[0]?.length ?? 0); i++) {
    for (let k = 0; k < row.length; k++) row[k] = values[k]![i]!
    linkScores({ target, link }, row)
    for (let k = 0; k < row.length; k++) values[k]![i] = row[k]!
  }
  return values
}

/** Groups of rows with similar values: positions in their order, from ... to. */
function groups(count: number, most = GROUPS): readonly (readonly [number, number])[] {
  const many = Math.max(1, Math.min(most, Math.floor(count / FEWEST_IN_GROUP)))
  return Array.from({ length: many }, (_, g) => [Math.floor((g * count) / many), Math.floor(((g + 1) * count) / many)])
}

export function calibrationCurve(
  target: TrainedTarget,
  values: readonly Float64Array[],
  truths: Float64Array,
): readonly CurvePoint[] {
  return values.flatMap((list, k) => {
    const order = sortOrder(list)
    return groups(list.length, target.type === 'category' ? 5 : GROUPS).map(([from, to]) => {
      let [predicted, observed] = [0, 0]
      for (let i = from; i < to; i++) {
        predicted += list[order[i]!]!
        const truth = truths[order[i]!]!
        observed += target.type === 'category' ? (truth === k ? 1 : 0) : truth
      }
      const point = { rows: to - from, predicted: predicted / (to - from), observed: observed / (to - from) }
      return target.type === 'category' ? { level: target.levels[k]!, ...point } : point
    })
  })
}

/** Loss of the best constant: the mean, or the shares. */
export function constantLoss(target: TrainedTarget, truths: Float64Array, weights: Float64Array | null): number {
  const shares = new Float64Array(target.type === 'category' ? target.levels.length : 1)
  let total = 0
  truths.forEach((truth, i) => {
    const weight = weights === null ? 1 : weights[i]!
    total += weight
    const k = target.type === 'category' ? truth : 0
    shares[k] = shares[k]! + (target.type === 'category' ? weight : weight * truth)
  })
  for (let k = 0; k < shares.length; k++) shares[k] = shares[k]! / total
  return meanLoss(
    truths.map((truth) => lossOf(target, shares, truth)),
    weights,
  )
}

export function spreadOf(predictions: Float64Array, truths: Float64Array): TrainedSpread {
  const order = sortOrder(predictions)
  const cuts: number[] = []
  const sd: number[] = []
  let from = 0
  for (const [, to] of groups(predictions.length)) {
    // A group ends where the prediction changes.
    let end = to
    while (end > from && end < order.length && predictions[order[end]!] === predictions[order[end - 1]!]) end++
    if (end <= from) continue
    let square = 0
    for (let i = from; i < end; i++) square += (truths[order[i]!]! - predictions[order[i]!]!) ** 2
    sd.push(Math.sqrt(square / (end - from)))
    if (end < order.length) cuts.push(predictions[order[end - 1]!]!)
    from = end
    if (end === order.length) break
  }
  const spread: Pick<TrainedModel, 'spread'> = { spread: { cuts, sd, quantiles: [] } }
  const errors = predictions.map((value, i) => {
    const unit = spreadAt(spread, value)
    return unit > 0 ? (truths[i]! - value) / unit : 0
  })
  errors.sort()
  const many = Math.min(MAX_QUANTILES, errors.length)
  const quantiles = Array.from({ length: many }, (_, j) => errors[Math.floor(((j + 0.5) * errors.length) / many)]!)
  return { cuts, sd, quantiles }
}
