// A fitted network: inputs scaled to mean 0 and deviation 1, two hidden layers of hyperbolic tangents, a linear last layer.

import type { Elementary, Predictor } from './regression.js'

export interface NetworkModel {
  readonly kind: 'network'
  readonly columns: number
  readonly offset: number
  /** Per column: mean and standard deviation. */
  readonly centre: readonly number[]
  readonly scale: readonly number[]
  readonly hidden: number
  /** First layer (hidden x (columns + 1)), second (hidden x (hidden + 1)), last (hidden + 1); the bias comes first in a row. */
  readonly weights: readonly number[]
  /** Held-out loss at the steps where it was looked at. */
  readonly heldOut: readonly number[]
  /** Sum of leverages of the last layer's inputs: what the last layer alone could fit. A heuristic. */
  readonly effectiveDimension: number
  readonly weight: number
}

/** Places of the layers in the list of weights. */
export function layersOf(columns: number, hidden: number) {
  const second = hidden * (columns + 1)
  const last = second + hidden * (hidden + 1)
  return { second, last, count: last + hidden + 1 }
}

/** Writes both hidden layers for the scaled inputs at x; returns the last layer's output. */
export function forward(
  weights: Float64Array,
  columns: number,
  hidden: number,
  x: Float64Array,
  at: number,
  one: Float64Array,
  two: Float64Array,
  tanh: Elementary['tanh'] = Math.tanh,
): number {
  let w = 0
  for (let j = 0; j < hidden; j++) {
    let sum = weights[w++]!
    for (let k = 0; k < columns; k++) sum += weights[w++]! * x[at + k]!
    one[j] = tanh(sum)
  }
  for (let j = 0; j < hidden; j++) {
    let sum = weights[w++]!
    for (let k = 0; k < hidden; k++) sum += weights[w++]! * one[k]!
    two[j] = tanh(sum)
  }
  let out = weights[w++]!
  for (let j = 0; j < hidden; j++) out += weights[w++]! * two[j]!
  return out
}

export function compileNetwork(model: NetworkModel, { tanh }: Pick<Elementary, 'tanh'> = Math): Predictor {
  const { columns, hidden, offset } = model
  const weights = Float64Array.from(model.weights)
  const centre = Float64Array.from(model.centre)
  const scale = Float64Array.from(model.scale)
  const x = new Float64Array(columns)
  const one = new Float64Array(hidden)
  const two = new Float64Array(hidden)
  const row = (inputs: Float64Array, at: number) => {
    for (let k = 0; k < columns; k++) x[k] = (inputs[at + k]! - centre[k]!) / scale[k]!
    return offset + forward(weights, columns, hidden, x, 0, one, two, tanh)
  }
  return {
    row,
    table: (inputs, count, out) => {
      for (let i = 0, at = 0; i < count; i++, at += columns) out[i] = row(inputs, at)
    },
  }
}
