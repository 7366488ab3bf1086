// The split of Cal (Alg.2): which rows fit e-hat and which fit the correction.

import type { Random } from '@primo/numeric'
import type { ObservationBatch, ObservationRows } from '../missingness/fit-observation.js'
import type { CovariateRows } from '../rounds/covariate-rows.js'
import type { CalibrationSettings } from './settings.js'

/** Each pair: the fold that fits e-hat, the fold that fits the correction (2 stands for all rows). */
export function foldPairs(split: CalibrationSettings['split']): readonly (readonly [number, number])[] {
  if (split === 'none') return [[2, 2]]
  return split === 'half'
    ? [[0, 1]]
    : [
        [0, 1],
        [1, 0],
      ]
}

/** 0 or 1 per row: the first and the second half of a random order; the first is the smaller when the count is odd. */
export function foldsOf(count: number, split: CalibrationSettings['split'], random: Random): Uint8Array {
  const fold = new Uint8Array(count)
  if (split === 'none') return fold
  const order = random.permutation(count)
  for (let i = Math.floor(count / 2); i < count; i++) fold[order[i]!] = 1
  return fold
}

/** Rows of a fold as e-hat takes them. */
export function observationRows(rows: CovariateRows, fold: Uint8Array, wanted: number): ObservationRows {
  const p = rows.contextWidth
  const batches: ObservationBatch[] = []
  let position = 0
  for (const batch of rows.batches) {
    const context = new Float64Array(batch.count * p)
    const observed = new Uint8Array(batch.count)
    const reasons = batch.reasons === undefined ? null : new Uint8Array(batch.count)
    let count = 0
    for (let row = 0; row < batch.count; row++, position++) {
      if (wanted !== 2 && fold[position] !== wanted) continue
      for (let k = 0; k < p; k++) context[count * p + k] = batch.context[row * p + k]!
      if (reasons !== null) reasons[count] = batch.reasons![row]!
      observed[count++] = batch.known[row]!
    }
    if (count > 0)
      batches.push({ block: batch.block, count, context, observed, ...(reasons === null ? {} : { reasons }) })
  }
  return { contextWidth: p, ...(rows.causes === undefined ? {} : { causes: rows.causes }), batches }
}
