// How a prediction relates to the truth: z = intercept + slope g by least squares over all rows (observed ones weighted by 1/e),
// with sandwich standard errors, and the mean distance between prediction and truth over bins of about equal size. A calibrated
// prediction has slope 1, intercept 0 and distance 0.

import { quantile } from '../tables/observation-report.js'
import type { Estimate } from '../tables/weighted-mean.js'
import { WeightedMean } from '../tables/weighted-mean.js'
import type { AnalysisRows } from './analysis-rows.js'

interface CurveBin {
  readonly prediction: number
  readonly truth: number
  /** 95% band of the mean truth, bin by bin. */
  readonly low: number
  readonly high: number
  readonly count: number
}

export interface CalibrationLine {
  readonly slope: Estimate | null
  readonly intercept: Estimate | null
  /** sum over bins of weight share x |mean prediction - mean truth|. */
  readonly distance: number
  readonly curve: readonly CurveBin[]
}

const Z95 = 1.959963984540054

export function calibrationLine(
  rows: AnalysisRows,
  predicted: Float64Array,
  probabilities: Float64Array,
  bins: number,
): CalibrationLine {
  const seen = predicted.filter((_, row) => rows.observed[row] === 1).sort()
  const edges = Array.from({ length: bins - 1 }, (_, k) => quantile(seen, (k + 1) / bins))
  const predictions = Array.from({ length: bins }, () => new WeightedMean())
  const truths = Array.from({ length: bins }, () => new WeightedMean())
  for (let row = 0; row < rows.count; row++) {
    if (rows.observed[row] !== 1) continue
    const g = predicted[row]!
    let bin = 0
    while (bin < bins - 1 && g > edges[bin]!) bin++
    predictions[bin]!.add(1 / probabilities[row]!, g)
    truths[bin]!.add(1 / probabilities[row]!, rows.truth[row]!)
  }
  const total = truths.reduce((sum, mean) => sum + mean.weight, 0)
  const curve: CurveBin[] = []
  let distance = 0
  truths.forEach((mean, k) => {
    const truth = mean.estimate
    const prediction = predictions[k]!.mean
    if (truth === null || prediction === null) return
    distance += (mean.weight / total) * Math.abs(prediction - truth.value)
    curve.push({
      prediction,
      truth: truth.value,
      low: truth.value - Z95 * truth.se,
      high: truth.value + Z95 * truth.se,
      count: mean.count,
    })
  })
  return { ...line(rows, predicted, probabilities), distance, curve }
}

function line(rows: AnalysisRows, predicted: Float64Array, probabilities: Float64Array) {
  let w = 0
  let g = 0
  let z = 0
  for (let row = 0; row < rows.count; row++) {
    if (rows.observed[row] !== 1) continue
    const weight = 1 / probabilities[row]!
    w += weight
    g += weight * predicted[row]!
    z += weight * rows.truth[row]!
  }
  const [meanG, meanZ] = [g / w, z / w]
  let gg = 0
  let gz = 0
  for (let row = 0; row < rows.count; row++) {
    if (rows.observed[row] !== 1) continue
    const weight = 1 / probabilities[row]!
    gg += weight * (predicted[row]! - meanG) ** 2
    gz += weight * (predicted[row]! - meanG) * (rows.truth[row]! - meanZ)
  }
  if (!(gg > 1e-12 * w)) return { slope: null, intercept: null }
  const slope = gz / gg
  let slopeSquare = 0
  let interceptSquare = 0
  for (let row = 0; row < rows.count; row++) {
    if (rows.observed[row] !== 1) continue
    const weight = 1 / probabilities[row]!
    const distance = predicted[row]! - meanG
    const residual = rows.truth[row]! - meanZ - slope * distance
    slopeSquare += ((weight * residual * distance) / gg) ** 2
    interceptSquare += (weight * residual * (1 / w - (meanG * distance) / gg)) ** 2
  }
  return {
    slope: { value: slope, se: Math.sqrt(slopeSquare) },
    intercept: { value: meanZ - slope * meanG, se: Math.sqrt(interceptSquare) },
  }
}
