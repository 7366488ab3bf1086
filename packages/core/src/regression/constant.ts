// The class of constants: what is left when there is nothing to learn from.

import type { Predictor, Regression } from './regression.js'
import { targetMean } from './regression-rows.js'

export interface ConstantModel {
  readonly kind: 'constant'
  readonly value: number
  readonly effectiveDimension: number
  readonly weight: number
}

/** Learns nothing: the rows' start everywhere, or 0. `kind`: what it is called in a ladder. */
export function startRegression(kind: string): Regression<ConstantModel> {
  return {
    kind,
    takesMissing: true,
    fit: (rows) => ({
      kind: 'constant',
      value: rows.start ?? 0,
      effectiveDimension: 0,
      weight: targetMean(rows).weight,
    }),
    compile: compileConstant,
    radius: () => 0,
  }
}

export function compileConstant({ value }: ConstantModel): Predictor {
  return { row: () => value, table: (_inputs, count, out) => out.fill(value, 0, count) }
}
