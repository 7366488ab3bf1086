// A scalable stand-in for L-Lipschitz least squares in p > 1 columns (method#function-classes). Centres: m = n^(p/(p+2)) rows
// chosen by hash (so that about n^(2/(p+2)) rows fall to each); v_i = weighted mean target of the rows nearest to centre i;
// then McShane's extensions
//   f(x) = ( max_i (v_i - L |x - c_i|) + min_i (v_i + L |x - c_i|) ) / 2.
// f is L-Lipschitz without exception. It is not the least squares fit: cells replace single rows, and where the cell means
// violate L the midpoint replaces the projection. `deviation` says how far: the root mean square of f(c_i) - v_i by weight.

import type { Random } from '@primo/numeric'
import type { Predictor, RegressionRows } from './regression.js'
import { checkedRows, sampleInputs, targetMean } from './regression-rows.js'

export interface LipschitzModel {
  readonly kind: 'lipschitz-surrogate'
  readonly columns: number
  readonly bound: number
  /** Row-major. */
  readonly centres: readonly number[]
  readonly values: readonly number[]
  /** Root mean square distance of the function from the cell means it was made of. */
  readonly deviation: number
  /** The number of cells. */
  readonly effectiveDimension: number
  readonly weight: number
}

export function fitSurrogate(
  given: RegressionRows,
  { bound, centres: most }: { readonly bound: number; readonly centres: number },
  random: Random,
): LipschitzModel {
  const rows = checkedRows(given)
  const { columns, count, inputs, targets, weights } = rows
  const { weight } = targetMean(rows)
  const wanted = Math.max(2, Math.min(most, Math.round(weight ** (columns / (columns + 2)))))
  const centres = sampleInputs(rows, wanted, random.split('centres'))
  const cells = centres.length / columns
  const sums = new Float64Array(cells)
  const totals = new Float64Array(cells)
  for (let i = 0; i < count; i++) {
    const cell = nearest(centres, cells, inputs, i * columns, columns)
    const own = weights === null ? 1 : weights[i]!
    sums[cell] = sums[cell]! + own * targets[i]!
    totals[cell] = totals[cell]! + own
  }
  const values = Array.from(sums, (sum, k) => sum / totals[k]!)
  const model = { kind: 'lipschitz-surrogate', columns, bound, centres: Array.from(centres), values } as const
  const { row } = compileSurrogate({ ...model, deviation: 0, effectiveDimension: cells, weight })
  let square = 0
  for (let k = 0; k < cells; k++) square += totals[k]! * (row(centres, k * columns) - values[k]!) ** 2
  return { ...model, deviation: Math.sqrt(square / weight), effectiveDimension: cells, weight }
}

function nearest(centres: Float64Array, cells: number, inputs: Float64Array, at: number, columns: number): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let c = 0, from = 0; c < cells; c++) {
    let square = 0
    for (let k = 0; k < columns; k++) {
      const difference = inputs[at + k]! - centres[from++]!
      square += difference * difference
    }
    if (square < least) {
      least = square
      best = c
    }
  }
  return best
}

export function compileSurrogate({ columns, bound, centres: given, values: heights }: LipschitzModel): Predictor {
  const centres = Float64Array.from(given)
  const values = Float64Array.from(heights)
  const row = (inputs: Float64Array, at: number) => {
    let lower = Number.NEGATIVE_INFINITY
    let upper = Number.POSITIVE_INFINITY
    for (let c = 0, from = 0; c < values.length; c++) {
      let square = 0
      for (let k = 0; k < columns; k++) {
        const difference = inputs[at + k]! - centres[from++]!
        square += difference * difference
      }
      const reach = bound * Math.sqrt(square)
      const value = values[c]!
      if (value - reach > lower) lower = value - reach
      if (value + reach < upper) upper = value + reach
    }
    return (lower + upper) / 2
  }
  return {
    row,
    table: (inputs, count, out) => {
      for (let i = 0, at = 0; i < count; i++, at += columns) out[i] = row(inputs, at)
    },
  }
}
