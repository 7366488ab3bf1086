// COPY: many rows in or out of a table in one stream, in PostgreSQL's text format (columns by tab, rows by line, \N for null).

import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import copyStreams from 'pg-copy-streams'

export type Cell = string | number | boolean | null

const PIECE = 1 << 16

export async function copyIn(
  client: ClientBase,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly Cell[]>,
): Promise<void> {
  const stream = client.query(copyStreams.from(`copy ${table} (${columns.join(', ')}) from stdin`))
  const done = finished(stream)
  // A failure is told by `done`, also while this waits for the stream to drain.
  done.catch(() => undefined)
  let piece = ''
  for (const row of rows) {
    piece += `${row.map(written).join('\t')}\n`
    if (piece.length < PIECE) continue
    if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), done])
    piece = ''
  }
  stream.end(piece)
  await done
}

function written(cell: Cell): string {
  if (cell === null) return '\\N'
  if (typeof cell === 'boolean') return cell ? 't' : 'f'
  return typeof cell === 'number' ? String(cell) : cell.replace(/[\\\t\n\r]/g, (sign) => ESCAPED[sign]!)
}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
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
