// Rows to write as parts of one statement, with their columns as arrays; where they are many and new, by COPY.

import type { ClientBase } from 'pg'
import { arrayBytes, type Column } from './binary.js'
import { copyIn } from './copy.js'

/** From so many rows on COPY is faster than a statement with arrays. */
const MANY = 300

/** Rows of a table to write: by a statement with arrays or, where they are new rows, by COPY. */
export interface Part {
  readonly size: number
  /** Absent: they are not new. */
  readonly copy?: (client: ClientBase) => Promise<void>
  /** The statement, given the arrays as parameters from a number on. */
  readonly statement: (from: number) => { readonly text: string; readonly arrays: readonly Buffer[] }
}

export function newRows<Row>(table: string, rows: readonly Row[], columns: readonly Column<Row>[]): Part {
  const names = columns.map(([name]) => name).join(', ')
  return {
    size: rows.length,
    copy: (client) => copyIn(client, table, rows, columns),
    statement: (from) => ({
      text: `insert into ${table} (${names}) select * from unnest(${parameters(columns, from)})`,
      arrays: columns.map((column) => arrayBytes(rows, column)),
    }),
  }
}

/** The first `keys` columns say which rows, the others get what is given. */
export function changedRows<Row>(
  table: string,
  rows: readonly Row[],
  keys: number,
  columns: readonly Column<Row>[],
): Part {
  const names = columns.map(([name]) => name)
  const set = names.slice(keys).map((name) => `${name} = c.${name}`)
  const which = names.slice(0, keys).map((name) => `t.${name} = c.${name}`)
  return {
    size: rows.length,
    statement: (from) => ({
      text: `update ${table} t set ${set.join(', ')} from unnest(${parameters(columns, from)}) as c(${names.join(', ')})
        where ${which.join(' and ')}`,
      arrays: columns.map((column) => arrayBytes(rows, column)),
    }),
  }
}

function parameters<Row>(columns: readonly Column<Row>[], from: number): string {
  return columns.map(([, type], k) => `$${from + k}::${type}[]`).join(', ')
}

/** All parts in one statement, one way to the server and back, and by COPY before it those of many new rows. */
export async function writeParts(client: ClientBase, parts: readonly Part[]): Promise<void> {
  const given: Buffer[] = []
  const texts: string[] = []
  for (const part of parts) {
    if (part.size === 0) continue
    if (part.size >= MANY && part.copy !== undefined) {
      await part.copy(client)
      continue
    }
    const { text, arrays } = part.statement(given.length + 1)
    texts.push(`p${texts.length} as (${text})`)
    given.push(...arrays)
  }
  if (texts.length > 0) await client.query(`with ${texts.join(', ')} select`, given)
}
