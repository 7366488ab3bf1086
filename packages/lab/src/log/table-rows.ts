// The rows of any CSV, JSONL or Parquet table, one at a time, with the cells as the file has them. CSV cells that read as
// numbers are numbers, true and false are booleans, empty ones and markers of missing values are null.

import { findDialect } from '../tables/csv-dialect.js'
import { csvRecords, fieldText, isBlank } from '../tables/csv-records.js'
import { fileText } from '../tables/file-text.js'
import { missingMarkers } from '../tables/missing-markers.js'
import { openParquet, readColumnChunk } from '../tables/read-parquet.js'
import { tableError } from '../tables/table-error.js'
import { fieldNames } from './csv-log.js'
import type { LogCell } from './log-columns.js'
import { lineBatches, logFormatInside } from './read-log.js'

export type TableRow = Readonly<Record<string, LogCell | undefined>>

/** A hint that a column holds texts even where they read as numbers. */
export interface TableRowOptions {
  readonly texts?: ReadonlySet<string>
}

export async function* tableRows(file: string, options: TableRowOptions = {}): AsyncGenerator<TableRow> {
  const format = logFormatInside(file)
  if (format === 'csv') yield* csvTableRows(file, options.texts ?? new Set())
  else if (format === 'jsonl') yield* jsonTableRows(file)
  else yield* parquetTableRows(file)
}

function* csvTableRows(file: string, texts: ReadonlySet<string>): Generator<TableRow> {
  let names: readonly string[] | null = null
  let number = 0
  const dialect = findDialect(fileText(file))
  const decimal = String.fromCharCode(dialect.decimal)
  for (const record of csvRecords(fileText(file), { dialect })) {
    if (names === null) {
      names = fieldNames(record).map((name) => name.trim())
      continue
    }
    if (isBlank(record)) continue
    number++
    if (record.count !== names.length) {
      const rule = `must have ${names.length} fields, like the header, got ${record.count}`
      throw tableError('table-ragged-row', file, rule, { line: record.line, row: number })
    }
    const row: Record<string, LogCell> = {}
    for (let k = 0; k < names.length; k++) {
      const text = fieldText(record, k)
      const quoted = record.quotes[k] !== 0
      row[names[k]!] = texts.has(names[k]!) ? textOrNull(text, quoted) : plainCell(text, quoted, decimal)
    }
    yield row
  }
}

function textOrNull(text: string, quoted: boolean): LogCell {
  const shown = quoted ? text : text.trim()
  return (shown === '' && !quoted) || missingMarkers.includes(shown) ? null : shown
}

function plainCell(text: string, quoted: boolean, decimal: string): LogCell {
  const trimmed = text.trim()
  if (trimmed === '') return quoted ? text : null
  if (missingMarkers.includes(trimmed)) return null
  const pointed = trimmed.replace(decimal, '.')
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(pointed)) return Number(pointed)
  const lower = trimmed.toLowerCase()
  return lower === 'true' ? true : lower === 'false' ? false : quoted ? text : trimmed
}

async function* jsonTableRows(file: string): AsyncGenerator<TableRow> {
  let line = 0
  for await (const lines of lineBatches(file)) {
    for (const text of lines) {
      line++
      if (text.trim() === '') continue
      try {
        yield JSON.parse(text) as TableRow
      } catch (error) {
        throw tableError('table-unreadable', file, `must be JSON (${(error as Error).message})`, { line })
      }
    }
  }
}

async function* parquetTableRows(file: string): AsyncGenerator<TableRow> {
  const parquet = await openParquet(file)
  let first = 0
  for (const group of parquet.metadata.row_groups) {
    const end = first + Number(group.num_rows)
    const rows: Record<string, LogCell>[] = Array.from({ length: end - first }, () => ({}))
    for (const name of parquet.header) {
      for (const { rowStart, cells } of await readColumnChunk(file, parquet, name, first, end)) {
        for (let k = 0; k < cells.length; k++) {
          const at = rowStart + k - first
          const cell = cells[k]
          const missing = cell === undefined || (typeof cell === 'number' && Number.isNaN(cell))
          if (at < 0 || at >= rows.length) continue
          rows[at]![name] = missing ? null : typeof cell === 'bigint' ? Number(cell) : (cell as LogCell)
        }
      }
    }
    yield* rows
    first = end
  }
}
