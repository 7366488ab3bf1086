// DuckDB, the engine that reads and writes tables in Node. It is loaded with the first table: whoever needs none does
// not need it.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { PrimoError } from '@primo/numeric'

let connection: Promise<DuckDBConnection> | undefined

async function connect(): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import('@duckdb/node-api').catch((error: Error) => {
    const rule = 'tables are read by @duckdb/node-api, which is not installed: npm install @duckdb/node-api'
    throw new PrimoError('invalid-option', `${rule} (${error.message.split('\n')[0]})`, { field: 'table' })
  })
  const database = await DuckDBInstance.create(':memory:')
  const opened = await database.connect()
  // Nothing is fetched from elsewhere.
  await opened.run('SET autoinstall_known_extensions = false')
  // What does not fit into memory, away from the working folder.
  await opened.run(`SET temp_directory = ${sqlText(join(tmpdir(), `primo-duckdb-${process.pid}`))}`)
  return opened
}

/** Runs statements whose result is of no interest. */
export async function run(sql: string): Promise<void> {
  connection ??= connect()
  await (await connection).run(sql)
}

/** The rows of a small result. */
export async function rowsOf(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  connection ??= connect()
  return (await (await connection).runAndReadAll(sql)).getRowObjectsJS()
}

/** Some 2,000 rows of a result. */
export interface Chunk {
  readonly rows: number
  /** The cells of a column. */
  readonly cells: (column: number) => (row: number) => unknown
}

/**
 * Columns of a relation of any size, in the order of the file. DuckDB ends a stream that fails as if it were complete, so a row
 * of our own stands at the end.
 */
export async function* chunksOf(columns: readonly string[], from: string): AsyncGenerator<Chunk> {
  connection ??= connect()
  const select = `select ${columns.join(', ')} from ${from}`
  const end = `select ${[...columns.map(() => 'null'), 'true'].join(', ')}`
  const result = await (await connection).stream(`select *, false from (${select}) union all ${end}`)
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    const { rowCount } = chunk
    const ended = chunk.getColumnVector(columns.length).getItem(rowCount - 1) === true
    const cells = (column: number) => {
      const vector = chunk.getColumnVector(column)
      return (row: number) => vector.getItem(row)
    }
    yield { rows: ended ? rowCount - 1 : rowCount, cells }
    if (ended) return
  }
  // Once more, with nothing to fetch, for the sentence.
  await run(`select max(hash(t)) from (${select}) t`)
  throw new Error('the table ended before its last row')
}

/** A text in SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A name in SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The first line of what DuckDB says of a failure. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n')[0]!.replace(/^\w+( \w+)* Error: /, '')
}
