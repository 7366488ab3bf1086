// How well e(x) is known and what its weights do (method#observation-model). All figures but the model itself use, for every row, the
// model that the other fold fitted.

import type { ObservationModel } from '@primo/core/engine'
import type { CalibrationRows } from './calibration-rows.js'
import { WeightedMean } from './weighted-mean.js'

export interface ObservationReport {
  readonly kind: ObservationModel['kind']
  readonly floor: number
  /** The constant model's probability. */
  readonly probability?: number
  /** Intercept and one weight per context column (numbers scaled to [-1, 1], levels one-hot). */
  readonly weights?: Readonly<Record<string, number>>
  /** P(e-hat of an observed row > e-hat of a missing row); null when one kind of row is absent. */
  readonly auc: number | null
  /** Mean of (b - e-hat)^2. */
  readonly brier: number | null
  readonly min: number | null
  readonly quantiles: readonly { readonly p: number; readonly value: number }[]
  /** Share of rows whose probability was raised to the observation minimum. */
  readonly clippedShare: number
  /** (sum w)^2 / sum w^2 over the observed rows, w = 1/e-hat. */
  readonly effectiveSampleSize: number
  /** The largest weight's share of all weights. */
  readonly maxWeightShare: number
}

const QUANTILES = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99]

export function observationReport(
  model: ObservationModel,
  contextColumns: readonly string[],
  rows: CalibrationRows,
  probabilities: Float64Array,
): ObservationReport {
  const weights = new WeightedMean()
  let largest = 0
  let squared = 0
  let clipped = 0
  for (let row = 0; row < rows.count; row++) {
    const probability = probabilities[row]!
    squared += (rows.known[row]! - probability) ** 2
    if (probability <= model.floor) clipped++
    if (rows.known[row] !== 1) continue
    weights.add(1 / probability, 0)
    largest = Math.max(largest, 1 / probability)
  }
  const sorted = Float64Array.from(probabilities).sort()
  return {
    kind: model.kind,
    floor: model.floor,
    ...(model.kind === 'constant'
      ? { probability: model.probability }
      : model.kind === 'class' || model.kind === 'causes'
        ? {}
        : { weights: namedWeights(model.weights, contextColumns) }),
    auc: areaUnderCurve(rows, probabilities),
    brier: rows.count === 0 ? null : squared / rows.count,
    min: sorted[0] ?? null,
    quantiles: rows.count === 0 ? [] : QUANTILES.map((p) => ({ p, value: quantile(sorted, p) })),
    clippedShare: rows.count === 0 ? 0 : clipped / rows.count,
    effectiveSampleSize: weights.effectiveSize,
    maxWeightShare: weights.weight > 0 ? largest / weights.weight : 0,
  }
}

function namedWeights(weights: readonly number[], columns: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(weights.map((weight, k) => [k === 0 ? '(intercept)' : columns[k - 1]!, weight]))
}

/** Linear between order statistics. */
export function quantile(sorted: Float64Array, p: number): number {
  const at = p * (sorted.length - 1)
  const low = sorted[Math.floor(at)]!
  const high = sorted[Math.ceil(at)]!
  return low + (at - Math.floor(at)) * (high - low)
}

/** Ties count one half. */
function areaUnderCurve(rows: CalibrationRows, probabilities: Float64Array): number | null {
  const observed = probabilities.filter((_, row) => rows.known[row] === 1).sort()
  const missing = probabilities.filter((_, row) => rows.known[row] !== 1).sort()
  if (observed.length === 0 || missing.length === 0) return null
  let below = 0
  let upTo = 0
  let sum = 0
  for (const value of observed) {
    while (below < missing.length && missing[below]! < value) below++
    while (upTo < missing.length && missing[upTo]! <= value) upTo++
    sum += (below + upTo) / 2
  }
  return sum / (observed.length * missing.length)
}
