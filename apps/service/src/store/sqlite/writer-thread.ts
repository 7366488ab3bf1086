// The thread that writes: settling and fsync happen here, off the event loop of the service.

import { parentPort, workerData } from 'node:worker_threads'
import type { Packed } from '../../codec/codec.js'
import { createFastCodec } from '../../codec/fast-codec.js'
import type { Reading } from '../../ledger/clock.js'
import { StoreUnavailable } from '../../ledger/store.js'
import { StoreDamaged } from '../../ledger/store-damaged.js'
import type { StoredKey } from '../../ledger/stored-key.js'
import type { Acknowledged } from '../../ledger/sums.js'
import { type Gate, through } from '../../threads/thread-gate.js'
import { startCheckpoints } from './checkpoints.js'
import { lockStore, openDatabase, probe, type Sqlite, storeCall } from './database.js'
import { erase } from './forgetting.js'
import { type HeadFile, openHeadFile } from './head-file.js'
import { createLedgerWriter, type LedgerWriter, type Written } from './ledger-writer.js'
import { migrate } from './sqlite-migrations.js'
import { writeKey } from './write-key.js'

export interface WriterData {
  readonly path: string
  readonly gate: Gate
  readonly maxPages?: number
}

export type WriterRequest =
  | { readonly packed: Packed; readonly reading: Reading }
  | { readonly key: StoredKey; readonly before: StoredKey | null }
  | { readonly erase: true; readonly whole: boolean }
  | 'probe'
  | 'close'
export type WriterReply =
  | { readonly ready: true; readonly acknowledged: ReadonlyMap<number, Acknowledged> }
  | { readonly probed: true }
  | { readonly written: Written }
  | { readonly keyWritten: boolean }
  | { readonly erased: boolean }
  | { readonly unavailable: string }
  | { readonly damaged: string; readonly problem: number | null }
  | { readonly failed: string }

/** Bytes that a probe writes. */
const PROBED = 32_768

const port = parentPort!
const { path, gate, maxPages } = workerData as WriterData

async function main(): Promise<void> {
  const lock = lockStore(path)
  const db = openDatabase(path, maxPages === undefined ? {} : { maxPages })
  await migrate(db)
  const heads: HeadFile = openHeadFile(path)
  const writer: LedgerWriter = createLedgerWriter(db, heads)
  const checkpoints = startCheckpoints(path, db)
  const { unpack } = createFastCodec()
  port.on('message', (request: WriterRequest) => {
    if (request === 'close') {
      void checkpoints.close().then(() => {
        leaveOneFile(db)
        db.close()
        heads.close()
        lock.close()
        port.close()
      })
      return
    }
    if (request === 'probe') {
      port.postMessage(
        attempt(() => {
          probe(db)
          checkpoints.wrote(PROBED)
          return { probed: true }
        }),
      )
      return
    }
    if ('key' in request) {
      port.postMessage(attempt(() => ({ keyWritten: writeKey(db, request.key, request.before) })))
      return
    }
    if ('erase' in request) {
      port.postMessage(attempt(() => ({ erased: storeCall(() => erase(db, request.whole)) })))
      return
    }
    const reply = attempt(() => ({ written: writer.write(unpack(request.packed), request.reading) }))
    port.postMessage(reply)
    if ('written' in reply) checkpoints.wrote(reply.written.bytes)
  })
  port.postMessage({ ready: true, acknowledged: heads.known() } satisfies WriterReply)
}

/** All that was written is in the file itself: a copy of it alone is whole. */
function leaveOneFile(db: Sqlite): void {
  try {
    db.pragma('wal_checkpoint(truncate)')
  } catch {
    // A full disk, say: the write-ahead log stays and is read at the next start.
  }
}

function attempt(run: () => WriterReply): WriterReply {
  try {
    return through(gate, run)
  } catch (error) {
    if (error instanceof StoreUnavailable) return { unavailable: error.message }
    if (error instanceof StoreDamaged) return { damaged: error.message, problem: error.problem }
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

main().catch((error: unknown) => {
  port.postMessage({ unavailable: error instanceof Error ? error.message : String(error) } satisfies WriterReply)
  port.close()
})
