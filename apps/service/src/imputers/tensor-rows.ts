// A row of a model's output as a prediction: a number, a probability, a level as text, or one probability per level.

import type { Feature } from '@primo/core'
import { detailed, type Said } from './model.js'

export function saidOfRow(
  values: readonly unknown[],
  row: number,
  rows: number,
  covariate: Feature,
  deviations: readonly unknown[] | null,
  quantiles: readonly (readonly [string, readonly unknown[]])[] = [],
): Said {
  const names = covariate.type === 'category' ? covariate.levels : null
  const width = values.length / rows
  if (names !== null && width === names.length && names.length > 1) {
    const part = values.slice(row * width, (row + 1) * width).map(Number)
    return { prediction: Object.fromEntries(names.map((level, k) => [level, part[k]!])) }
  }
  if (width !== 1) return { failure: `the output has ${values.length} values for ${rows} rows` }
  const value = values[row]
  const prediction = typeof value === 'bigint' ? Number(value) : value
  if (typeof prediction !== 'number' && typeof prediction !== 'string' && typeof prediction !== 'boolean')
    return { failure: `the output is ${String(prediction)}` }
  const sd = deviations === null ? undefined : Number(deviations[row])
  if (quantiles.length > 0) {
    const levels = Object.fromEntries(quantiles.map(([level, list]) => [level, Number(list[row])]))
    return detailed(prediction, sd, levels, covariate)
  }
  return sd === undefined ? { prediction } : { prediction, sd }
}
