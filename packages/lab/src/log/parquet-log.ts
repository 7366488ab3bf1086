// A decision log as Parquet. It is written by a small writer, a row group at a time, because the service streams it
// and does without DuckDB, which reads it. Numbers are written plainly, as a dictionary would take -0 for 0.

import { gzipSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { chunksOf, rowsOf, sqlName, sqlText } from '../tables/duckdb.js'
import { openTable } from '../tables/open-table.js'
import { tableError } from '../tables/table-error.js'
import { noLog } from './csv-log.js'
import { checkCell, type LogCell, type LogColumn, type LogRow, logColumns } from './log-columns.js'
import { checkLogHeader, LOG_FORMAT, type LogHeader } from './log-header.js'

const GROUP_ROWS = 8_192

/** Takes rows and gives the bytes of the file, whenever a row group is full. */
export function parquetEncoder(header: LogHeader): {
  readonly row: (row: LogRow, number: number) => Uint8Array | null
  readonly end: () => Uint8Array
} {
  const columns = logColumns(header)
  const writer = new ByteWriter()
  const parquet = new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(parquetElements)],
    codec: 'GZIP',
    compressors: { GZIP: (bytes) => gzipSync(bytes, { level: 1 }) },
    kvMetadata: [{ key: LOG_FORMAT, value: JSON.stringify(header) }],
  })
  let pending: unknown[][] = columns.map(() => [])
  /** The bytes so far; `offset` goes on counting, so that places in the file stay right. */
  const take = (): Uint8Array => {
    const bytes = new Uint8Array(writer.buffer, 0, writer.index).slice()
    writer.index = 0
    return bytes
  }
  const flush = () => {
    const rows = pending[0]!.length
    if (rows === 0) return
    parquet.write({
      columnData: columns.map(({ name, kind }, k) => ({
        name,
        data: pending[k]!,
        ...(kind === 'number' || kind === 'numbers' ? { encoding: 'PLAIN' as const } : {}),
      })),
      rowGroupSize: rows,
    })
    pending = columns.map(() => [])
  }
  return {
    row: (row, number) => {
      for (let k = 0; k < columns.length; k++) {
        const column = columns[k]!
        const cell = checkCell('log', column, row[column.name], number)
        pending[k]!.push(column.kind === 'integer' && cell !== null ? BigInt(cell as number) : cell)
      }
      if (pending[0]!.length < GROUP_ROWS) return null
      flush()
      return take()
    },
    end: () => {
      flush()
      parquet.finish()
      return take()
    },
  }
}

function parquetElements({ name, kind }: LogColumn): SchemaElement[] {
  const optional = { repetition_type: 'OPTIONAL' as const }
  const text = { type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const }
  switch (kind) {
    case 'text':
      return [{ name, ...text, ...optional }]
    case 'number':
      return [{ name, type: 'DOUBLE', ...optional }]
    case 'integer':
      return [{ name, type: 'INT64', ...optional }]
    case 'boolean':
      return [{ name, type: 'BOOLEAN', ...optional }]
    default:
      return [
        { name, converted_type: 'LIST', num_children: 1, ...optional },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', ...(kind === 'texts' ? text : { type: 'DOUBLE' as const }), ...optional },
      ]
  }
}

export interface ParquetLog {
  readonly file: string
  readonly header: LogHeader
  readonly rounds: number
  /** Columns of the file. */
  readonly names: ReadonlySet<string>
}

export async function openParquetLog(file: string): Promise<ParquetLog> {
  const path = sqlText(file)
  const { names } = await openTable(file)
  const rows = await rowsOf(
    `select decode(value) as header from parquet_kv_metadata(${path}) where decode(key) = ${sqlText(LOG_FORMAT)}`,
  )
  if (rows.length === 0) throw tableError('table-unreadable', file, `no metadata "${LOG_FORMAT}": ${noLog(file)}`)
  const [count] = await rowsOf(`select num_rows from parquet_file_metadata(${path})`)
  const header = checkLogHeader(JSON.parse(String(rows[0]!.header)), file)
  return { file, header, rounds: Number(count!.num_rows), names: new Set(names) }
}

export interface ParquetPart {
  /** Rows from (inclusive) to (exclusive), counted from 0; default: all. */
  readonly range?: { readonly from: number; readonly to: number }
  /** Columns that are read; default: all. Others are not in the rows. */
  readonly columns?: (name: string) => boolean
}

/** The rows, some 2,000 at a time. */
export async function* parquetLogBatches(
  { file, header, names }: ParquetLog,
  { range, columns: wanted = () => true }: ParquetPart = {},
): AsyncGenerator<readonly LogRow[]> {
  const columns = logColumns(header).filter(({ name }) => wanted(name))
  const select = columns.map(({ name }) => (names.has(name) ? sqlName(name) : 'null'))
  const where = range === undefined ? '' : ` where file_row_number between ${range.from} and ${range.to - 1}`
  let number = range?.from ?? 0
  const relation = `read_parquet(${sqlText(file)}, file_row_number = true)`
  for await (const chunk of chunksOf([...select, 'null'], `${relation}${where}`)) {
    const rows: Record<string, LogCell>[] = Array.from({ length: chunk.rows }, () => ({}))
    columns.forEach((column, k) => {
      const cells = chunk.cells(k)
      rows.forEach((row, at) => {
        const cell = storedCell(cells(at))
        row[column.name] = checkCell(file, column, cell, number + at + 1)
      })
    })
    number += rows.length
    yield rows
  }
}

function storedCell(cell: unknown): LogCell {
  if (typeof cell === 'bigint') return Number(cell)
  if (typeof cell === 'object' && cell !== null && 'items' in cell) return cell.items as readonly number[]
  return (cell ?? null) as LogCell
}
