// Pairs of columns whose product says something that the columns do not: squares of numbers, and columns of different features.

import type { Encoding } from '../problem/encoding.js'

/** All of them as [a, b], a <= b; columns are those of the context, then of the covariates. */
export function columnPairs({ context, covariates, contextWidth }: Encoding): readonly (readonly [number, number])[] {
  const columns = [...context, ...covariates.map((one) => ({ ...one, at: contextWidth + one.at }))].flatMap(
    ({ feature, at, width }, owner) =>
      Array.from({ length: width }, (_, k) => ({ column: at + k, owner, isNumber: feature.type === 'number' })),
  )
  return columns.flatMap((a, i) =>
    columns
      .slice(i)
      .filter((b) => (a === b ? a.isNumber : a.owner !== b.owner))
      .map((b) => [a.column, b.column] as const),
  )
}
