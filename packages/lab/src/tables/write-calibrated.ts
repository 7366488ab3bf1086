// Writes a table back with new columns at its end, everything else as it was: the characters of every CSV record are copied (as
// UTF-8, whatever the encoding was); other tables are copied by DuckDB.

import { closeSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { csvCell } from './csv-cell.js'
import { csvStart } from './csv-dialect.js'
import { csvRecords, isBlank } from './csv-records.js'
import { reasonOf, rowsOf, run, sqlName, sqlText } from './duckdb.js'
import { fileText } from './file-text.js'
import { formatInside, isQuery, openTable } from './open-table.js'
import type { Table } from './table.js'
import { tableError } from './table-error.js'
import { openForWriting, openSink, partOf, removePart } from './table-sink.js'

/** A new column: numbers (NaN: an empty cell) or texts. */
export interface AddedColumn {
  readonly name: string
  readonly values: Float64Array | readonly string[]
}

/** Throws when these columns could not be added to this table in that file; to be asked before the work is done. */
export function checkOutput(table: Table, names: readonly string[], out: string): void {
  const isFile = !isQuery(table.file) && existsSync(table.file)
  const format = isFile ? formatInside(table.file) : 'query'
  const isInput =
    isFile && (existsSync(out) ? realpathSync(out) === realpathSync(table.file) : resolve(out) === resolve(table.file))
  if (isInput) throw tableError('table-output', out, 'must not be the input file')
  const ends = format === 'csv' || format === 'parquet' ? [`.${format}`] : ['.csv', '.parquet']
  if (!ends.includes(extname(out).toLowerCase())) {
    const rule = `must end in ${ends.join(' or ')}, as the columns of ${table.file} are kept as they are`
    throw tableError('table-output', out, rule)
  }
  if (existsSync(out) && statSync(out).isDirectory())
    throw tableError('table-output', out, 'must be a file, got a folder')
  if (!existsSync(dirname(out)))
    throw tableError('table-output', out, `must be in a folder that exists: make it first (mkdir -p ${dirname(out)})`)
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
  try {
    if (!isQuery(table.file) && existsSync(table.file) && formatInside(table.file) === 'csv')
      copyCsv(table, columns, out)
    else await copyTable(table.file, columns, out)
    renameSync(partOf(out), out)
  } catch (error) {
    rmSync(partOf(out), { force: true })
    throw error
  }
}

function copyCsv(table: Table, columns: readonly AddedColumn[], out: string): void {
  const text = fileText(table.file)
  const { separator, quote, decimal } = table.reading?.dialect ?? csvStart(text).dialect
  const handle = openForWriting(out)
  let pending = text.byteOrderMark && text.encoding === 'UTF-8' ? '\ufeff' : ''
  let row = -1
  try {
    for (const record of csvRecords(text, { separator, quote })) {
      if (isBlank(record) && (row < 0 || table.header.length > 1)) continue
      const cells = columns.map(({ name, values }) =>
        row < 0 ? csvCell(name) : cellOf(values[row]!, separator, decimal),
      )
      pending += [record.text, ...cells].join(separator) + (record.crlf ? '\r\n' : '\n')
      row++
      if (pending.length < 1 << 20) continue
      writeSync(handle, pending)
      pending = ''
    }
    writeSync(handle, pending)
  } finally {
    closeSync(handle)
  }
}

function cellOf(value: number | string, separator: string, decimal: string): string {
  if (typeof value === 'number') return csvCell(value).replace('.', decimal)
  const cell = csvCell(value)
  return cell === value && value.includes(separator) ? `"${value}"` : cell
}

async function copyTable(file: string, columns: readonly AddedColumn[], out: string): Promise<void> {
  const open = await openTable(file)
  const added = `${out}.columns.csv`
  const kinds = columns.map(({ name, values }) => ({
    name,
    kind: values instanceof Float64Array ? ('number' as const) : ('text' as const),
  }))
  try {
    const sink = openSink(added, kinds)
    sink.write(columns.map(({ values }) => values))
    await sink.close()
    const types = kinds.map(({ name, kind }) => `${sqlText(name)}: '${kind === 'number' ? 'DOUBLE' : 'VARCHAR'}'`)
    const more = `read_csv(${sqlText(added)}, auto_detect = false, header = true, columns = {${types.join(', ')}})`
    const kept = open.format === 'parquet' ? await metadataOf(file) : ''
    const target = extname(out).toLowerCase() === '.csv' ? 'format csv, header true' : `format parquet${kept}`
    await run(
      `copy (select t.*, a.* from (select * from ${open.from()}) t positional join ${more} a) to ${sqlText(partOf(out))} (${target})`,
    )
  } catch (error) {
    if (error instanceof Error && error.name === 'PrimoError') throw error
    throw tableError('table-output', file, `cannot be copied (${reasonOf(error)})`)
  } finally {
    removePart(added)
    rmSync(added, { force: true })
    open.close()
  }
}

/** Key-value metadata of a Parquet file; Arrow's schema is of the old columns. */
async function metadataOf(file: string): Promise<string> {
  const from = `parquet_kv_metadata(${sqlText(file)}) where decode(key) <> 'ARROW:schema'`
  const pairs = await rowsOf(`select distinct decode(key) as key, decode(value) as value from ${from}`)
  const fields = pairs.map(({ key, value }) => `${sqlName(String(key))}: ${sqlText(String(value))}`)
  return fields.length === 0 ? '' : `, kv_metadata {${fields.join(', ')}}`
}
