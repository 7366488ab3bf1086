// DuckDB, the engine that reads and writes tables in Node. It is loaded with the first table: whoever needs none does not need it.

import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'
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

/** A result of any size, some 2,000 rows at a time, in the order of the file. */
export async function* chunksOf(sql: string): AsyncGenerator<DuckDBDataChunk> {
  connection ??= connect()
  const result = await (await connection).stream(sql)
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) return
    yield chunk
  }
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
