// Which further columns the complete rounds miss most. With the columns of the class taken out (oracle/column-evidence.ts), column k with
// v = its square left and s = its product with what is left of the rewards explains sum_a s^2/(v + ridge) by itself. In units of the
// noise the largest of m such values is a chi-square value with one degree of freedom per action, whose tail counts m times.

import { normalDistribution, normalQuantile, type Sums } from '@primo/numeric'
import { centredGrams, eliminate, residualLeft } from '../oracle/column-evidence.js'
import { pooledRewards } from '../oracle/pooled-rewards.js'
import { chiSquareDeviate } from './chi-square-deviate.js'

export interface MissedColumns {
  /** In increasing order. */
  readonly missed: readonly number[]
  /** How clearly the one that is missed most is needed, as a normal deviate. */
  readonly deviate: number
}

/** Of the columns from `base` on, by action, at most so many; the ridges are those of the columns before, and their own. */
export function missedColumns(
  sums: readonly Sums[],
  base: number,
  ridges: { readonly before: number; readonly own: number },
  most: number,
): MissedColumns {
  const grams = centredGrams(sums, pooledRewards(sums).mean)
  const { columns, rows, cells } = grams
  for (let k = 0; k < base; k++) eliminate(grams, k, ridges.before, k + 1)
  const width = columns + 1
  const explained = (column: number) =>
    cells.reduce((sum, cell) => {
      const left = cell[column * width + columns]!
      return sum + (left * left) / (Math.max(0, cell[column * width + column]!) + ridges.own)
    }, 0)
  const values = Array.from({ length: columns - base }, (_, k) => ({ column: base + k, value: explained(base + k) }))
  const ranked = values.toSorted((one, other) => other.value - one.value)
  const noise = residualLeft(grams) / Math.max(1, rows - cells.length * base)
  const tail = noise > 0 ? normalDistribution(-chiSquareDeviate((ranked[0]?.value ?? 0) / noise, cells.length)) : 1
  return {
    missed: ranked
      .slice(0, most)
      .map(({ column }) => column)
      .sort((one, other) => one - other),
    deviate: 0 - normalQuantile(Math.min(0.5, Math.max(1e-300, values.length * tail))),
  }
}
