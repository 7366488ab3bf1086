// What became of a transaction whose commit got no answer, asked on a fresh connection.

import { askAside } from './connections.js'

/** A transaction as the server knows it. */
export interface Transaction {
  readonly id: string
  /** The server's process that runs it. */
  readonly process: number
}

const ATTEMPTS = 10

/** Ends the transaction if it still waits for its commit. 'unknown': the server could not say. */
export async function commitFate(
  url: string,
  { id, process }: Transaction,
): Promise<'committed' | 'aborted' | 'unknown'> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // A server that has begun to commit finishes that first.
    const [row] = await askAside<{ status: string | null }>(
      url,
      `select pg_xact_status($1::xid8) as status,
         (select pg_terminate_backend(pid) from pg_stat_activity where pid = $2 and backend_xid = $1::xid8::xid)`,
      [id, process],
    )
    if (row?.status === 'committed' || row?.status === 'aborted') return row.status
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return 'unknown'
}
