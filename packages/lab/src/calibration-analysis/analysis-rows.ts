// The rows of a table that the analysis of a calibration reads, with the covariate in the user's units. A covariate is a number,
// or a boolean taken as 0 and 1.

import type { CovariateBatch, CovariateRows, MissingTable } from '@primo/core/engine'
import { BLOCK_ROUNDS, PrimoError, type Random } from '@primo/numeric'
import { type CalibrationRows, calibrationRows } from '../tables/calibration-rows.js'
import type { EncodedTable } from '../tables/encode-table.js'
import { numberUnit } from '../tables/user-units.js'

export interface AnalysisRows extends MissingTable {
  readonly count: number
  /** Inside units, as the fits use them. */
  readonly inside: CalibrationRows
  /** z in the user's units, 0 where it is missing; g~ on every row. */
  readonly truth: Float64Array
  readonly pretrained: Float64Array
  /** From inside units to the user's. */
  readonly decode: (inside: number) => number
}

export function analysisRows(encoded: EncodedTable, random: Random): AnalysisRows {
  const { feature, name } = encoded.encoding.covariates[0]!
  if (feature.type === 'category') {
    const rule = 'the analysis must be about a number or a boolean (make a boolean of each level)'
    throw new PrimoError('invalid-option', `${rule}, got the category ${name}`, { field: 'covariate', value: name })
  }
  const inside = calibrationRows(encoded, random)
  if (inside.knownCount < 20 || inside.knownCount === inside.count) {
    const rule = 'the analysis needs at least 20 observed values and one missing value among rows with a prediction'
    throw new PrimoError('invalid-option', `${rule}, got ${inside.knownCount} of ${inside.count} observed`, {
      observed: inside.knownCount,
    })
  }
  const decode = feature.type === 'number' ? numberUnit(feature).fromInside : (value: number) => value
  return {
    count: inside.count,
    inside,
    context: inside.context,
    contextWidth: inside.contextWidth,
    observed: inside.known,
    truth: inside.truth.map((value, row) => (inside.known[row] === 1 ? decode(value) : 0)),
    pretrained: inside.pretrained.map(decode),
    decode,
  }
}

/** A correction is fitted on at most so many rows, evenly spread: more would not change what is said of it. */
const MAX_ROWS = 150_000

/** Some of the rows, as core's calibration reads them. */
export function rowsWhere(rows: CalibrationRows, keep: (row: number) => boolean): CovariateRows {
  const { contextWidth: p } = rows
  const all = new Uint32Array(rows.count)
  let found = 0
  for (let row = 0; row < rows.count; row++) if (keep(row)) all[found++] = row
  const step = Math.ceil(found / MAX_ROWS)
  const kept =
    step <= 1 ? all.subarray(0, found) : Uint32Array.from({ length: Math.ceil(found / step) }, (_, k) => all[k * step]!)
  const batches: CovariateBatch[] = []
  for (let first = 0, block = 0; first < kept.length; first += BLOCK_ROUNDS, block++) {
    const part = kept.subarray(first, first + BLOCK_ROUNDS)
    const context = new Float64Array(part.length * p)
    part.forEach((row, k) => {
      context.set(rows.context.subarray(row * p, (row + 1) * p), k * p)
    })
    batches.push({
      block,
      count: part.length,
      context,
      pretrained: Float64Array.from(part, (row) => rows.pretrained[row]!),
      truth: Float64Array.from(part, (row) => rows.truth[row]!),
      known: Uint8Array.from(part, (row) => rows.known[row]!),
    })
  }
  const knownCount = kept.reduce((sum, row) => sum + rows.known[row]!, 0)
  return { contextWidth: p, width: 1, count: kept.length, knownCount, withoutPrediction: 0, batches }
}
