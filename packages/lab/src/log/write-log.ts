// Writing a decision log (docs/log-format.md) from a stream of rows. Memory does not depend on their number.

import { closeSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tableError } from '../tables/table-error.js'
import { openForWriting, partOf } from '../tables/table-sink.js'
import { csvEncoder } from './csv-log.js'
import { jsonlEncoder } from './jsonl-log.js'
import type { LogRow } from './log-columns.js'
import { checkLogHeader, type LogHeader } from './log-header.js'
import { parquetEncoder } from './parquet-log.js'

/** The file formats of a decision log. */
export type LogFormat = 'jsonl' | 'csv' | 'parquet'

/** All file formats of a decision log. */
export const logFormats: readonly LogFormat[] = ['jsonl', 'csv', 'parquet']

/** Rows of a log, at hand or as they come. */
export type LogRows = Iterable<LogRow> | AsyncIterable<LogRow>

const PIECE = 1 << 18

/** The bytes of the file in pieces, for a socket or a file. */
export async function* logBytes(header: LogHeader, rows: LogRows, format: LogFormat): AsyncGenerator<Uint8Array> {
  checkLogHeader(header, 'log')
  let number = 0
  if (format === 'parquet') {
    const encoder = parquetEncoder(header)
    for await (const row of rows) {
      const bytes = encoder.row(row, ++number)
      if (bytes !== null) yield bytes
    }
    yield encoder.end()
    return
  }
  const encoder = format === 'jsonl' ? jsonlEncoder(header) : csvEncoder(header)
  let text = encoder.start
  for await (const row of rows) {
    text += encoder.row(row, ++number)
    if (text.length < PIECE) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

/** The format that a file's name ends in. */
export function logFormatOf(file: string): LogFormat {
  const format = logFormats.find((name) => file.toLowerCase().endsWith(`.${name}`))
  if (format === undefined) throw tableError('table-output', file, 'must end in .jsonl, .csv or .parquet')
  return format
}

/** Writes the file, readable by its owner alone, and renames it when it is complete. Returns the number of rows. */
export async function writeLog(
  file: string,
  header: LogHeader,
  rows: LogRows,
  options: { readonly format?: LogFormat } = {},
): Promise<number> {
  const format = options.format ?? logFormatOf(file)
  // Contexts may be personal data.
  const handle = openForWriting(file, 0o600)
  let count = 0
  async function* counted() {
    for await (const row of rows) {
      count++
      yield row
    }
  }
  try {
    for await (const bytes of logBytes(header, counted(), format)) writeFileSync(handle, bytes)
  } catch (error) {
    closeSync(handle)
    rmSync(partOf(file), { force: true })
    throw error
  }
  closeSync(handle)
  renameSync(partOf(file), file)
  return count
}
