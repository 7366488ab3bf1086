// The mean of a value v that is seen only where b = 1, under MAR, over all rows or over the missing ones (augmented inverse
// probability weighting; right if either e or m = E[v | x, b = 1] is):
//   all:      mean of  m + b/e (v - m)
//   missing:  mean of [(1 - b) m + b (1 - e)/e (v - m)] / share missing
// Several repetitions are joined by their median (Chernozhukov and others 2018):
//   theta = median theta_r,  se = sqrt(median (se_r^2 + (theta_r - theta)^2)).

import { crossFitRegression, type Folds, type MissingTable } from '@primo/core/engine'
import type { Estimate } from '../tables/weighted-mean.js'

export interface IntervalEstimate extends Estimate {
  readonly low: number
  readonly high: number
}

const Z95 = 1.959963984540054

export function augmentedMean(
  table: MissingTable,
  folds: Folds,
  probabilities: Float64Array,
  values: Float64Array,
  target: 'all' | 'missing',
): Estimate {
  const { observed } = table
  const rows = observed.length
  const regression = crossFitRegression(table, folds, values)
  const missing = rows - observed.reduce((sum, b) => sum + b, 0)
  const share = target === 'all' ? 1 : missing / rows
  const psi = regression.map((m, row) => {
    const e = probabilities[row]!
    const residual = observed[row] === 1 ? values[row]! - m : 0
    if (target === 'all') return m + residual / e
    return (observed[row] === 1 ? 0 : m) + ((1 - e) / e) * residual
  })
  const value = psi.reduce((sum, one) => sum + one, 0) / rows / share
  // The share is estimated too.
  const centred = psi.map((one, row) => one - value * (target === 'all' ? 1 : 1 - observed[row]!))
  const square = centred.reduce((sum, one) => sum + one * one, 0)
  return { value, se: Math.sqrt(square / Math.max(1, rows - 1) / rows) / share }
}

export function joinRepetitions(estimates: readonly Estimate[]): IntervalEstimate {
  const value = median(estimates.map((one) => one.value))
  const se = Math.sqrt(median(estimates.map((one) => one.se ** 2 + (one.value - value) ** 2)))
  return { value, se, low: value - Z95 * se, high: value + Z95 * se }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}
