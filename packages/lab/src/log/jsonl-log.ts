// A decision log as JSON lines: the header, then one object per row. Nulls are left out; -0 is kept, which JSON.stringify
// would lose.

import { tableError } from '../tables/table-error.js'
import { checkCell, type LogCell, type LogColumn, type LogRow, logColumns } from './log-columns.js'
import { checkLogHeader, type LogHeader } from './log-header.js'

export function jsonlEncoder(header: LogHeader): {
  readonly start: string
  readonly row: (row: LogRow, number: number) => string
} {
  const columns = logColumns(header)
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`)
  return {
    start: `${JSON.stringify(header)}\n`,
    row: (row, number) => {
      let line = ''
      for (let k = 0; k < columns.length; k++) {
        const cell = checkCell('log', columns[k]!, row[columns[k]!.name], number)
        if (cell !== null) line += `${line === '' ? '{' : ','}${keys[k]}${jsonCell(cell)}`
      }
      return `${line}}\n`
    },
  }
}

/** JSON of a cell that reads back to the last bit. */
export function jsonCell(cell: Exclude<LogCell, null>): string {
  if (typeof cell === 'number') return Object.is(cell, -0) ? '-0' : String(cell)
  if (typeof cell === 'string') return JSON.stringify(cell)
  if (typeof cell === 'boolean') return cell ? 'true' : 'false'
  return `[${cell.map((value) => jsonCell(value)).join(',')}]`
}

export function parseJsonlHeader(file: string, line: string): LogHeader {
  return checkLogHeader(parsed(file, line, 1), file)
}

export function jsonlDecoder(file: string, columns: readonly LogColumn[]): (line: string, number: number) => LogRow {
  return (line, number) => {
    const given = parsed(file, line, number + 1)
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw tableError('table-unreadable', file, 'must be a JSON object', { line: number + 1, row: number })
    }
    const row: Record<string, LogCell> = {}
    for (const column of columns) {
      row[column.name] = checkCell(file, column, (given as LogRow)[column.name], number)
    }
    return row
  }
}

function parsed(file: string, text: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw tableError('table-unreadable', file, `must be JSON (${(error as Error).message})`, { line })
  }
}
