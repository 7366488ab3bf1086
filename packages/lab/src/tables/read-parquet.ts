// A Parquet file as a table: one column of one row group at a time. An empty cell is a null or, in a column of floating
// numbers, NaN (as pandas writes it). Uncompressed, snappy, gzip and brotli files; zstd where Node has it.

import { type AsyncBuffer, asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet'
import { type BuiltColumn, makeBuilder } from './make-builder.js'
import { decompressors } from './parquet-codecs.js'
import type { ReadOptions } from './read-csv.js'
import type { Column, Table, TextCell } from './table.js'
import { tableError } from './table-error.js'
import { allColumns, checkHeader, covariateSpecs, type TableSpec, wantedColumns } from './table-spec.js'

export interface ParquetFile {
  readonly buffer: AsyncBuffer
  readonly metadata: FileMetaData
  readonly header: readonly string[]
}

export async function openParquet(file: string): Promise<ParquetFile> {
  const buffer = await asyncBufferFromFile(file)
  let metadata: FileMetaData
  try {
    metadata = await parquetMetadataAsync(buffer)
  } catch (error) {
    throw tableError('table-unreadable', file, `must be a Parquet file (${reasonOf(error)})`)
  }
  const header = topColumns(metadata)
  if (header.length === 0) throw tableError('table-empty', file, 'must have columns, got none')
  checkHeader(file, header)
  return { buffer, metadata, header }
}

function topColumns({ schema }: FileMetaData): readonly string[] {
  const names: string[] = []
  let at = 1
  for (let k = 0; k < (schema[0]?.num_children ?? 0); k++) {
    names.push(schema[at]!.name)
    let open = 1
    for (; open > 0; at++) open += (schema[at]!.num_children ?? 0) - 1
  }
  return names
}

/** The cells of one column of one row group, in pieces; `utf8` (default true): bytes without a stated meaning are texts. */
export async function readColumnChunk(
  file: string,
  { buffer, metadata }: ParquetFile,
  column: string,
  rowStart: number,
  rowEnd: number,
  options: { readonly utf8?: boolean } = {},
): Promise<readonly { readonly rowStart: number; readonly cells: ArrayLike<unknown> }[]> {
  const pieces: { rowStart: number; cells: ArrayLike<unknown> }[] = []
  try {
    await parquetRead({
      file: buffer,
      metadata,
      columns: [column],
      rowStart,
      rowEnd,
      compressors: decompressors,
      utf8: options.utf8 ?? true,
      // An exception here would be lost, so cells are looked at afterwards.
      onChunk: (chunk) => pieces.push({ rowStart: chunk.rowStart, cells: chunk.columnData }),
    })
  } catch (error) {
    throw tableError('table-unreadable', file, `must be readable (${reasonOf(error)})`, { column })
  }
  return pieces
}

export async function readParquet(file: string, spec: TableSpec, options: ReadOptions = {}): Promise<Table> {
  const parquet = await openParquet(file)
  const whole = options.whole === true
  const wanted = whole ? allColumns(parquet.header) : wantedColumns(spec, parquet.header, file)
  const rows = Number(parquet.metadata.num_rows)
  if (rows === 0) throw tableError('table-empty', file, 'must have rows, got none')
  const place = (row: number) => ({ row: row + 1 })
  const columns = new Map<string, Column>()
  const missing = new Map<string, ReadonlyMap<string, number>>()
  const flagOf = new Map(covariateSpecs(spec).map((one) => [one.covariate, one.observed]))
  const flags = new Set(flagOf.values())
  // Flags first: they say which cells of the covariates are hidden.
  const order = [...wanted.keys()].sort((a, b) => Number(flags.has(b)) - Number(flags.has(a)))
  const hidden = new Map<string | undefined, Uint8Array>()
  for (const [done, name] of order.entries()) {
    const isFlag = flags.has(name)
    const hides = hidden.get(flagOf.get(name)) ?? null
    const want = isFlag ? ('any' as const) : wanted.get(name)!
    const make = (first?: TextCell) =>
      makeBuilder(spec, { file, name, want, capacity: rows, place, typed: true, first, lenient: whole })
    let built = make()
    await fillColumn(file, parquet, name, built, hides)
    if (built.builder.late !== null) {
      built = make(built.builder.late)
      await fillColumn(file, parquet, name, built, hides)
    }
    for (const [part, column] of built.finish(rows)) {
      if (isFlag) hidden.set(name, hiddenRows(file, name, column))
      columns.set(part, column)
    }
    missing.set(name, built.markers.counts)
    options.onProgress?.((done + 1) / order.length)
  }
  return { file, rows, header: parquet.header, columns, reading: { missing, unnamed: [] }, place }
}

async function fillColumn(
  file: string,
  parquet: ParquetFile,
  name: string,
  column: BuiltColumn,
  hidden: Uint8Array | null,
): Promise<void> {
  let first = 0
  for (const group of parquet.metadata.row_groups) {
    const end = first + Number(group.num_rows)
    for (const { rowStart, cells } of await readColumnChunk(file, parquet, name, first, end)) {
      for (let k = 0; k < cells.length; k++) {
        const row = rowStart + k
        if (row >= first && row < end) takeCell(file, name, column, row, cells[k], hidden?.[row] === 1)
      }
    }
    first = end
  }
}

function takeCell(file: string, name: string, column: BuiltColumn, row: number, cell: unknown, hidden: boolean) {
  const { builder, markers } = column
  if (cell === null || cell === undefined || cell === '' || Number.isNaN(cell)) {
    if (!hidden) markers.count('')
    builder.addMissing(row)
  } else if (typeof cell === 'number') builder.addNumber(row, cell, hidden)
  else if (typeof cell === 'bigint') builder.addNumber(row, Number(cell), hidden)
  else if (typeof cell === 'string') builder.addText(row, cell, hidden)
  else if (typeof cell === 'boolean') {
    // A column of either kind becomes one of booleans by its texts.
    if (builder.values === null || builder.want === 'any') builder.addText(row, String(cell), hidden)
    else builder.addNumber(row, cell ? 1 : 0, hidden)
  } else if (cell instanceof Date && (builder.want === 'date' || column.lenient))
    builder.addText(row, cell.toISOString(), hidden)
  else if (column.lenient) builder.addText(row, JSON.stringify(cell) ?? '', hidden)
  else if (hidden) builder.addMissing(row)
  else
    throw tableError('table-wrong-type', file, 'must be a number or a text', {
      row: row + 1,
      column: name,
      value: cell,
    })
}

function hiddenRows(file: string, name: string, column: Column): Uint8Array {
  const rows = column.kind === 'number' ? column.values.length : column.codes.length
  const hidden = new Uint8Array(rows)
  for (let row = 0; row < rows; row++) {
    const value = column.kind === 'number' ? column.values[row]! : (column.levels[column.codes[row]!] ?? '')
    if (value !== 0 && value !== 1) {
      const given = Number.isNaN(value) ? '' : value
      const rule = 'must be 0 (missing) or 1 (observed)'
      throw tableError('table-wrong-type', file, rule, { row: row + 1, column: name, value: given })
    }
    hidden[row] = value === 1 ? 0 : 1
  }
  return hidden
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
