// A table made in memory, for data that need work before they are one.

import { type Column, MISSING_CODE, type Table } from './table.js'
import { tableError } from './table-error.js'

/** Numbers (NaN: empty) or texts (null: empty) by column; all of one length. */
export type MemoryColumns = Readonly<Record<string, Float64Array | readonly (string | null)[]>>

/** A table of columns that are in memory. */
export function memoryTable(name: string, columns: MemoryColumns): Table {
  const entries = Object.entries(columns)
  const rows = entries[0]?.[1].length ?? 0
  if (rows === 0) throw tableError('table-empty', name, 'must have rows, got none')
  const made = entries.map(([column, cells]): [string, Column] => {
    if (cells.length !== rows) {
      throw tableError('table-ragged-row', name, `must have ${rows} rows as the others, got ${cells.length}`, {
        column,
      })
    }
    return [column, cells instanceof Float64Array ? { kind: 'number', values: cells } : textColumn(cells)]
  })
  return {
    file: name,
    rows,
    header: entries.map(([column]) => column),
    columns: new Map(made),
    place: (row) => ({ row: row + 1 }),
  }
}

function textColumn(cells: readonly (string | null)[]): Column {
  const index = new Map<string, number>()
  const codes = Uint16Array.from(cells, (cell) => {
    if (cell === null) return MISSING_CODE
    const known = index.get(cell)
    if (known !== undefined) return known
    index.set(cell, index.size)
    return index.size - 1
  })
  const at = cells.findIndex((cell) => cell !== null)
  return { kind: 'text', codes, levels: [...index.keys()], first: at < 0 ? null : { row: at, text: cells[at]! } }
}
