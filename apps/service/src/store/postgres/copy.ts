// COPY: many rows in or out of a table in one stream. In they go in the binary format, out they come as text (columns by tab,
// rows by line, \N for null).

import { finished } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import copyStreams from 'pg-copy-streams'
import { type Column, copyBytes } from './binary.js'

export async function copyIn<Row>(
  client: ClientBase,
  table: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Promise<void> {
  const names = columns.map(([name]) => name).join(', ')
  // Written down first: what fails here leaves the connection as it was.
  const bytes = copyBytes(rows, columns)
  const stream = client.query(copyStreams.from(`copy ${table} (${names}) from stdin (format binary)`))
  stream.end(bytes)
  await finished(stream)
}

const SIGNS: Readonly<Record<string, string>> = { '\\': '\\', t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', v: '\v' }

/** The rows of a query, as they come; the connection is busy until the last one was taken. */
export async function* copyOut(client: ClientBase, query: string): AsyncGenerator<readonly (string | null)[]> {
  const stream = client.query(copyStreams.to(`copy (${query}) to stdout`))
  let rest = ''
  // Bytes of a character may lie in two pieces.
  stream.setEncoding('utf8')
  for await (const piece of stream as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield line.split('\t').map(read)
  }
}

function read(text: string): string | null {
  if (text === '\\N') return null
  return text.includes('\\') ? text.replace(/\\(.)/g, (_, sign: string) => SIGNS[sign] ?? sign) : text
}
