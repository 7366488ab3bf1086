// What became of a transaction whose commit got no answer, asked on a fresh connection.

import type { NewEntry } from '../../ledger/facts.js'
import { askAside } from './connections.js'

/** A transaction as the server knows it. */
export interface Transaction {
  readonly id: string
  /** The server's process that runs it. */
  readonly process: number
}

const ATTEMPTS = 10
const IN_THE_FUTURE = '22023'

/**
 * Ends the transaction if it still waits for its commit; `last` is the last record it wrote. 'unknown': the server could not say.
 * What it calls committed is on the disk.
 */
export async function commitFate(
  url: string,
  { id, process }: Transaction,
  last: NewEntry | undefined,
): Promise<'committed' | 'aborted' | 'unknown'> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // A server that has begun to commit finishes that first.
    const [row] = await askAside<{ status: string | null }>(
      url,
      `select pg_xact_status($1::xid8) as status, pg_logical_emit_message(true, 'primo', ''),
         (select pg_terminate_backend(pid) from pg_stat_activity where pid = $2 and backend_xid = $1::xid8::xid)`,
      [id, process],
    ).catch((error: Error & { code?: string }) => {
      // A server that crashed has not come to this number again: it has lost the transaction.
      if (error.code === IN_THE_FUTURE) return [{ status: 'aborted' }]
      throw error
    })
    if (row?.status === 'committed') return (await isThere(url, last)) ? 'committed' : 'aborted'
    if (row?.status === 'aborted') return 'aborted'
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return 'unknown'
}

/** A server that crashed may have given the number of a transaction it lost to another. */
async function isThere(url: string, last: NewEntry | undefined): Promise<boolean> {
  if (last === undefined) return true
  const { problem, seq, checksum } = last
  const given = [problem, seq, checksum]
  const rows = await askAside(url, 'select 1 from log where problem = $1 and seq = $2 and checksum = $3', given)
  return rows.length > 0
}
