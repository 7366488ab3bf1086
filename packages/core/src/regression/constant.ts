// The class of constants: what is left when there is nothing to learn from.

import type { Predictor } from './regression.js'

export interface ConstantModel {
  readonly kind: 'constant'
  readonly value: number
  readonly effectiveDimension: number
  readonly weight: number
}

export function compileConstant({ value }: ConstantModel): Predictor {
  return { row: () => value, table: (_inputs, count, out) => out.fill(value, 0, count) }
}
