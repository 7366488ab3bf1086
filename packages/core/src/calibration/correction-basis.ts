// Columns B(x) of a correction h(x) = B(x)'beta, from the encoded context.
//   bias: 1.   linear: 1, x.   basis: 1; for each numeric column x_j: x_j, x_j^2 - 1/3, sin(pi x_j), cos(pi x_j);
//   for each boolean or one-hot column only itself; then the products of columns of different features.
// Products are left out when they would bring the number of columns beyond 300. In five numeric dimensions `basis` has
// the 31 columns of the reference runs (SPEC part D).

import type { EncodedFeature } from '../data/encoding.js'
import { invalidOption } from '../errors.js'

export type CorrectionClass = 'bias' | 'linear' | 'basis'

export interface CorrectionBasis {
  readonly kind: CorrectionClass
  readonly columns: number
  /** Writes B(x) for the context row at x[at] to out[to ...]. */
  readonly expand: (x: Float64Array, at: number, out: Float64Array, to: number) => void
}

const MOST_COLUMNS = 300

export function checkCorrectionClass(value: unknown): asserts value is CorrectionClass {
  if (value !== 'bias' && value !== 'linear' && value !== 'basis') {
    invalidOption('calibration.class', '"bias", "linear" or "basis"', value)
  }
}

export function correctionBasis(kind: CorrectionClass, context: readonly EncodedFeature[]): CorrectionBasis {
  const width = context.reduce((sum, feature) => sum + feature.width, 0)
  if (kind === 'bias') {
    return {
      kind,
      columns: 1,
      expand: (_x, _at, out, to) => {
        out[to] = 1
      },
    }
  }
  if (kind === 'linear') {
    return {
      kind,
      columns: 1 + width,
      expand: (x, at, out, to) => {
        out[to] = 1
        for (let k = 0; k < width; k++) out[to + 1 + k] = x[at + k]!
      },
    }
  }
  const numeric: boolean[] = context.flatMap(({ feature, width: columns }) =>
    Array.from({ length: columns }, () => feature.type === 'number'),
  )
  const owner = context.flatMap(({ width: columns }, index) => Array.from({ length: columns }, () => index))
  const single = 1 + numeric.reduce((sum, isNumber) => sum + (isNumber ? 4 : 1), 0)
  const pairs: number[] = []
  for (let i = 0; i < width; i++) {
    for (let j = i + 1; j < width; j++) if (owner[i] !== owner[j]) pairs.push(i, j)
  }
  const products = Int32Array.from(single + pairs.length / 2 <= MOST_COLUMNS ? pairs : [])
  return {
    kind,
    columns: single + products.length / 2,
    expand: (x, at, out, to) => {
      let next = to
      out[next++] = 1
      for (let k = 0; k < width; k++) {
        const value = x[at + k]!
        out[next++] = value
        if (!numeric[k]) continue
        out[next++] = value * value - 1 / 3
        out[next++] = Math.sin(Math.PI * value)
        out[next++] = Math.cos(Math.PI * value)
      }
      for (let k = 0; k < products.length; k += 2) out[next++] = x[at + products[k]!]! * x[at + products[k + 1]!]!
    },
  }
}
