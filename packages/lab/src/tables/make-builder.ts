// The builder of one column, with the markers that are missing in it.

import { ColumnBuilder } from './column-builder.js'
import { DateBuilder } from './date-builder.js'
import { ColumnMarkers } from './missing-markers.js'
import type { Column, ColumnWant, Place, TextCell } from './table.js'
import type { TableSpec } from './table-spec.js'

export interface BuilderOptions {
  readonly file: string
  readonly name: string
  readonly want: ColumnWant
  readonly place: (row: number) => Place
  readonly typed?: boolean
  readonly decimal?: '.' | ','
  readonly first?: TextCell | undefined
  readonly lenient?: boolean
}

/** A column that is being built. */
export interface BuiltColumn {
  readonly builder: ColumnBuilder | DateBuilder
  readonly markers: ColumnMarkers
  readonly lenient: boolean
  /** The columns that it becomes: itself, or the parts of a date. */
  readonly finish: (rows: number) => ReadonlyMap<string, Column>
}

export function makeBuilder(spec: TableSpec, { first, ...options }: BuilderOptions): BuiltColumn {
  const { name, want } = options
  // Parquet has a missing value of its own.
  const markers = new ColumnMarkers(options.typed === true ? { ...spec, na: spec.na ?? [] } : spec, name)
  if (want === 'date') {
    const builder = new DateBuilder({ ...options, markers, order: spec.dateOrder })
    return { builder, markers, lenient: false, finish: (rows) => builder.finish(rows) }
  }
  const builder = new ColumnBuilder({ ...options, markers, ...(first === undefined ? {} : { first }) })
  const lenient = options.lenient === true
  return { builder, markers, lenient, finish: (rows) => new Map([[name, builder.finish(rows)]]) }
}
