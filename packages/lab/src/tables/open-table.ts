// What a table is, before it is read: a CSV, JSON lines or Parquet file, several of them ("visits/*.parquet"), or a
// query ("select ... from 'visits/*.parquet'"), as a relation of DuckDB with the names of its columns.

import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasLeadingZero, numberIn } from './cell-number.js'
import { type CsvStart, csvStart } from './csv-dialect.js'
import { reasonOf, rowsOf, sqlText } from './duckdb.js'
import { fileText } from './file-text.js'
import { tableError } from './table-error.js'
import type { TableSpec } from './table-spec.js'
import type { TextOrigin } from './text-origin.js'
import { checkHeader, type Header } from './wanted-columns.js'

export type TableFormat = 'csv' | 'parquet' | 'json' | 'query'

export interface OpenTable extends Header {
  readonly file: string
  readonly format: TableFormat
  /** Name and type of each column in the relation. */
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** A relation; of a CSV file with columns of numbers as `types` has them. */
  readonly from: (types?: readonly string[]) => string
  /** Of a CSV file. */
  readonly csv?: CsvStart & { readonly text: TextOrigin; readonly looks: readonly Looks[] }
  /** About how many rows there are. */
  readonly estimate: number
  /** Removes temporary files. */
  readonly close: () => void
}

type Looks = 'numbers' | 'mixed' | 'texts'

export type FormatOptions = Pick<TableSpec, 'separator' | 'decimal'>

/** Finds out what a table is; throws when it cannot be one. */
export async function openTable(file: string, options: FormatOptions = {}): Promise<OpenTable> {
  if (isQuery(file)) return openTyped(file, 'query', `(${file.replace(/;\s*$/, '')})`)
  const files = existsSync(file) ? [file] : await matching(file)
  const [first] = files as [string, ...string[]]
  const format = formatInside(first)
  const list = `[${files.map((one) => sqlText(one.replaceAll(/[[*?]/g, '[$&]'))).join(', ')}]`
  if (format === 'csv') return openCsv(file, files, options)
  const more = files.length > 1 ? ', union_by_name = true' : ''
  const relation = format === 'parquet' ? `read_parquet(${list}${more})` : `read_json(${list}, sample_size = -1${more})`
  return openTyped(file, format, relation)
}

export function isQuery(file: string): boolean {
  return /^\s*(select|from|with)\s/i.test(file)
}

async function matching(file: string): Promise<readonly string[]> {
  const rows = /[*?[]/.test(file) ? await rowsOf(`select file from glob(${sqlText(file)}) order by file`) : []
  if (rows.length === 0) throw tableError('table-unreadable', file, 'no such file')
  return rows.map((row) => String(row.file))
}

const MAGIC: readonly (readonly [string, string])[] = [
  ['PK\x03\x04', 'a zip or Excel file: save it as CSV'],
  ['\x1f\x8b', 'a gzip file: unpack it first'],
]

/** By the first bytes of the file. */
export function formatInside(file: string): Exclude<TableFormat, 'query'> {
  const { size, start } = startOf(file)
  if (size === 0) throw tableError('table-empty', file, 'must have a header, got an empty file')
  if (start === 'PAR1') return 'parquet'
  if (/\.parquet$/i.test(file)) throw tableError('table-unreadable', file, 'must be a Parquet file, got other content')
  const kind = MAGIC.find(([prefix]) => start.startsWith(prefix))?.[1]
  if (kind !== undefined)
    throw tableError('table-unreadable', file, `must be a CSV, JSON lines or Parquet file, got ${kind}`)
  return /^(\xef\xbb\xbf)?[{[]/.test(start) ? 'json' : 'csv'
}

function startOf(file: string): { readonly size: number; readonly start: string } {
  try {
    const stats = statSync(file)
    if (stats.isDirectory()) throw new Error(`it is a folder: name its files, such as "${join(file, '*.parquet')}"`)
    const handle = openSync(file, 'r')
    try {
      const start = Buffer.alloc(4)
      return { size: stats.size, start: start.subarray(0, readSync(handle, start, 0, 4, 0)).toString('latin1') }
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw tableError('table-unreadable', file, code === 'ENOENT' ? 'no such file' : `cannot be read (${message})`)
  }
}

async function openTyped(file: string, format: TableFormat, relation: string): Promise<OpenTable> {
  try {
    const rows = await rowsOf(`describe select * from ${relation}`)
    const columns = rows.map((row) => ({ name: String(row.column_name), type: String(row.column_type) }))
    const header = checkHeader(
      file,
      columns.map(({ name }) => name),
    )
    const [count] = format === 'parquet' ? await rowsOf(`select count(*)::double as rows from ${relation}`) : []
    const estimate = Number(count?.rows ?? 0)
    return { file, format, columns, ...header, from: () => relation, estimate, close: () => undefined }
  } catch (error) {
    const kinds = { parquet: 'a Parquet file', json: 'JSON lines', query: 'a query of tables', csv: 'CSV' }
    throw tableError('table-unreadable', file, `must be ${kinds[format]} (${reasonOf(error)})`)
  }
}

async function openCsv(file: string, files: readonly string[], options: FormatOptions): Promise<OpenTable> {
  const texts = files.map((one) => fileText(one))
  const text = texts[0]!
  const start = csvStart(text, options)
  const { dialect, header: given } = start
  if (given.length === 0) throw tableError('table-empty', text.name, 'must have a header, got an empty file')
  const other = texts.slice(1).find((one) => csvStart(one, options).header.join('\n') !== given.join('\n'))
  if (other !== undefined)
    throw tableError('table-bad-header', other.name, `must have the columns of ${text.name}, in their order`)
  const { names, twice } = checkHeader(text.name, given, start.line)
  const folder = texts.some(({ encoding }) => encoding !== 'UTF-8') ? mkdtempSync(join(tmpdir(), 'primo-csv-')) : null
  const read = texts.map((one, k) => (one.encoding === 'UTF-8' ? one.name : utf8Copy(one, join(folder!, `${k}.csv`))))
  const list = read.map((one) => sqlText(one.replaceAll(/[[*?]/g, '[$&]'))).join(', ')
  const { separator, quote } = dialect
  const marks = `delim = ${sqlText(separator)}, quote = ${sqlText(quote)}, escape = ${sqlText(quote)}`
  const hives = files.length > 1 ? ', hive_partitioning = true' : ''
  const from = (types: readonly string[] = []) => {
    const columns = names.map((_, k) => `'c${k}': '${types[k] ?? 'VARCHAR'}'`).join(', ')
    const options = `auto_detect = false, header = true, ${marks}, max_line_size = 67108864${hives}`
    return `read_csv([${list}], ${options}, columns = {${columns}})`
  }
  const described = files.length > 1 ? (await rowsOf(`describe select * from ${from()}`)).slice(names.length) : []
  const hive = described.map((row) => ({ name: String(row.column_name), type: String(row.column_type) }))
  return {
    file,
    format: 'csv',
    columns: [...names.map((_, k) => ({ name: `c${k}`, type: 'VARCHAR' })), ...hive],
    names: [...names, ...hive.map(({ name }) => name)],
    twice,
    from,
    csv: { ...start, text, looks: names.map((_, k) => looksOf(start, k)) },
    estimate: estimateOf(files, start),
    close: () => folder !== null && rmSync(folder, { recursive: true, force: true }),
  }
}

/** By the size of the files and the length of the first rows. */
function estimateOf(files: readonly string[], { rows }: CsvStart): number {
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  const length = rows.reduce((sum, { text }) => sum + text.length + 1, 0) / rows.length
  return rows.length === 0 ? 0 : Math.ceil((1.02 * bytes) / length)
}

/** By the first rows: plain numbers, which DuckDB reads fastest as such; codes with zeros in front are read as texts. */
function looksOf({ rows, dialect }: CsvStart, field: number): Looks {
  const cells = rows.map(({ cells }) => cells[field]?.trim() ?? '').filter((cell) => cell !== '')
  if (cells.some((cell) => hasLeadingZero(cell))) return 'texts'
  const numbers = dialect.decimal === '.' && cells.every((cell) => Number.isFinite(numberIn(cell)))
  return numbers && cells.length > 0 ? 'numbers' : 'mixed'
}

function utf8Copy(text: TextOrigin, to: string): string {
  const handle = openSync(to, 'w')
  try {
    for (const piece of text.pieces()) writeSync(handle, piece)
  } finally {
    closeSync(handle)
  }
  return to
}
