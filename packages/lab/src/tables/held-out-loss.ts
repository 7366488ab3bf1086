// Losses on rows that a fit has not seen, as estimates for all rows: observed rows weighted by 1/e-hat (Hajek).

import type { Feature } from '@primo/core'
import type { LossReport } from './calibration-report.js'
import type { CalibrationRows } from './calibration-rows.js'
import { levelsOf } from './encode-column.js'
import { WeightedMean } from './weighted-mean.js'

/** Squared error over the observed rows, weighted by 1/e-hat. */
export function squaredError(
  rows: CalibrationRows,
  predicted: Float64Array,
  probabilities: Float64Array,
): WeightedMean {
  const error = new WeightedMean()
  for (let row = 0; row < rows.count; row++) {
    if (rows.known[row] === 1) error.add(1 / probabilities[row]!, squaredErrorOf(rows, predicted, row))
  }
  return error
}

export function squaredErrorOf(rows: CalibrationRows, predicted: Float64Array, row: number): number {
  let sum = 0
  for (let k = row * rows.width; k < (row + 1) * rows.width; k++) sum += (rows.truth[k]! - predicted[k]!) ** 2
  return sum
}

export function lossReport(
  rows: CalibrationRows,
  predicted: Float64Array,
  probabilities: Float64Array,
  feature: Feature,
  unit: number,
): LossReport {
  const { width } = rows
  const mse = squaredError(rows, predicted, probabilities).estimate
  const biases = Array.from({ length: width }, (_, k) => {
    const bias = new WeightedMean()
    for (let row = 0; row < rows.count; row++) {
      const at = row * width + k
      if (rows.known[row] === 1) bias.add(1 / probabilities[row]!, unit * (predicted[at]! - rows.truth[at]!))
    }
    return bias.estimate
  })
  return {
    mse: mse === null ? null : { value: unit * unit * mse.value, se: unit * unit * mse.se },
    bias:
      feature.type === 'category'
        ? Object.fromEntries(levelsOf(feature).map((level, k) => [level, biases[k] ?? null]))
        : (biases[0] ?? null),
  }
}

/** Loss of the calibrated predictions less that of the pre-trained ones, row by row. */
export function pairedDifference(
  rows: CalibrationRows,
  calibrated: Float64Array,
  probabilities: Float64Array,
  unit: number,
) {
  const difference = new WeightedMean()
  for (let row = 0; row < rows.count; row++) {
    if (rows.known[row] !== 1) continue
    const change = squaredErrorOf(rows, calibrated, row) - squaredErrorOf(rows, rows.pretrained, row)
    difference.add(1 / probabilities[row]!, unit * unit * change)
  }
  return difference.estimate
}
