// The ridge of each column of a basis over (g~, x):  ridge_k = ridge min(1, 3 var g~) for the constant and columns with g~ in them, else ridge.
// A model's scale is its own: without the factor a prediction squeezed into a tenth of the range would need a hundred times the
// rows before its slope is believed; the constant moves with the slope. 3 var is 1 for values spread evenly over [-1, 1], as contexts are taken to be.

import type { Sums } from '@primo/numeric'
import type { InputBasis } from './input-basis.js'

/** A prediction that moves less than this is as good as constant: it has no slope to learn. */
const SMALLEST = 1e-3

/** What of a basis the ridge depends on. */
export type RidgeBasis = Pick<InputBasis, 'own' | 'ofPrediction'>

/** `sums`: of [B, y], B the basis or a prefix of it. */
export function columnRidge(ridge: number, sums: Sums, { own, ofPrediction }: RidgeBasis): Float64Array {
  const width = sums.columns + 1
  let variance = 0
  for (let k = 1; k <= own; k++) {
    const mean = sums.gram[k]! / sums.weight
    variance += Math.max(0, sums.gram[k * width + k]! / sums.weight - mean * mean) / own
  }
  const factor = own > 0 && 3 * variance >= SMALLEST ? Math.min(1, 3 * variance) : 1
  return Float64Array.from({ length: sums.columns }, (_, k) =>
    k === 0 || ofPrediction[k] === 1 ? ridge * factor : ridge,
  )
}
