// A decision log as JSON lines: one object per decision, the first of which carries the header under `log`. Nulls are left
// out but for what every reader looks for; -0 is kept, which JSON.stringify would lose.

import { tableError } from '../tables/table-error.js'
import { checkCell, type LogCell, type LogColumn, type LogRow, logColumns } from './log-columns.js'
import { checkLogHeader, type LogHeader } from './log-header.js'

/** Present in every row, null or not. */
const ALWAYS = ['decisionId', 'action', 'propensity', 'reward']

export function jsonlEncoder(header: LogHeader): {
  readonly start: string
  readonly row: (row: LogRow, number: number) => string
} {
  const columns = logColumns(header)
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`)
  const always = columns.map(({ name }) => ALWAYS.includes(name))
  return {
    start: '',
    row: (row, number) => {
      let line = ''
      for (let k = 0; k < columns.length; k++) {
        const cell = checkCell('log', columns[k]!, row[columns[k]!.name], number)
        if (cell !== null || always[k])
          line += `${line === '' ? '{' : ','}${keys[k]}${cell === null ? 'null' : jsonCell(cell)}`
      }
      return number === 1 ? `${line},"log":${JSON.stringify(header)}}\n` : `${line}}\n`
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
  const first = parsed(file, line, 1)
  const given: unknown = typeof first === 'object' && first !== null && 'log' in first ? first.log : undefined
  if (given === undefined)
    throw tableError('table-unreadable', file, 'must have the header of the log under "log"', { line: 1 })
  return checkLogHeader(given, file)
}

export function jsonlDecoder(file: string, columns: readonly LogColumn[]): (line: string, number: number) => LogRow {
  return (line, number) => {
    const given = parsed(file, line, number)
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw tableError('table-unreadable', file, 'must be a JSON object', { line: number, row: number })
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
