// A function class as data, and its critical radius by the formula of its kind. What a bound calculator or a learner
// needs of a class is this one number as a function of the rows.

import { invalidOption } from '@primo/numeric'
import { type CriticalRadius, linearRadius } from './critical-radius.js'
import { ellipsoidRadius } from './ellipsoid-radius.js'
import { convexLipschitzRadius, differentiableRadius, entropyRadius, lipschitzRadius } from './entropy-radius.js'

/** A function class as data. */
export type FunctionClass =
  | { readonly kind: 'linear'; readonly dimension: number }
  | { readonly kind: 'lipschitz'; readonly lipschitz: number; readonly xDim?: number }
  | { readonly kind: 'convex-lipschitz'; readonly lipschitz: number }
  | {
      readonly kind: 'twice-differentiable'
      readonly bound: number
      readonly smoothness?: number
      readonly xDim?: number
    }
  | { readonly kind: 'entropy'; readonly entropyExponent: number; readonly entropyScale?: number }
  | { readonly kind: 'ellipsoid'; readonly eigenvalues: readonly number[]; readonly norm?: number }

/** At how many rows a critical radius is asked for, and with which constant. */
export interface RadiusOptions {
  readonly rows: number
  /** Default true. */
  readonly constant16?: boolean
}

/** The critical radius of a function class. */
export function criticalRadius(functionClass: FunctionClass, options: RadiusOptions): CriticalRadius {
  switch (functionClass.kind) {
    case 'linear':
      return linearRadius({ ...functionClass, ...options })
    case 'lipschitz':
      return lipschitzRadius({ ...functionClass, ...options })
    case 'convex-lipschitz':
      return convexLipschitzRadius({ ...functionClass, ...options })
    case 'twice-differentiable':
      return differentiableRadius({ ...functionClass, ...options })
    case 'entropy':
      return entropyRadius({ ...functionClass, ...options })
    case 'ellipsoid':
      return ellipsoidRadius({ ...functionClass, ...options })
    default:
      return invalidOption('kind', 'a class with a radius', (functionClass as { kind?: unknown }).kind)
  }
}

/** The radius as a function of the rows, for the calculators. */
export function radiusOf(functionClass: FunctionClass, constant16 = true): (rows: number) => number {
  return (rows) => criticalRadius(functionClass, { rows, constant16 }).radius
}
