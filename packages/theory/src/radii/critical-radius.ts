// Critical radius: the smallest t > 0 with R_N(t) <= t^2/16, R_N the local Rademacher complexity
// (method#critical-radius). For a class star-shaped about its centre R_N(t)/t does not increase, so the root is unique
// and bisection on log t finds it. Without the constant 16 the answer is the root of R(t) = t^2 with the complexity's
// own constants dropped: the rate alone. The printed definition (argmin of a set) names the same number (erratum E9).
// Linear class with p parameters: R_N(t) = t sqrt(p/N), so r_N = 16 sqrt(p/N), or sqrt(p/N) as a rate.

import { PrimoError, requireAtLeast, requirePositive } from '@primo/numeric'
import { type Assumption, radiusAssumptions } from '../assumptions.js'

/** Which formula a critical radius came from. */
export type RadiusFormula =
  | 'linear'
  | 'lipschitz'
  | 'convex-lipschitz'
  | 'twice-differentiable'
  | 'entropy'
  | 'ellipsoid'
  | 'monte-carlo'

/** A critical radius, what it was computed from and what to beware of. */
export interface CriticalRadius {
  readonly radius: number
  readonly rows: number
  /** Which formula gave the number. */
  readonly formula: RadiusFormula
  /** The formula in words of the code names. */
  readonly expression: string
  /** true: R(t) <= t^2/16 with the bound's own constants; false: the rate alone. */
  readonly constant16: boolean
  /** Monte-Carlo standard error of the radius; 0 for closed forms. */
  readonly standardError: number
  readonly assumptions: readonly Assumption[]
}

/** The size of a linear class. */
export interface LinearRadiusOptions {
  /** Number of parameters; with separate parameters per action, their total. */
  readonly dimension: number
  readonly rows: number
  /** Default true. */
  readonly constant16?: boolean
}

/** 16 sqrt(dimension/rows), or sqrt(dimension/rows) as a rate. */
export function linearRadius(options: LinearRadiusOptions): CriticalRadius {
  const { dimension, rows, constant16 = true } = options
  requirePositive('dimension', dimension)
  requireAtLeast('rows', rows, 1)
  const rate = Math.sqrt(dimension / rows)
  return closedForm('linear', rows, constant16 ? 16 * rate : rate, constant16, 'c * sqrt(dimension / rows)')
}

export function closedForm(
  formula: RadiusFormula,
  rows: number,
  radius: number,
  constant16: boolean,
  expression: string,
): CriticalRadius {
  return Object.freeze({
    radius,
    rows,
    formula,
    expression,
    constant16,
    standardError: 0,
    assumptions: radiusAssumptions(formula),
  })
}

/** The t with complexity(t) = t^2/16, for a complexity with complexity(t)/t not increasing; 0 when it vanishes. */
export function solveRadius(complexity: (t: number) => number, divisor = 16): number {
  const excess = (logT: number): number => {
    const t = Math.exp(logT)
    const value = complexity(t)
    if (!(value >= 0) || !Number.isFinite(value)) {
      throw new PrimoError('not-finite', `complexity(${t}) must be a finite number >= 0, got ${value}`, { t, value })
    }
    return value - (t * t) / divisor
  }
  let low = 0
  let high = 0
  while (excess(high) > 0 && high < 300) high += 4
  low = high
  while (excess(low) <= 0) {
    if (low < -300) return 0
    high = low
    low -= 4
  }
  for (let step = 0; step < 100 && high - low > 1e-14; step++) {
    const middle = (low + high) / 2
    if (excess(middle) > 0) low = middle
    else high = middle
  }
  return Math.exp(high)
}
