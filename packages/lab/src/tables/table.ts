// A table in memory: only the columns that were asked for, numbers as Float64Array, texts as codes into a dictionary.

import type { TableReading } from './table-reading.js'

/** The code of an empty cell. */
export const MISSING_CODE = 0xffff
/** A column of texts with more different values than this is not a category. */
export const MAX_LEVELS = 256

export interface NumberColumn {
  readonly kind: 'number'
  /** NaN: the cell is empty. */
  readonly values: Float64Array
  /** The cells are true and false, here 1 and 0. */
  readonly boolean?: true
  /** Cells written with zeros in front, as codes are. */
  readonly leadingZeros?: number
}

/** A cell that made a column one of texts; rows count from 0. */
export interface TextCell {
  readonly row: number
  readonly text: string
}

export interface TextColumn {
  readonly kind: 'text'
  /** Indexes into `levels`; MISSING_CODE: the cell is empty. */
  readonly codes: Uint16Array
  /** In order of appearance. */
  readonly levels: readonly string[]
  /** The first cell that is not a number; null: there is none. */
  readonly first: TextCell | null
  /** Cells that read as numbers, in a column that might have been one of numbers. */
  readonly numberLike?: number
}

export type Column = NumberColumn | TextColumn

/** Where a cell stands, counted from 1; a Parquet file has no lines. */
export interface Place {
  readonly line?: number
  readonly row?: number
}

/** The columns of a table that were asked for, in memory. */
export interface Table {
  readonly file: string
  readonly rows: number
  /** Every column of the file, kept or not. */
  readonly header: readonly string[]
  readonly columns: ReadonlyMap<string, Column>
  /** Ids, times and lists of a spec, as texts; null: the cell is empty. */
  readonly keys?: ReadonlyMap<string, readonly (string | null)[]>
  /** What was found when it was read; absent: it was made in memory. */
  readonly reading?: TableReading
  /** The place of a row that is counted from 0. */
  readonly place: (row: number) => Place
}

/** What a column must hold: 'any' is numbers if every cell is one, booleans if every cell is true or false, else texts. */
export type ColumnWant = 'number' | 'text' | 'boolean' | 'probability' | 'reward' | 'date' | 'any'
