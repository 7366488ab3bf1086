// A decision log as Parquet: a row group at a time in memory, whatever the number of rows. Numbers are written plainly, as a
// dictionary would take -0 for 0.

import { gzipSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { openParquet, type ParquetFile, readColumnChunk } from '../tables/read-parquet.js'
import { tableError } from '../tables/table-error.js'
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

export async function openParquetLog(file: string): Promise<{ header: LogHeader; parquet: ParquetFile }> {
  const parquet = await openParquet(file)
  const text = parquet.metadata.key_value_metadata?.find(({ key }) => key === LOG_FORMAT)?.value
  if (text === undefined) {
    const rule = `no metadata "${LOG_FORMAT}": this is no log (a mapping makes one of other tables)`
    throw tableError('table-unreadable', file, rule)
  }
  return { header: checkLogHeader(JSON.parse(text), file), parquet }
}

export interface ParquetPart {
  /** Rows from (inclusive) to (exclusive), counted from 0; default: all. */
  readonly range?: { readonly from: number; readonly to: number }
  /** Columns that are read; default: all. Others are not in the rows. */
  readonly columns?: (name: string) => boolean
}

/** The rows, a row group at a time. */
export async function* parquetLogBatches(
  file: string,
  parquet: ParquetFile,
  header: LogHeader,
  { range, columns: wanted = () => true }: ParquetPart = {},
): AsyncGenerator<readonly LogRow[]> {
  const columns = logColumns(header).filter(({ name }) => wanted(name))
  const known = new Set(parquet.header)
  let next = 0
  for (const group of parquet.metadata.row_groups) {
    const first = Math.max(next, range?.from ?? 0)
    const end = Math.min(next + Number(group.num_rows), range?.to ?? Number.POSITIVE_INFINITY)
    next += Number(group.num_rows)
    if (first >= end) continue
    const rows: Record<string, LogCell>[] = Array.from({ length: end - first }, () => ({}))
    for (const column of columns) {
      const { name } = column
      for (const row of rows) row[name] = null
      if (!known.has(name)) continue
      for (const { rowStart, cells } of await readColumnChunk(file, parquet, name, first, end)) {
        for (let k = 0; k < cells.length; k++) {
          const at = rowStart + k - first
          if (at >= 0 && at < rows.length) rows[at]![name] = storedCell(cells[k])
        }
      }
      for (let k = 0; k < rows.length; k++) checkCell(file, column, rows[k]![name], first + k + 1)
    }
    yield rows
  }
}

function storedCell(cell: unknown): LogCell {
  if (typeof cell === 'bigint') return Number(cell)
  return (cell ?? null) as LogCell
}
