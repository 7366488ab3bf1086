// The rate of the critical radius for a class with log-covering number (scale/eps)^d, constants dropped
// (method#theorems, method#critical-radius):
//   d < 2:  scale^(d/(d+2)) n^(-1/(d+2))      d = 2:  scale^(1/2) n^(-1/4) sqrt(log n)      d > 2:  scale^(1/2)
//     n^(-1/(2d))
// scale = 1 for the whole class or its L2 ball (erratum E17), delta0 for the complexity ball. Least squares over the
// class pays n^(-1/(2d)) beyond d = 2; the paper's -1/(d+2) there does not follow from its integral (E18).

import { requireAtLeast, requirePositive } from '@primo/numeric'

/** The entropy exponent of a class, and the rows. */
export interface EntropyRateOptions {
  readonly entropyExponent: number
  readonly rows: number
  /** Default 1. */
  readonly scale?: number
}

/** The rate of a critical radius, constants dropped. */
export function entropyRate(options: EntropyRateOptions): number {
  const { entropyExponent: d, rows, scale = 1 } = options
  requirePositive('entropyExponent', d)
  requireAtLeast('rows', rows, 1)
  requireAtLeast('scale', scale, 0)
  if (d < 2) return scale ** (d / (d + 2)) * rows ** (-1 / (d + 2))
  // log n below 1 would turn the factor around for n < 3.
  if (d === 2) return Math.sqrt(scale) * rows ** -0.25 * Math.sqrt(Math.max(1, Math.log(rows)))
  return Math.sqrt(scale) * rows ** (-1 / (2 * d))
}
