// Reliability of a prediction: rows in bins of about equal size by their prediction, mean prediction against mean truth,
// weighted by 1/e-hat so that the curve speaks of all rows. The levels of a category are pooled.

import type { CalibrationRows } from './calibration-rows.js'
import { quantile } from './observation-report.js'
import { WeightedMean } from './weighted-mean.js'

export interface CalibrationBin {
  readonly prediction: number
  readonly truth: number
  /** Standard error of the mean truth. */
  readonly se: number
  readonly count: number
}

/** `decode` turns an inside value into the user's units. */
export function calibrationCurve(
  rows: CalibrationRows,
  predicted: Float64Array,
  probabilities: Float64Array,
  bins: number,
  decode: (inside: number) => number,
): readonly CalibrationBin[] {
  const { width } = rows
  const seen = predicted.filter((_, at) => rows.known[Math.floor(at / width)] === 1).sort()
  if (seen.length === 0) return []
  const edges = Array.from({ length: bins - 1 }, (_, k) => quantile(seen, (k + 1) / bins))
  const predictions = Array.from({ length: bins }, () => new WeightedMean())
  const truths = Array.from({ length: bins }, () => new WeightedMean())
  for (let at = 0; at < predicted.length; at++) {
    const row = Math.floor(at / width)
    if (rows.known[row] !== 1) continue
    const value = predicted[at]!
    let bin = 0
    while (bin < bins - 1 && value > edges[bin]!) bin++
    const weight = 1 / probabilities[row]!
    predictions[bin]!.add(weight, decode(value))
    truths[bin]!.add(weight, decode(rows.truth[at]!))
  }
  return truths.flatMap((mean, k) => {
    const truth = mean.estimate
    if (truth === null) return []
    return [{ prediction: predictions[k]!.mean!, truth: truth.value, se: truth.se, count: mean.count }]
  })
}
