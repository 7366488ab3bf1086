// Overlap: how rarely the value is observed in the contexts where it is observed least (method#constants). Probabilities are those
// before any clipping. eps0 is the user's and is never estimated as the smallest fitted probability; this says how credible it is.

import { invalidOption, requireShare } from '@primo/numeric'
import { type TheoryWarning, theoryWarning } from '@primo/theory'

export interface OverlapOptions {
  /** e(x_i), not clipped. */
  readonly probabilities: ArrayLike<number>
  /** eps0 in (0, 1], default 0.05. */
  readonly floor?: number
}

export interface Overlap {
  readonly floor: number
  readonly rows: number
  readonly smallest: number
  /** 1%, 5%, 25% and 50% quantiles. */
  readonly quantiles: readonly number[]
  readonly shareAtFloor: number
  readonly warnings: readonly TheoryWarning[]
}

export function diagnoseOverlap(options: OverlapOptions): Overlap {
  const { probabilities, floor = 0.05 } = options
  requireShare('floor', floor)
  const rows = probabilities.length
  if (rows === 0) invalidOption('probabilities', 'a list with at least one number', probabilities)
  const sorted = Float64Array.from({ length: rows }, (_, i) => {
    const e = probabilities[i]!
    if (!(e >= 0 && e <= 1)) invalidOption(`probabilities[${i}]`, 'in [0, 1]', e)
    return e
  }).sort()
  let atFloor = 0
  while (atFloor < rows && sorted[atFloor]! <= floor) atFloor++
  const share = atFloor / rows
  const warning = theoryWarning(
    'overlap-below-floor',
    'some contexts are observed with at most the floor probability',
    {
      share,
      smallest: sorted[0]!,
      floor,
    },
  )
  return Object.freeze({
    floor,
    rows,
    smallest: sorted[0]!,
    quantiles: Object.freeze([0.01, 0.05, 0.25, 0.5].map((p) => sorted[Math.min(rows - 1, Math.floor(p * rows))]!)),
    shareAtFloor: share,
    warnings: Object.freeze(atFloor > 0 ? [warning] : []),
  })
}

/** On long tables some of the rows stand for all. */
const MAX_SORTED = 10_000

/** How many observed values to expect in the tenth of the rows where they are rarest: fewer than one, and nothing is known there. */
export function expectedWhereRarest(probabilities: ArrayLike<number>): number {
  const rows = probabilities.length
  const step = Math.ceil(rows / MAX_SORTED)
  const sorted = Float64Array.from({ length: Math.ceil(rows / step) }, (_, i) => probabilities[i * step]!).sort()
  const tenth = Math.max(1, Math.floor(sorted.length / 10))
  let sum = 0
  for (let i = 0; i < tenth; i++) sum += sorted[i]!
  return (sum * rows) / sorted.length
}
