// L-Lipschitz functions. One column: exact weighted least squares with |slope| <= L between neighbouring points (beyond 10,000
// distinct values on as many bins), straight lines between them. Several columns: the surrogate of lipschitz-surrogate.ts.
// Degrees of freedom of the exact fit: points whose step is not at its bound, the dimension of the face it lies on.

import { invalidOption, requireInteger, requireOptions, solveChain } from '@primo/numeric'
import { lipschitzRadius } from '@primo/theory'
import { type AdditiveModel, compileAdditive, fitAdditive } from './additive.js'
import { lineThrough } from './curve.js'
import type { CurveClass } from './curve-fit.js'
import { compileSurrogate, fitSurrogate, type LipschitzModel } from './lipschitz-surrogate.js'
import type { Regression } from './regression.js'

export interface LipschitzOptions {
  readonly kind: 'lipschitz'
  /** L > 0: how much the function may move per unit of an input. */
  readonly bound: number
  /** Most centres of the surrogate in several columns; default 400. */
  readonly centres?: number
}

const MAX_POINTS = 10_000

export function lipschitzRegression(options: LipschitzOptions): Regression<AdditiveModel | LipschitzModel> {
  requireOptions('lipschitz', options, ['kind', 'bound', 'centres'])
  const { bound, centres = 400 } = options
  requireBound('lipschitz.bound', bound)
  requireInteger('lipschitz.centres', centres, 2)
  const curves: CurveClass = {
    mostPoints: MAX_POINTS,
    prepare: (x, w) => {
      const reach = Float64Array.from(x, (value, i) => (i === 0 ? 0 : bound * (value - x[i - 1]!)))
      return (y) => {
        const values = solveChain(y, w, reach)
        let tight = 0
        for (let i = 1; i < values.length; i++) {
          if (Math.abs(values[i]! - values[i - 1]!) >= reach[i]! * (1 - 1e-9)) tight++
        }
        return { curve: lineThrough(x, values, 'constant'), values, degreesOfFreedom: values.length - tight }
      }
    },
  }
  return {
    kind: 'lipschitz',
    takesMissing: false,
    fit: (rows, random) =>
      rows.columns === 1 ? fitAdditive('lipschitz', rows, curves) : fitSurrogate(rows, { bound, centres }, random),
    compile: (model) => (model.kind === 'lipschitz-surrogate' ? compileSurrogate(model) : compileAdditive(model)),
    radius: (columns, rows, constant16) =>
      lipschitzRadius({ lipschitz: bound, xDim: columns, rows, constant16 }).radius,
  }
}

/** L must be > 0: with 0 only constants are left. */
export function requireBound(field: string, bound: unknown): asserts bound is number {
  if (typeof bound !== 'number' || !(bound > 0 && Number.isFinite(bound))) invalidOption(field, '> 0', bound)
}
