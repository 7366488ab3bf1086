// Writes a table back with new columns at its end, everything else as it was: the bytes of every CSV record are copied (as UTF-8,
// whatever the encoding was), Parquet columns are copied as their stored values (no dates or decimals are converted on the way).

import { closeSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { fileWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { csvCell } from './csv-cell.js'
import { findDialect } from './csv-dialect.js'
import { type CsvRecord, isBlank, scanCsv } from './csv-records.js'
import { fileText } from './file-text.js'
import { openParquet, type ParquetFile, readColumnChunk, reasonOf } from './read-parquet.js'
import { inspectTable } from './read-table.js'
import type { Table } from './table.js'
import { tableError } from './table-error.js'
import { formatOf, openForWriting, partOf } from './table-sink.js'

/** A new column: numbers (NaN: an empty cell) or texts. */
export interface AddedColumn {
  readonly name: string
  readonly values: Float64Array | readonly string[]
}

/** Throws when these columns could not be added to this table in that file; to be asked before the work is done. */
export function checkOutput(table: Table, names: readonly string[], out: string): void {
  const { format } = inspectTable(table.file)
  const isInput = existsSync(out)
    ? realpathSync(out) === realpathSync(table.file)
    : resolve(out) === resolve(table.file)
  if (isInput) throw tableError('table-output', out, 'must not be the input file')
  if (extname(out).toLowerCase() !== `.${format}`) {
    throw tableError(
      'table-output',
      out,
      `must end in .${format}, as the columns of ${table.file} are kept as they are`,
    )
  }
  if (existsSync(out) && statSync(out).isDirectory())
    throw tableError('table-output', out, 'must be a file, got a folder')
  if (!existsSync(dirname(out))) throw tableError('table-output', out, 'must be in a folder that exists')
  for (const name of names) {
    if (table.header.includes(name)) {
      throw tableError('table-output', table.file, 'there is a column of this name already', { column: name })
    }
  }
}

/** Writes a table back with new columns at its end, everything else as it was. */
export async function writeWithColumns(table: Table, columns: readonly AddedColumn[], out: string): Promise<void> {
  checkOutput(
    table,
    columns.map(({ name }) => name),
    out,
  )
  closeSync(openForWriting(out))
  try {
    if (formatOf(out) === 'csv') copyCsv(table, columns, out)
    else await copyParquet(table.file, columns, out)
    renameSync(partOf(out), out)
  } catch (error) {
    rmSync(partOf(out), { force: true })
    throw error
  }
}

const PIECE = 1 << 20

function copyCsv({ file, reading }: Table, columns: readonly AddedColumn[], out: string): void {
  const dialect = reading?.dialect ?? findDialect(fileText(file))
  const separator = String.fromCharCode(dialect.separator)
  const decimal = String.fromCharCode(dialect.decimal)
  const handle = openForWriting(out)
  let pending: Buffer[] = []
  let size = 0
  let row = -1
  const flush = () => {
    writeFileSync(handle, Buffer.concat(pending))
    pending = []
    size = 0
  }
  try {
    const take = (record: CsvRecord) => {
      if (isBlank(record) && row >= 0) return
      const start = row < 0 ? 0 : record.from
      const cells = columns.map(({ name, values }) =>
        row < 0 ? csvCell(name) : cellOf(values[row]!, separator, decimal),
      )
      const tail = Buffer.from(`${separator}${cells.join(separator)}${record.crlf ? '\r\n' : '\n'}`)
      // The record's bytes are overwritten by the next piece; the header keeps its byte order mark.
      pending.push(Buffer.from(record.bytes.subarray(start, record.to)), tail)
      size += record.to - start + tail.length
      row++
      if (size >= PIECE) flush()
    }
    scanCsv(fileText(file), take, { dialect })
    flush()
  } finally {
    closeSync(handle)
  }
}

function cellOf(value: number | string, separator: string, decimal: string): string {
  if (typeof value === 'number') return csvCell(value).replace('.', decimal)
  const cell = csvCell(value)
  return cell === value && value.includes(separator) ? `"${value}"` : cell
}

async function copyParquet(file: string, columns: readonly AddedColumn[], out: string): Promise<void> {
  const parquet = await openParquet(file)
  const { metadata, header } = parquet
  const added: SchemaElement[] = columns.map(({ name, values }) =>
    values instanceof Float64Array
      ? { name, type: 'DOUBLE', repetition_type: 'OPTIONAL' }
      : { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  )
  const root = { ...metadata.schema[0]!, num_children: header.length + columns.length }
  const stored = { ...metadata, schema: metadata.schema.map(withoutMeaning) }
  const writer = new ParquetWriter({
    writer: fileWriter(partOf(out)),
    schema: [root, ...stored.schema.slice(1), ...added],
    statistics: false,
    ...(metadata.key_value_metadata === undefined ? {} : { kvMetadata: metadata.key_value_metadata }),
  })
  let first = 0
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows)
    const copied = []
    for (const name of header) {
      copied.push({ name, data: await storedCells(file, { ...parquet, metadata: stored }, name, first, rows) })
    }
    const fresh = columns.map(({ name, values }) => ({
      name,
      data: Array.from<number | string, unknown>(values.slice(first, first + rows), (value) =>
        Number.isNaN(value) ? null : value,
      ),
    }))
    try {
      writer.write({ columnData: [...copied, ...fresh], rowGroupSize: rows })
    } catch (error) {
      throw tableError('table-output', file, `cannot be copied to Parquet (${reasonOf(error)}); use a CSV file`)
    }
    first += rows
  }
  // Values are in the file as they were; now they get back what they mean.
  writer.schema = [root, ...metadata.schema.slice(1), ...added]
  writer.finish()
}

/** The stored type of a leaf alone: a timestamp as its integer, a text as its bytes. */
function withoutMeaning(element: SchemaElement): SchemaElement {
  if (element.type === undefined) return element
  const { converted_type: _converted, logical_type: _logical, ...stored } = element
  return stored
}

async function storedCells(
  file: string,
  parquet: ParquetFile,
  column: string,
  first: number,
  rows: number,
): Promise<unknown[]> {
  const cells: unknown[] = new Array(rows)
  for (const piece of await readColumnChunk(file, parquet, column, first, first + rows, { utf8: false })) {
    for (let k = 0; k < piece.cells.length; k++) {
      const at = piece.rowStart + k - first
      if (at >= 0 && at < rows) cells[at] = piece.cells[k]
    }
  }
  return cells
}
