// A context that is made of numbers alone, without an object of its own: many requests share the list of names, and their
// numbers lie one behind the other. A host that reads such requests in bulk need not make twenty fields for each.

import type { EncodedFeature } from './encoding.js'
import { scaleNumber } from './feature.js'
import type { Context } from './imputer.js'

export class NumberRow {
  readonly names: readonly string[]
  /** Its numbers are values[at ...], in the order of the names. */
  readonly values: readonly number[]
  readonly at: number

  constructor(names: readonly string[], values: readonly number[], at: number) {
    this.names = names
    this.values = values
    this.at = at
  }

  /** undefined: there is none of this name. */
  value(name: string): number | undefined {
    const place = this.names.indexOf(name)
    return place < 0 ? undefined : this.values[this.at + place]
  }

  toContext(): Context {
    return Object.fromEntries(this.names.map((name, k) => [name, this.values[this.at + k]!]))
  }
}

export function asContext(given: Context | NumberRow): Context {
  return given instanceof NumberRow ? given.toContext() : given
}

/** Writes the columns of a row that has all features, each once and inside its range; false: it has not, columns may be written. */
export type RowEncoder = (row: NumberRow, out: Float64Array) => boolean

export function createRowEncoder(features: readonly EncodedFeature[]): RowEncoder {
  /** The features in the order of the names met last; null: those names do not fit. */
  let names: readonly string[] | null = null
  let order: readonly EncodedFeature[] | null = null
  return (row, out) => {
    if (row.names !== names) {
      names = row.names
      order = inOrderOf(names, features)
    }
    if (order === null) return false
    for (let k = 0; k < order.length; k++) {
      const { feature, at } = order[k]!
      const value = row.values[row.at + k]!
      if (feature.type !== 'number' || !(value >= feature.min && value <= feature.max)) return false
      out[at] = scaleNumber(feature, value)
    }
    return true
  }
}

function inOrderOf(names: readonly string[], features: readonly EncodedFeature[]): readonly EncodedFeature[] | null {
  const byName = new Map(features.map((feature) => [feature.name, feature]))
  const order = names.flatMap((name) => byName.get(name) ?? [])
  const fits =
    order.length === names.length && new Set(order).size === features.length && order.length === features.length
  return fits ? order : null
}
