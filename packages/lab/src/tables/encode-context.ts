// The context columns of a table: numbers become number features, true and false booleans, else a category (one-hot).

import { boolean, category, type Feature, number } from '@primo/core'
import {
  type ColumnWriter,
  checkBooleans,
  checkFilled,
  checkLevels,
  checkWithin,
  columnWriter,
  extremes,
  levelsIn,
  rangeAround,
} from './encode-column.js'
import type { Column, Table } from './table.js'
import { contextNames, declaredFeature, type TableSpec } from './table-spec.js'

export interface EncodedContext {
  readonly features: Readonly<Record<string, Feature>>
  /** In the order of the features. */
  readonly writers: readonly ColumnWriter[]
  readonly notes: readonly string[]
}

export function encodeContext(table: Table, spec: TableSpec): EncodedContext {
  const features: Record<string, Feature> = {}
  const writers: ColumnWriter[] = []
  const taken: string[] = []
  const notes: string[] = []
  for (const name of contextNames(spec, table.columns)) {
    const column = table.columns.get(name)!
    const declared = declaredFeature(spec, name)
    checkFilled(table, name, column, 'only a covariate may be missing: name it as one, or leave it out')
    const feature = declared ?? inferFeature(name, column, taken, notes)
    if (column.kind === 'text') {
      if (feature.type === 'category') checkLevels(table, name, column, feature)
    } else if (feature.type === 'number') checkWithin(table, name, column.values, feature)
    else checkBooleans(table, name, column.values)
    features[name] = feature
    writers.push(columnWriter(column, feature))
  }
  if (taken.length > 0) notes.unshift(`context ranges taken from the table: ${taken.join('; ')}`)
  return { features, writers, notes }
}

function inferFeature(name: string, column: Column, taken: string[], notes: string[]): Feature {
  if (column.kind === 'text') {
    const levels = levelsIn(column)
    const because = column.first === null ? '' : `, because of "${column.first.text}"`
    notes.push(`context column ${name} is a category of ${levels.length} levels${because}`)
    return category(levels)
  }
  if (column.boolean === true) {
    notes.push(`context column ${name} is true or false`)
    return boolean()
  }
  const found = extremes(column.values)!
  const { low, high } = rangeAround(found)
  taken.push(`${name} ${low} to ${high}${found.low === found.high ? ' (constant: range widened)' : ''}`)
  return number({ min: low, max: high })
}
