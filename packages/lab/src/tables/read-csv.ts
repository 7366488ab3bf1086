// A CSV text as a table, without any library: for the browser.

import { csvStart, type FoundDialect } from './csv-dialect.js'
import { type CsvRecord, csvRecords, isBlank } from './csv-records.js'
import { TableFiller } from './fill-table.js'
import type { Place, Table, TextCell } from './table.js'
import { tableError } from './table-error.js'
import type { TableSpec } from './table-spec.js'
import type { TextOrigin } from './text-origin.js'
import { checkHeader } from './wanted-columns.js'

export interface ReadOptions {
  /** Every column that has a name, whatever it holds, instead of those of the spec; default false. */
  readonly whole?: boolean
}

const CHUNK_ROWS = 2_048

/** Reads a CSV text: the columns that the spec names, or all of them. */
export function readCsv(text: TextOrigin, spec: TableSpec, { whole = false }: ReadOptions = {}): Table {
  const { dialect, header: given, line } = csvStart(text, spec)
  if (given.length === 0) throw tableError('table-empty', text.name, 'must have a header, got an empty file')
  const { names: header, twice } = checkHeader(text.name, given, line)
  const place = (row: number) => placeOf(text, dialect, row, header.length)
  let texts: ReadonlyMap<string, TextCell> = new Map()
  for (;;) {
    const options = { file: text.name, header, spec, whole, typed: false, decimal: dialect.decimal, place, texts }
    const filler = new TableFiller(options)
    const at = filler.columns.map(({ name }) => header.indexOf(name))
    let chunk: CsvRecord[] = []
    const take = () => {
      const records = chunk
      filler.take(
        records.length,
        at.map((k) => (row) => records[row]!.cells[k]!),
      )
      chunk = []
    }
    for (const record of csvRows(text, dialect, header.length)) if (chunk.push(record) === CHUNK_ROWS) take()
    take()
    if (filler.rows === 0) throw tableError('table-empty', text.name, 'must have rows, got only a header')
    const late = filler.late()
    if (late.size === 0) return filler.finish({ dialect, ...unnamed(header), ...(twice.length > 0 ? { twice } : {}) })
    texts = new Map([...texts, ...late])
  }
}

/** Which columns have no name, counted from 1. */
export function unnamed(header: readonly string[]): { readonly unnamed: readonly number[] } {
  return { unnamed: header.flatMap((name, k) => (name === '' ? [k + 1] : [])) }
}

/** The rows below the header, without blank lines; throws where one is not as long as the header. */
export function* csvRows(text: TextOrigin, dialect: FoundDialect, fields: number): Generator<CsvRecord> {
  let row = -1
  for (const record of csvRecords(text, dialect)) {
    if (isBlank(record) && (fields > 1 || row < 0)) continue
    if (row++ < 0) continue
    if (record.cells.length !== fields) {
      const rule = `must have ${fields} fields, like the header, got ${record.cells.length}`
      throw tableError('table-ragged-row', text.name, rule, { line: record.line, row })
    }
    yield record
  }
}

/** Where a row stands; the text is read again up to there. */
export function placeOf(text: TextOrigin, dialect: FoundDialect, row: number, fields: number): Place {
  let seen = -2
  for (const record of csvRecords(text, dialect)) {
    if (isBlank(record) && (fields > 1 || seen < -1)) continue
    if (++seen === row) return { line: record.line, row: row + 1 }
  }
  return { row: row + 1 }
}
