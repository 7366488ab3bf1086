// Reads a table: Parquet by its first four bytes, else CSV. Only the columns that the spec names are kept.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { fileText } from './file-text.js'
import { type ReadOptions, readCsv } from './read-csv.js'
import { readParquet } from './read-parquet.js'
import type { Table } from './table.js'
import { tableError } from './table-error.js'
import { checkFormat, checkTableSpec, type TableSpec } from './table-spec.js'

/** Every column that has a name, whatever it holds: for a look at a table before it is said what its columns are. */
export async function readWholeTable(
  file: string,
  format: Pick<TableSpec, 'na' | 'separator' | 'decimal' | 'categories'> = {},
): Promise<Table> {
  checkFormat(format)
  const spec = { ...format, context: [], covariate: '' }
  const found = inspectTable(file)
  return found.format === 'parquet'
    ? readParquet(file, spec, { whole: true })
    : readCsv(fileText(file), spec, { whole: true })
}

export type TableFormat = 'csv' | 'parquet'

/** Reads the columns of a CSV or Parquet table that the spec names. */
export async function readTable(file: string, spec: TableSpec, options: ReadOptions = {}): Promise<Table> {
  checkTableSpec(spec)
  const { format } = inspectTable(file)
  return format === 'parquet' ? readParquet(file, spec, options) : readCsv(fileText(file), spec, options)
}

export interface TableFile {
  readonly format: TableFormat
  readonly size: number
}

/** What kind of file this is; throws when it cannot be a table. */
export function inspectTable(file: string): TableFile {
  const { size, start } = inspectFile(file)
  if (size === 0) throw tableError('table-empty', file, 'must have a header, got an empty file')
  const magic = start.toString('latin1')
  if (magic === 'PAR1') return { format: 'parquet', size }
  if (/\.parquet$/i.test(file)) throw tableError('table-unreadable', file, 'must be a Parquet file, got other content')
  const kinds: readonly (readonly [string, string])[] = [
    ['PK\x03\x04', 'a zip or Excel file'],
    ['\x1f\x8b', 'a gzip file'],
  ]
  for (const [prefix, kind] of kinds) {
    if (magic.startsWith(prefix)) {
      throw tableError('table-unreadable', file, `must be a CSV or a Parquet file, got ${kind}`)
    }
  }
  return { format: 'csv', size }
}

/** Size and first four bytes; throws when it cannot be read. */
export function inspectFile(file: string): { readonly size: number; readonly start: Buffer } {
  try {
    const stats = statSync(file)
    if (stats.isDirectory()) throw new Error('it is a folder')
    const handle = openSync(file, 'r')
    try {
      const start = Buffer.alloc(4)
      return { size: stats.size, start: start.subarray(0, readSync(handle, start, 0, 4, 0)) }
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw tableError('table-unreadable', file, code === 'ENOENT' ? 'no such file' : `cannot be read (${message})`)
  }
}
