// Inserts many rows with few calls and few bound values, the main costs of a small insert: several rows per statement, and one
// bound value for a column that is the same in all of them or counts up.

import type { Sqlite } from './database.js'

type Cell = string | number | null | Uint8Array

/** Rows of one statement. */
const MAX_ROWS = 64

/** How the values of a column follow each other. */
const FREE = 0
const SAME = 1
const COUNTING = 2

/** `text`: a column of text that may come as its bytes in UTF-8. */
export function insertRows(db: Sqlite, table: string, columns: readonly string[], text?: string) {
  const width = columns.length
  const statements = new Map<string, ReturnType<Sqlite['prepare']>>()
  const cells: Cell[] = new Array(MAX_ROWS * width)
  const patterns = new Uint8Array(width)

  /** The statement for so many rows whose columns have these patterns. */
  function statement(rows: number) {
    const key = `${rows}/${patterns.join('')}`
    const known = statements.get(key)
    if (known !== undefined) return known
    let next = 0
    const once = columns.map((_, column) => (patterns[column] === FREE ? 0 : ++next))
    const cell = (row: number) => (name: string, column: number) => {
      const bound = `?${once[column] || ++next}`
      if (patterns[column] === COUNTING) return `${bound} + ${row}`
      return name === text ? `cast(${bound} as text)` : bound
    }
    const listed = Array.from({ length: rows }, (_, row) => `(${columns.map(cell(row)).join(',')})`)
    const made = db.prepare(`insert into ${table} (${columns.join(',')}) values ${listed.join(',')}`)
    statements.set(key, made)
    return made
  }

  function insert(rows: number): void {
    for (let column = 0; column < width; column++) patterns[column] = patternOf(column, rows)
    const values: Cell[] = []
    for (let column = 0; column < width; column++) if (patterns[column] !== FREE) values.push(cells[column]!)
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < width; column++)
        if (patterns[column] === FREE) values.push(cells[row * width + column]!)
    }
    statement(rows).run(values)
  }

  function patternOf(column: number, rows: number): number {
    const first = cells[column]!
    let same = true
    let counting = Number.isSafeInteger(first)
    for (let row = 1; row < rows && (same || counting); row++) {
      const cell = cells[row * width + column]!
      same &&= cell === first
      counting &&= cell === (first as number) + row
    }
    return same ? SAME : counting ? COUNTING : FREE
  }

  return <Row>(rows: readonly Row[], cellsOf: (row: Row) => readonly Cell[]): void => {
    for (let done = 0; done < rows.length; ) {
      // Powers of two: there would be a statement for every number of rows.
      const count = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2(rows.length - done)))
      for (let row = 0; row < count; row++) {
        const given = cellsOf(rows[done + row]!)
        for (let column = 0; column < width; column++) cells[row * width + column] = given[column]!
      }
      insert(count)
      done += count
    }
  }
}
