// The mean square of a conditional mean, E[s d(x)^2] with d(x) = E[D | x], s = 1 ('all') or 1 - b ('missing'), for D seen only where
// b = 1, under MAR. With d1 and d2 fitted on two halves of the other folds, and w = 1/e or (1-e)/e,
//   psi = s d1 d2 + b w [d1 (D - d2) + d2 (D - d1)],   E psi = E[s (d^2 - (d1 - d)(d2 - d))]:
// what is left of the errors of d1 and d2 is their product, which has mean 0 where they are independent and unbiased; d_1^2 in place
// of d1 d2 would always fall short. Its standard deviation, half of E[s (d1 - d2)^2] over the root of the number of coefficients (each adds
// an independent product), goes into the standard error.
// The estimate can come out below 0 where d is about 0, and is then reported as 0.

import { type TheoryWarning, theoryWarning } from '@primo/theory'
import { influenceInterval } from './influence-interval.js'
import { unsupportedBy, withoutEnd } from './missing-mean.js'

export interface SquaredMeanInput {
  /** D_i; entries of unobserved rows are never read. */
  readonly values: ArrayLike<number>
  readonly observed: ArrayLike<number>
  readonly probabilities: ArrayLike<number>
  /** d1(x_i) and d2(x_i). */
  readonly halves: {
    readonly first: ArrayLike<number>
    readonly second: ArrayLike<number>
    /** Coefficients that each was fitted with, at least. */
    readonly columns: number
  }
  /** Default 'all'. */
  readonly target?: 'all' | 'missing'
  /** Default 0.95. */
  readonly level?: number
}

export interface SquaredMean {
  readonly estimate: number
  readonly standardError: number
  readonly lower: number
  readonly upper: number
  /** One-sided. */
  readonly upperLimit: number
  readonly degrees: number
  /** Why there is no interval; null: there is one. */
  readonly unsupported: TheoryWarning | null
  readonly warnings: readonly TheoryWarning[]
}

export function squaredMean(input: SquaredMeanInput): SquaredMean {
  const { observed, probabilities, level = 0.95 } = input
  const { estimate: raw, influence, extraVariance } = squaredInfluence(input)
  const estimate = Math.max(0, raw)
  const interval = influenceInterval(estimate, influence, { level, scale: 'linear', extraVariance })
  const unsupported = unsupportedBy(observed, probabilities)
  const warnings: TheoryWarning[] = unsupported === null ? [] : [unsupported]
  if (raw <= 0)
    warnings.push(theoryWarning('clipped-at-zero', 'the estimate is not positive and is reported as 0', { raw }))
  const ends = unsupported === null ? interval : withoutEnd('log')
  return Object.freeze({
    estimate,
    ...interval,
    ...ends,
    lower: Math.max(0, ends.lower),
    unsupported,
    warnings: Object.freeze(warnings),
  })
}

/** The mean of psi, psi_i less it, and what the product of the errors of d1 and d2 adds to its variance. */
export function squaredInfluence({ values, observed, probabilities, halves, target = 'all' }: SquaredMeanInput) {
  const rows = observed.length
  const { first, second, columns } = halves
  const weightOf = (e: number) => (target === 'all' ? 1 / e : (1 - e) / e)
  let weight = 0
  let wanted = 0
  for (let i = 0; i < rows; i++) {
    if (observed[i]) weight += weightOf(probabilities[i]!)
    if (target === 'all' || !observed[i]) wanted++
  }
  const factor = weight > 0 ? wanted / weight : 0
  const psi = new Float64Array(rows)
  let sum = 0
  let apart = 0
  for (let i = 0; i < rows; i++) {
    const [d1, d2] = [first[i]!, second[i]!]
    if (target === 'all' || !observed[i]) {
      psi[i] = d1 * d2
      apart += (d1 - d2) ** 2
    }
    if (observed[i])
      psi[i] = psi[i]! + factor * weightOf(probabilities[i]!) * (d1 * (values[i]! - d2) + d2 * (values[i]! - d1))
    sum += psi[i]!
  }
  const estimate = sum / rows
  for (let i = 0; i < rows; i++) psi[i] = psi[i]! - estimate
  return { estimate, influence: psi, extraVariance: (apart / rows / 2) ** 2 / columns }
}
