// Isotonic regression: increasing (or decreasing) in every column, fitted exactly by pooling adjacent violators; between the
// points straight lines, beyond them the last value. Several columns: a sum of such functions (additive.ts).
// Critical radius on one column: entropy exponent 1, as for all bounded monotone functions, so N^(-1/3).

import { invalidOption, poolAdjacentViolators, requireOptions } from '@primo/numeric'
import { entropyRadius } from '@primo/theory'
import { type AdditiveModel, compileAdditive, fitAdditive } from './additive.js'
import type { CurveClass, CurveFit } from './curve-fit.js'
import type { Regression } from './regression.js'

export interface IsotonicOptions {
  readonly kind: 'isotonic'
  /** 'auto' (default) takes, per column, the direction with the smaller residual sum. */
  readonly direction?: 'increasing' | 'decreasing' | 'auto'
}

export function isotonicRegression(options: IsotonicOptions): Regression<AdditiveModel> {
  requireOptions('isotonic', options, ['kind', 'direction'])
  const { direction = 'auto' } = options
  if (!['increasing', 'decreasing', 'auto'].includes(direction))
    invalidOption('isotonic.direction', '"increasing", "decreasing" or "auto"', direction)
  const curves: CurveClass = {
    mostPoints: Number.POSITIVE_INFINITY,
    prepare: (x, w) => {
      // Chosen at the first fit and kept: directions that change between passes would never settle.
      let chosen: 1 | -1 | null = direction === 'increasing' ? 1 : direction === 'decreasing' ? -1 : null
      return (y) => {
        if (chosen !== null) return monotone(x, y, w, chosen)
        const up = monotone(x, y, w, 1)
        const down = monotone(x, y, w, -1)
        chosen = residualSum(y, up.values, w) <= residualSum(y, down.values, w) ? 1 : -1
        return chosen === 1 ? up : down
      }
    },
  }
  return {
    kind: 'isotonic',
    takesMissing: false,
    fit: (rows) => fitAdditive('isotonic', rows, curves),
    compile: compileAdditive,
    radius: (columns, rows, constant16) =>
      columns === 1 ? entropyRadius({ entropyExponent: 1, rows, constant16 }).radius : null,
  }
}

function monotone(x: Float64Array, y: Float64Array, w: Float64Array, sign: 1 | -1): CurveFit {
  const { starts, values: levels } = poolAdjacentViolators(sign === 1 ? y : y.map((value) => -value), w)
  const values = new Float64Array(x.length)
  const knots: number[] = []
  const heights: number[] = []
  for (let block = 0; block < levels.length; block++) {
    const from = starts[block]!
    const to = starts[block + 1]! - 1
    const level = sign * levels[block]!
    values.fill(level, from, to + 1)
    knots.push(x[from]!)
    heights.push(level)
    if (to > from) {
      knots.push(x[to]!)
      heights.push(level)
    }
  }
  return { curve: { kind: 'line', x: knots, y: heights, beyond: 'constant' }, values, degreesOfFreedom: levels.length }
}

function residualSum(y: Float64Array, fitted: Float64Array, w: Float64Array): number {
  let sum = 0
  for (let i = 0; i < y.length; i++) sum += w[i]! * (y[i]! - fitted[i]!) ** 2
  return sum
}
