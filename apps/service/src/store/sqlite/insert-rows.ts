// Inserts many rows with few calls and few bound values, which are most of what a small insert costs: several rows in one
// statement, and a column that has one value in all of them is bound once.

import type { Sqlite } from './database.js'

type Cell = string | number | null | Uint8Array

/** Rows of one statement. */
const MOST_ROWS = 64

/** `text`: a column of text that may come as its bytes in UTF-8. */
export function insertRows(db: Sqlite, table: string, columns: readonly string[], text?: string) {
  const width = columns.length
  const statements = new Map<string, ReturnType<Sqlite['prepare']>>()
  const cells: Cell[] = new Array(MOST_ROWS * width)

  /** The statement for so many rows; `shared` has a bit for every column that is bound once. */
  function statement(rows: number, shared: number) {
    const key = `${rows}/${shared}`
    const known = statements.get(key)
    if (known !== undefined) return known
    let next = 0
    const once = columns.map((_, column) => (isShared(shared, column) ? ++next : 0))
    const cell = (name: string, column: number) => {
      const bound = `?${once[column] || ++next}`
      return name === text ? `cast(${bound} as text)` : bound
    }
    const row = () => `(${columns.map(cell).join(',')})`
    const made = db.prepare(
      `insert into ${table} (${columns.join(',')}) values ${Array.from({ length: rows }, row).join(',')}`,
    )
    statements.set(key, made)
    return made
  }

  function insert(rows: number): void {
    let shared = 0
    for (let column = 0; column < width; column++) if (isConstant(column, rows)) shared |= 1 << column
    const values: Cell[] = []
    for (let column = 0; column < width; column++) if (isShared(shared, column)) values.push(cells[column]!)
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < width; column++)
        if (!isShared(shared, column)) values.push(cells[row * width + column]!)
    }
    statement(rows, shared).run(values)
  }

  function isConstant(column: number, rows: number): boolean {
    for (let row = 1; row < rows; row++) if (cells[row * width + column] !== cells[column]) return false
    return true
  }

  return <Row>(rows: readonly Row[], cellsOf: (row: Row) => readonly Cell[]): void => {
    for (let done = 0; done < rows.length; ) {
      // Powers of two: there would be a statement for every number of rows.
      const count = Math.min(MOST_ROWS, 2 ** Math.floor(Math.log2(rows.length - done)))
      for (let row = 0; row < count; row++) {
        const given = cellsOf(rows[done + row]!)
        for (let column = 0; column < width; column++) cells[row * width + column] = given[column]!
      }
      insert(count)
      done += count
    }
  }
}

function isShared(shared: number, column: number): boolean {
  return (shared & (1 << column)) !== 0
}
