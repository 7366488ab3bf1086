// Where tables are written to, a few thousand rows at a time: CSV with JavaScript's shortest numbers, or Parquet with
// doubles. The file appears under its name only when it is complete.

import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { fileWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { csvCell } from './csv-cell.js'
import type { TableFormat } from './read-table.js'
import { tableError } from './table-error.js'

export type SinkColumn =
  | { readonly name: string; readonly kind: 'number' | 'text' }
  /** Whole numbers. */
  | { readonly name: string; readonly kind: 'integer' }

/** Cells of one column, as many as the others have; NaN or null: empty. */
export type Cells = Float64Array | readonly (string | null)[]

export interface TableSink {
  readonly write: (columns: readonly Cells[]) => void
  readonly close: () => void
  /** Leaves no file behind. */
  readonly abandon: () => void
}

export function formatOf(file: string): TableFormat {
  return /\.parquet$/i.test(file) ? 'parquet' : 'csv'
}

export function openSink(
  file: string,
  columns: readonly SinkColumn[],
  format: TableFormat = formatOf(file),
): TableSink {
  return format === 'parquet' ? parquetSink(file, columns) : csvSink(file, columns)
}

export function partOf(file: string): string {
  return `${file}.part`
}

/** Opens for writing; an error names the file that was asked for. */
export function openForWriting(file: string, mode = 0o666): number {
  try {
    return openSync(partOf(file), 'w', mode)
  } catch (error) {
    throw tableError('table-output', file, `cannot be written (${(error as Error).message})`)
  }
}

function csvSink(file: string, columns: readonly SinkColumn[]): TableSink {
  const handle = openForWriting(file)
  writeFileSync(handle, `${columns.map(({ name }) => csvCell(name)).join(',')}\n`)
  return {
    write: (cells) => {
      const rows = cells[0]?.length ?? 0
      const lines: string[] = []
      for (let row = 0; row < rows; row++) lines.push(cells.map((column) => csvCell(column[row]!)).join(','))
      if (lines.length > 0) writeFileSync(handle, `${lines.join('\n')}\n`)
    },
    close: () => {
      closeSync(handle)
      renameSync(partOf(file), file)
    },
    abandon: () => {
      closeSync(handle)
      rmSync(partOf(file), { force: true })
    },
  }
}

const GROUP_ROWS = 65_536

function parquetSink(file: string, columns: readonly SinkColumn[]): TableSink {
  closeSync(openForWriting(file))
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...columns.map(parquetElement)]
  const writer = new ParquetWriter({ writer: fileWriter(partOf(file)), schema })
  const pending: Cells[][] = columns.map(() => [])
  let rows = 0
  const flush = () => {
    if (rows === 0) return
    const columnData = columns.map((column, k) => ({ name: column.name, data: parquetCells(column, pending[k]!) }))
    // The file writer is synchronous, so nothing is left to wait for.
    writer.write({ columnData, rowGroupSize: rows })
    for (const cells of pending) cells.length = 0
    rows = 0
  }
  return {
    write: (cells) => {
      for (const [k, column] of cells.entries()) pending[k]!.push(column)
      rows += cells[0]?.length ?? 0
      if (rows >= GROUP_ROWS) flush()
    },
    close: () => {
      flush()
      writer.finish()
      renameSync(partOf(file), file)
    },
    abandon: () => rmSync(partOf(file), { force: true }),
  }
}

function parquetElement({ name, kind }: SinkColumn): SchemaElement {
  if (kind === 'text') return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' }
  return { name, type: kind === 'number' ? 'DOUBLE' : 'INT32', repetition_type: 'OPTIONAL' }
}

function parquetCells({ kind }: SinkColumn, parts: readonly Cells[]): (number | string | null)[] {
  const cells: (number | string | null)[] = []
  for (const part of parts) for (const cell of part) cells.push(kind !== 'text' && Number.isNaN(cell) ? null : cell)
  return cells
}
