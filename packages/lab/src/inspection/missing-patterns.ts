// Which values are missing together: rows by the set of their columns that are missing.

import { type Column, MISSING_CODE, type Table } from '../tables/table.js'

export interface MissingPattern {
  /** The columns that are missing; none: nothing is. */
  readonly columns: readonly string[]
  readonly rows: number
}

export function isMissing(column: Column, row: number): boolean {
  return column.kind === 'number' ? Number.isNaN(column.values[row]) : column.codes[row] === MISSING_CODE
}

/** The most frequent first, at most `most` of them. */
export function missingPatterns(table: Table, names: readonly string[], most = 8): readonly MissingPattern[] {
  const columns = names.map((name) => table.columns.get(name)!)
  const counts = new Map<string, number>()
  for (let row = 0; row < table.rows; row++) {
    let key = ''
    for (const column of columns) key += isMissing(column, row) ? '1' : '0'
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([key, rows]) => ({ columns: names.filter((_, k) => key[k] === '1'), rows }))
}
