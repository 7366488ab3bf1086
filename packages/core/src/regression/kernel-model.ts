// A fitted kernel regression: f(x) = offset + sum_j a_j exp(-|x' - c_j|^2 / (2 bandwidth^2)), x' the inputs divided by their scales.

import type { Elementary, Predictor } from './regression.js'

export interface KernelModel {
  readonly kind: 'kernel'
  readonly columns: number
  readonly offset: number
  readonly scales: readonly number[]
  readonly bandwidth: number
  readonly ridge: number
  /** Scaled, row-major. */
  readonly centres: readonly number[]
  readonly coefficients: readonly number[]
  /** Size of f - offset in the norm of the kernel's space. */
  readonly norm: number
  /** Whether every distinct row is a centre (exact kernel ridge) or a sample is (Nystrom). */
  readonly exact: boolean
  readonly effectiveDimension: number
  readonly weight: number
  /** Weighted held-out mean squared error of the settings tried; empty when they were given. */
  readonly heldOut: readonly { readonly bandwidth: number; readonly ridge: number; readonly loss: number }[]
}

export function compileKernel(model: KernelModel, { exp }: Pick<Elementary, 'exp'> = Math): Predictor {
  const { columns, offset } = model
  const inverse = Float64Array.from(model.scales, (scale) => 1 / scale)
  const centres = Float64Array.from(model.centres)
  const coefficients = Float64Array.from(model.coefficients)
  const factor = -1 / (2 * model.bandwidth * model.bandwidth)
  const x = new Float64Array(columns)
  const row = (inputs: Float64Array, at: number) => {
    for (let k = 0; k < columns; k++) x[k] = inputs[at + k]! * inverse[k]!
    let sum = offset
    for (let j = 0, from = 0; j < coefficients.length; j++) {
      let square = 0
      for (let k = 0; k < columns; k++) {
        const difference = x[k]! - centres[from++]!
        square += difference * difference
      }
      sum += coefficients[j]! * exp(factor * square)
    }
    return sum
  }
  return {
    row,
    table: (inputs, count, out) => {
      for (let i = 0, at = 0; i < count; i++, at += columns) out[i] = row(inputs, at)
    },
  }
}
