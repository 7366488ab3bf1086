// Overlap: how near the fitted observation probabilities come to the floor eps0 (method#constants). The floor is the user's and is
// never estimated as the smallest fitted probability; this reports how credible it is.

import { invalidOption, requireShare } from '@primo/numeric'
import { type TheoryWarning, theoryWarning } from '@primo/theory'

export interface OverlapOptions {
  /** e(x_i) before clipping, where available. */
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
