// Overlap of observed and missing rows: how the fitted observation probabilities are spread in each, and what the weights leave.

import type { AnalysisRows } from './analysis-rows.js'

interface OverlapBin {
  readonly from: number
  readonly to: number
  readonly observed: number
  readonly missing: number
}

export interface OverlapTable {
  readonly bins: readonly OverlapBin[]
  readonly smallest: number
  /** Share of rows whose probability was raised to the observation minimum. */
  readonly atFloor: number
  /** Of the observed rows, weighted by 1/e. */
  readonly effectiveRows: number
  /** The largest weight's share of all. */
  readonly largestShare: number
}

export function overlapTable(rows: AnalysisRows, probabilities: Float64Array, floor: number, bins = 10): OverlapTable {
  const counts = Array.from({ length: bins }, () => ({ observed: 0, missing: 0 }))
  let weight = 0
  let square = 0
  let largest = 0
  let atFloor = 0
  let smallest = 1
  probabilities.forEach((e, row) => {
    smallest = Math.min(smallest, e)
    if (e <= floor) atFloor++
    const bin = counts[Math.min(bins - 1, Math.floor(e * bins))]!
    if (rows.observed[row] !== 1) {
      bin.missing++
      return
    }
    bin.observed++
    weight += 1 / e
    square += 1 / (e * e)
    largest = Math.max(largest, 1 / e)
  })
  return {
    bins: counts.map((bin, k) => ({ from: k / bins, to: (k + 1) / bins, ...bin })),
    smallest,
    atFloor: atFloor / rows.count,
    effectiveRows: square > 0 ? (weight * weight) / square : 0,
    largestShare: weight > 0 ? largest / weight : 0,
  }
}
