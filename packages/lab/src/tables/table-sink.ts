// Where tables are written to, a few thousand rows at a time: CSV with JavaScript's shortest numbers, from which
// DuckDB makes Parquet. The file appears under its name only when it is complete.

import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { csvCell } from './csv-cell.js'
import { run, sqlText } from './duckdb.js'
import { tableError } from './table-error.js'

const TYPES = { number: 'DOUBLE', text: 'VARCHAR', integer: 'INTEGER' } as const

export interface SinkColumn {
  readonly name: string
  readonly kind: keyof typeof TYPES
}

/** Cells of one column, as many as the others have; NaN or null: empty. */
export type Cells = Float64Array | readonly (string | null)[]

export interface TableSink {
  readonly write: (columns: readonly Cells[]) => void
  readonly close: () => Promise<void>
  /** Leaves no file behind. */
  readonly abandon: () => void
}

export function partOf(file: string): string {
  return `${file}.part`
}

export function removePart(file: string): void {
  rmSync(partOf(file), { force: true })
}

/** Opens for writing; an error names the file that was asked for. */
export function openForWriting(file: string, mode = 0o666): number {
  try {
    return openSync(partOf(file), 'w', mode)
  } catch (error) {
    throw tableError('table-output', file, `cannot be written (${(error as Error).message})`)
  }
}

/** Parquet where the name ends in .parquet, else CSV. */
export function openSink(file: string, columns: readonly SinkColumn[]): TableSink {
  const handle = openForWriting(file)
  writeFileSync(handle, `${columns.map(({ name }) => csvCell(name)).join(',')}\n`)
  return {
    write: (cells) => {
      const rows = cells[0]?.length ?? 0
      const lines: string[] = []
      for (let row = 0; row < rows; row++) lines.push(cells.map((column) => csvCell(column[row]!)).join(','))
      if (lines.length > 0) writeFileSync(handle, `${lines.join('\n')}\n`)
    },
    close: async () => {
      closeSync(handle)
      if (/\.parquet$/i.test(file)) await toParquet(file, columns)
      renameSync(partOf(file), file)
    },
    abandon: () => {
      closeSync(handle)
      removePart(file)
    },
  }
}

async function toParquet(file: string, columns: readonly SinkColumn[]): Promise<void> {
  const types = columns.map(({ name, kind }) => `${sqlText(name)}: '${TYPES[kind]}'`).join(', ')
  const csv = `read_csv(${sqlText(partOf(file))}, auto_detect = false, header = true, columns = {${types}}, allow_quoted_nulls = false)`
  await run(`copy (select * from ${csv}) to ${sqlText(`${file}.parquet.part`)} (format parquet)`)
  renameSync(`${file}.parquet.part`, partOf(file))
}
