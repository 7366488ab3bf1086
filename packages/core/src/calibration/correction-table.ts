// The rows of a calibration in one piece, for fits that need all of them at once.

import type { CovariateRows } from '../rounds/covariate-rows.js'

export interface CorrectionTable {
  readonly count: number
  readonly contextWidth: number
  readonly width: number
  readonly context: Float64Array
  readonly pretrained: Float64Array
  readonly truth: Float64Array
  readonly known: Uint8Array
}

export function correctionTable(rows: CovariateRows): CorrectionTable {
  const { count, contextWidth: p, width } = rows
  const context = new Float64Array(count * p)
  const pretrained = new Float64Array(count * width)
  const truth = new Float64Array(count * width)
  const known = new Uint8Array(count)
  let first = 0
  for (const batch of rows.batches) {
    context.set(batch.context.subarray(0, batch.count * p), first * p)
    pretrained.set(batch.pretrained.subarray(0, batch.count * width), first * width)
    truth.set(batch.truth.subarray(0, batch.count * width), first * width)
    known.set(batch.known.subarray(0, batch.count), first)
    first += batch.count
  }
  return { count, contextWidth: p, width, context, pretrained, truth, known }
}
