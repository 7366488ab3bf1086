// A decision log as CSV: the columns, and the header object in the first row's cell of a last column, "log". An empty cell
// is null, a quoted empty one is empty text, lists are JSON. Text that a spreadsheet would run has an apostrophe in front.

import { csvCell } from '../tables/csv-cell.js'
import { type CsvRecord, csvRecords, isBlank } from '../tables/csv-records.js'
import { fileText } from '../tables/file-text.js'
import { tableError } from '../tables/table-error.js'
import { guardText, unguardText } from './formula-text.js'
import { jsonCell } from './jsonl-log.js'
import { checkCell, type LogCell, type LogColumn, type LogRow, logColumns } from './log-columns.js'
import { checkLogHeader, type LogHeader } from './log-header.js'

const HEADER_COLUMN = 'log'

export function csvEncoder(header: LogHeader): {
  readonly start: string
  readonly row: (row: LogRow, number: number) => string
} {
  const columns = logColumns(header)
  const names = [...columns.map(({ name }) => name), HEADER_COLUMN]
  return {
    start: `${names.map((name) => csvCell(name)).join(',')}\n`,
    row: (row, number) => {
      let line = ''
      for (const column of columns) {
        const cell = checkCell('log', column, row[column.name], number)
        if (cell === null) line += ','
        else line += `${csvCell(typeof cell === 'string' ? guardText(cell) : jsonCell(cell))},`
      }
      return `${line}${number === 1 ? csvCell(JSON.stringify(header)) : ''}\n`
    },
  }
}

/** The header object of a CSV log; reads no further than the first row. */
export function readCsvHeader(file: string): LogHeader {
  let names: readonly string[] | null = null
  for (const record of csvRecords(fileText(file))) {
    if (names === null) {
      names = record.cells
      if (!names.includes(HEADER_COLUMN)) {
        const rule = `no column "${HEADER_COLUMN}": ${noLog(file)}`
        throw tableError('table-missing-column', file, rule)
      }
    } else {
      const text = record.cells[names.indexOf(HEADER_COLUMN)] ?? ''
      let header: unknown
      try {
        header = JSON.parse(text)
      } catch {
        throw tableError('table-unreadable', file, 'must hold the header object in the first row', {
          line: record.line,
          column: HEADER_COLUMN,
          value: text,
        })
      }
      return checkLogHeader(header, file)
    }
  }
  throw tableError('table-empty', file, 'must have rows, got none (a CSV log keeps its header in the first one)')
}

export function* csvLogRows(file: string, header: LogHeader): Generator<LogRow> {
  const columns = logColumns(header)
  let fields: readonly number[] | null = null
  let count = 0
  let number = 0
  for (const record of csvRecords(fileText(file))) {
    if (fields === null) {
      const names = record.cells
      fields = columns.map(({ name }) => names.indexOf(name))
      count = names.length
      continue
    }
    if (isBlank(record)) continue
    number++
    if (record.cells.length !== count) {
      const rule = `must have ${count} fields, like the header, got ${record.cells.length}`
      throw tableError('table-ragged-row', file, rule, { line: record.line, row: number })
    }
    const row: Record<string, LogCell> = {}
    for (let k = 0; k < columns.length; k++) {
      const column = columns[k]!
      row[column.name] = checkCell(file, column, readCell(file, record, fields[k]!, column, number), number)
    }
    yield row
  }
}

/** What to do with a table that is no decision log. */
export function noLog(file: string): string {
  const inspect = `primo inspect ${file} --action COLUMN --reward COLUMN --out table.spec.json`
  return `this is no decision log. Say what its columns are (${inspect}) and add --spec table.spec.json`
}

function readCell(file: string, record: CsvRecord, field: number, column: LogColumn, row: number): LogCell {
  if (field < 0) return null
  const text = record.cells[field]!
  if (text === '' && record.quoted[field] === false) return null
  switch (column.kind) {
    case 'text':
      return unguardText(text)
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'number':
    case 'integer':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
    default:
      try {
        return JSON.parse(text) as LogCell
      } catch {
        throw tableError('table-wrong-type', file, 'must be a JSON list', { row, column: column.name, value: text })
      }
  }
}
