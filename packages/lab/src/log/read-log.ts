// Reading a decision log (docs/log-format.md), a piece or a row group at a time. Every row has every column; null where
// the file has nothing.

import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { formatInside } from '../tables/open-table.js'
import { tableError } from '../tables/table-error.js'
import { csvLogRows, readCsvHeader } from './csv-log.js'
import { jsonlDecoder, parseJsonlHeader } from './jsonl-log.js'
import { isArchive, readArchive } from './log-archive.js'
import { type LogRow, logColumns } from './log-columns.js'
import type { LogHeader } from './log-header.js'
import { openParquetLog, parquetLogBatches } from './parquet-log.js'
import type { LogFormat } from './write-log.js'

/** A decision log in a file: its header, and its rows as often as they are asked for. */
export interface LogFile {
  readonly file: string
  readonly format: LogFormat
  readonly header: LogHeader
  /** Can be asked for any number of times; each reads the file from its start. */
  readonly rows: () => AsyncGenerator<LogRow>
}

/** Opens a log, whose format is told by its content, or an archive, whose files follow each other. */
export async function openLog(file: string): Promise<LogFile> {
  if (isArchive(file)) return openArchive(file)
  const format = logFormatInside(file)
  if (format === 'parquet') {
    const log = await openParquetLog(file)
    return { file, format, header: log.header, rows: () => flat(parquetLogBatches(log)) }
  }
  if (format === 'csv') {
    const header = readCsvHeader(file)
    return {
      file,
      format,
      header,
      rows: async function* () {
        yield* csvLogRows(file, header)
      },
    }
  }
  const header = await readJsonlHeader(file)
  return { file, format, header, rows: () => jsonlRows(file, header) }
}

async function openArchive(folder: string): Promise<LogFile> {
  const { files } = readArchive(folder) ?? { files: [] }
  const logs = await Promise.all(files.map(({ file }) => openLog(join(folder, file))))
  const last = logs.at(-1)
  if (last === undefined) throw tableError('table-empty', folder, 'must be an archive with files, got none')
  const columns = ({ header }: LogFile) => JSON.stringify(logColumns(header))
  const other = logs.find((log) => columns(log) !== columns(last))
  if (other !== undefined)
    throw tableError(
      'table-bad-header',
      other.file,
      `must have the columns of ${last.file}: the problem has grown since`,
    )
  return {
    file: folder,
    format: 'parquet',
    header: last.header,
    rows: async function* () {
      for (const { rows } of logs) yield* rows()
    },
  }
}

/** By the file's first bytes. */
export function logFormatInside(file: string): LogFormat {
  const format = formatInside(file)
  return format === 'json' ? 'jsonl' : format
}

async function readJsonlHeader(file: string): Promise<LogHeader> {
  for await (const lines of lineBatches(file)) return parseJsonlHeader(file, lines[0]!)
  throw tableError('table-empty', file, 'must have a header, got an empty file')
}

async function* jsonlRows(file: string, header: LogHeader): AsyncGenerator<LogRow> {
  const decode = jsonlDecoder(file, logColumns(header))
  let number = 0
  for await (const lines of lineBatches(file)) {
    for (const line of lines) {
      number++
      if (line !== '') yield decode(line, number)
    }
  }
}

/** The lines of a UTF-8 file, some at a time, without LF or CRLF. */
export async function* lineBatches(file: string): AsyncGenerator<readonly string[]> {
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 18 })
  let rest = ''
  let first = true
  for await (const piece of stream as AsyncIterable<string>) {
    const lines = (rest + (first ? piece.replace(/^\ufeff/, '') : piece)).split('\n')
    first = false
    rest = lines.pop()!
    if (lines.length > 0) yield lines.map(withoutReturn)
  }
  if (rest !== '') yield [withoutReturn(rest)]
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

async function* flat(batches: AsyncIterable<readonly LogRow[]>): AsyncGenerator<LogRow> {
  for await (const rows of batches) yield* rows
}
