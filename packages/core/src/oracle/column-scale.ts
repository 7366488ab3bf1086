// Columns in units of what was seen: (value - centre) * unit in place of a value that fills a small part of its declared range. The unit
// is the power of two next to 1/(2 sd), the centre a multiple of 1/unit: they stay as they are until the values seen no longer fit.

import type { Sums } from '@primo/numeric'

export interface ColumnScale {
  readonly centre: number
  readonly unit: number
}

export const DECLARED: ColumnScale = { centre: 0, unit: 1 }

export function inScale(value: number, { centre, unit }: ColumnScale): number {
  return (value - centre) * unit
}

/** A scale fits while, in it, the sd is in this range and the mean at most so many sd away from 0. */
const SMALLEST_SD = 1 / 16
const LARGEST_SD = 2
const FARTHEST_MEAN = 8

/**
 * The scales by plain column (those after the constant), from sums taken in the scales before; absent: as declared. The same object where
 * all fit. A column that does not vary keeps what it has.
 */
export function fittingScale(
  sums: readonly Sums[],
  numbers: readonly boolean[],
  before: readonly ColumnScale[] | undefined,
): readonly ColumnScale[] | undefined {
  const width = sums[0]!.columns + 1
  const weight = sums.reduce((total, sum) => total + sum.weight, 0)
  if (!(weight > 0)) return before
  let changed = false
  const scales = numbers.slice(1).map((isNumber, k): ColumnScale => {
    const old = before?.[k] ?? DECLARED
    if (!isNumber) return old
    let total = 0
    let square = 0
    for (const { gram } of sums) {
      total += gram[k + 1]!
      square += gram[(k + 1) * (width + 1)]!
    }
    const mean = total / weight
    const sd = Math.sqrt(Math.max(0, square / weight - mean * mean))
    // What rounding leaves of a constant is no spread.
    if (!(sd > 1e-7 * Math.abs(mean))) return old
    if (sd >= SMALLEST_SD && sd <= LARGEST_SD && Math.abs(mean) <= FARTHEST_MEAN * sd) return old
    changed = true
    const seen = sd / old.unit
    const unit = 2 ** Math.max(0, Math.round(-1 - Math.log2(seen)))
    return { centre: Math.round((old.centre + mean / old.unit) * unit) / unit, unit }
  })
  return changed ? scales : before
}
