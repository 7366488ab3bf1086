// Columns B(x) of a correction h(x) = B(x)'beta, from the encoded context; each class but `basis` is a prefix of the next.
//   bias: 1.   linear: 1, x.   cubic: then x_j^2 - 1/3 and x_j^3 - 3/5 x_j for each numeric column.
//   rich: then sin(pi x_j) for each numeric column and the products of columns of different features.
//   basis: 1; for each numeric column x_j, x_j^2 - 1/3, sin(pi x_j), cos(pi x_j), for each boolean or one-hot column only
//   itself; then the products. In five numeric dimensions these are the 31 columns of the reference runs (method#environments).
// Products are left out when they would bring the number of columns beyond 300.

import { invalidOption, sineOfPi } from '@primo/numeric'
import type { EncodedFeature } from '../problem/encoding.js'

/** Which columns a correction may use. */
export type CorrectionClass = 'bias' | 'linear' | 'cubic' | 'rich' | 'basis'

export interface CorrectionBasis {
  readonly kind: CorrectionClass
  readonly columns: number
  /** Writes B(x) for the context row at x[at] to out[to ...]. */
  readonly expand: (x: Float64Array, at: number, out: Float64Array, to: number) => void
}

const MAX_COLUMNS = 300
const CLASSES: readonly unknown[] = ['bias', 'linear', 'cubic', 'rich', 'basis']

export function isCorrectionClass(value: unknown): value is CorrectionClass {
  return CLASSES.includes(value)
}

export function checkCorrectionClass(value: unknown): asserts value is CorrectionClass {
  if (!isCorrectionClass(value)) {
    invalidOption('calibration.class', '"bias", "linear", "cubic", "rich", "basis" or a function class', value)
  }
}

export function correctionBasis(kind: CorrectionClass, context: readonly EncodedFeature[]): CorrectionBasis {
  const width = context.reduce((sum, feature) => sum + feature.width, 0)
  const numeric = numericColumns(context)
  switch (kind) {
    case 'bias':
      return { kind, columns: 1, expand: (_x, _at, out, to) => writeConstant(out, to) }
    case 'linear':
      return { kind, columns: 1 + width, expand: (x, at, out, to) => writeLinear(x, at, width, out, to) }
    case 'cubic':
      return {
        kind,
        columns: 1 + width + 2 * numeric.length,
        expand: (x, at, out, to) => writeCubic(x, at, width, numeric, out, to),
      }
    case 'rich': {
      const cubic = 1 + width + 2 * numeric.length
      const pairs = productPairs(context, cubic + numeric.length)
      const writeProduct = productWriter(pairs, width)
      return {
        kind,
        columns: cubic + numeric.length + pairs.length / 2,
        expand: (x, at, out, to) => {
          writeCubic(x, at, width, numeric, out, to)
          let next = to + cubic
          for (let k = 0; k < numeric.length; k++) out[next++] = sineOfPi(x[at + numeric[k]!]!)
          writeProduct(x, at, out, next)
        },
      }
    }
    case 'basis':
      return referenceBasis(context, width, numeric)
  }
}

function numericColumns(context: readonly EncodedFeature[]): Int32Array {
  return Int32Array.from(
    context.flatMap(({ feature, at, width }) =>
      feature.type === 'number' ? Array.from({ length: width }, (_, k) => at + k) : [],
    ),
  )
}

function writeConstant(out: Float64Array, to: number): void {
  out[to] = 1
}

function writeLinear(x: Float64Array, at: number, width: number, out: Float64Array, to: number): void {
  out[to] = 1
  for (let k = 0; k < width; k++) out[to + 1 + k] = x[at + k]!
}

function writeCubic(
  x: Float64Array,
  at: number,
  width: number,
  numeric: Int32Array,
  out: Float64Array,
  to: number,
): void {
  writeLinear(x, at, width, out, to)
  let next = to + 1 + width
  for (let k = 0; k < numeric.length; k++) {
    const value = x[at + numeric[k]!]!
    out[next++] = value * value - 1 / 3
    out[next++] = value * value * value - 0.6 * value
  }
}

type ProductWriter = (x: Float64Array, at: number, out: Float64Array, to: number) => void

function productWriter(pairs: Int32Array, width: number): ProductWriter {
  if (pairs.length === width * (width - 1)) return (x, at, out, to) => writeAllProducts(x, at, width, out, to)
  return (x, at, out, to) => writeProducts(x, at, pairs, out, to)
}

/** Every pair of columns, without looking up which. */
function writeAllProducts(x: Float64Array, at: number, width: number, out: Float64Array, to: number): void {
  for (let i = 0, next = to; i < width; i++) {
    const value = x[at + i]!
    for (let j = i + 1; j < width; j++) out[next++] = value * x[at + j]!
  }
}

function writeProducts(x: Float64Array, at: number, pairs: Int32Array, out: Float64Array, to: number): void {
  for (let k = 0, next = to; k < pairs.length; k += 2) out[next++] = x[at + pairs[k]!]! * x[at + pairs[k + 1]!]!
}

/** Pairs of columns of different features, none when they would make too many columns. */
function productPairs(context: readonly EncodedFeature[], others: number): Int32Array {
  const owner = context.flatMap(({ width }, index) => Array.from({ length: width }, () => index))
  const pairs: number[] = []
  for (let i = 0; i < owner.length; i++) {
    for (let j = i + 1; j < owner.length; j++) if (owner[i] !== owner[j]) pairs.push(i, j)
  }
  return Int32Array.from(others + pairs.length / 2 <= MAX_COLUMNS ? pairs : [])
}

function referenceBasis(context: readonly EncodedFeature[], width: number, numeric: Int32Array): CorrectionBasis {
  const isNumber = Array.from({ length: width }, (_, k) => numeric.includes(k))
  const single = 1 + width + 3 * numeric.length
  const pairs = productPairs(context, single)
  return {
    kind: 'basis',
    columns: single + pairs.length / 2,
    expand: (x, at, out, to) => {
      let next = to
      out[next++] = 1
      for (let k = 0; k < width; k++) {
        const value = x[at + k]!
        out[next++] = value
        if (!isNumber[k]) continue
        out[next++] = value * value - 1 / 3
        out[next++] = Math.sin(Math.PI * value)
        out[next++] = Math.cos(Math.PI * value)
      }
      writeProducts(x, at, pairs, out, next)
    },
  }
}
