// From a column of a table to a feature, and to the columns that kernels read. A range that was not declared is the
// column's extremes; a constant column gets a range of half-width max(1, |value|/1000) about its value.

import type { CategoryFeature, Feature, NumberFeature } from '@primo/core'
import { type Column, MISSING_CODE, type NumberColumn, type Table, type TextColumn } from './table.js'
import { showCell, tableError } from './table-error.js'
import { numberUnit } from './user-units.js'

/** Writes the picked rows in inside units: row k of `picked` to out[k * stride + at ...]; NaN where there is no value. */
export type ColumnWriter = (picked: Uint32Array, out: Float64Array, stride: number, at: number) => void

/** Rows that count: all, or those whose flag is 1. */
export type Rows = Uint8Array | null

export interface Extremes {
  readonly low: number
  readonly high: number
}

export function extremes(values: Float64Array, rows: Rows = null): Extremes | null {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (let row = 0; row < values.length; row++) {
    if (rows !== null && rows[row] !== 1) continue
    const value = values[row]!
    if (value < low) low = value
    if (value > high) high = value
  }
  return low <= high ? { low, high } : null
}

export function joinExtremes(a: Extremes | null, b: Extremes | null): Extremes | null {
  if (a === null || b === null) return a ?? b
  return { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) }
}

/** The range that stands for these extremes: never empty. */
export function rangeAround({ low, high }: Extremes): Extremes {
  if (low < high) return { low, high }
  const half = Math.max(1, Math.abs(low) / 1000)
  return { low: low - half, high: high + half }
}

/** Throws at the first cell, among the rows that count, outside [min, max]. */
export function checkWithin(
  table: Table,
  name: string,
  values: Float64Array,
  range: { readonly min: number; readonly max: number },
  rows: Rows = null,
): void {
  const { min, max } = range
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!
    if (!(value < min || value > max) || (rows !== null && rows[row] !== 1)) continue
    const place = { ...table.place(row), column: name, value }
    throw tableError('table-out-of-range', table.file, `must be between ${min} and ${max}`, place)
  }
}

/** Throws at the first row that counts and has an empty cell. */
export function checkFilled(table: Table, name: string, column: Column, why: string, rows: Rows = null): void {
  for (let row = 0; row < table.rows; row++) {
    const empty = column.kind === 'number' ? Number.isNaN(column.values[row]) : column.codes[row] === MISSING_CODE
    if (!empty || (rows !== null && rows[row] !== 1)) continue
    const place = { ...table.place(row), column: name, value: '' }
    throw tableError('table-missing-value', table.file, `must have a value (${why})`, place)
  }
}

export function numberColumn(table: Table, name: string): NumberColumn {
  const column = table.columns.get(name)
  if (column?.kind === 'number') return column
  const first = column?.first
  const place = first == null ? {} : { ...table.place(first.row), value: first.text }
  throw tableError('table-wrong-type', table.file, 'must be a number', { ...place, column: name })
}

function numberWriter({ values }: NumberColumn, feature: NumberFeature): ColumnWriter {
  const { toInside } = numberUnit(feature)
  return (picked, out, stride, at) => {
    for (let k = 0; k < picked.length; k++) out[k * stride + at] = toInside(values[picked[k]!]!)
  }
}

/** Booleans and probabilities stand as they are. */
function plainWriter({ values }: NumberColumn): ColumnWriter {
  return (picked, out, stride, at) => {
    for (let k = 0; k < picked.length; k++) out[k * stride + at] = values[picked[k]!]!
  }
}

export function levelsOf(feature: CategoryFeature): readonly string[] {
  return feature.other === true ? [...feature.levels, 'other'] : feature.levels
}

/** One-hot columns; a cell without a level that the feature knows is NaN in all of them. */
export function categoryWriter(column: TextColumn, feature: CategoryFeature): ColumnWriter {
  const width = levelsOf(feature).length
  const indexes = levelIndexes(column, feature)
  return (picked, out, stride, at) => {
    for (let k = 0; k < picked.length; k++) {
      const index = indexes[column.codes[picked[k]!]!] ?? -1
      for (let level = 0; level < width; level++) {
        out[k * stride + at + level] = index < 0 ? Number.NaN : level === index ? 1 : 0
      }
    }
  }
}

/** Per code the column of its level; -1: the feature does not know it. */
export function levelIndexes(column: TextColumn, feature: CategoryFeature): Int32Array {
  return Int32Array.from(column.levels, (level) => {
    const index = feature.levels.indexOf(level)
    return index < 0 && feature.other === true ? feature.levels.length : index
  })
}

export function checkLevels(
  table: Table,
  name: string,
  column: TextColumn,
  feature: CategoryFeature,
  rows: Rows = null,
) {
  const indexes = levelIndexes(column, feature)
  for (let row = 0; row < table.rows; row++) {
    const code = column.codes[row]!
    if (code === MISSING_CODE || indexes[code]! >= 0 || (rows !== null && rows[row] !== 1)) continue
    const rule = `must be one of ${feature.levels.map(showCell).join(', ')}`
    const place = { ...table.place(row), column: name, value: column.levels[code] }
    throw tableError('table-unknown-level', table.file, rule, place)
  }
}

/** Levels that occur among the rows that count, in alphabetical order. */
export function levelsIn(column: TextColumn, rows: Rows = null): readonly string[] {
  const used = new Uint8Array(column.levels.length)
  for (let row = 0; row < column.codes.length; row++) {
    const code = column.codes[row]!
    if (code !== MISSING_CODE && (rows === null || rows[row] === 1)) used[code] = 1
  }
  return column.levels.filter((_, code) => used[code] === 1).sort()
}

export function checkBooleans(table: Table, name: string, values: Float64Array, rows: Rows = null): void {
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!
    if (value === 0 || value === 1 || Number.isNaN(value) || (rows !== null && rows[row] !== 1)) continue
    const place = { ...table.place(row), column: name, value }
    throw tableError('table-out-of-range', table.file, 'must be true, false, 1 or 0', place)
  }
}

/** A writer for a column whose feature is known and checked. */
export function columnWriter(column: Column, feature: Feature): ColumnWriter {
  if (column.kind === 'text') return categoryWriter(column, feature as CategoryFeature)
  return feature.type === 'number' ? numberWriter(column, feature) : plainWriter(column)
}
