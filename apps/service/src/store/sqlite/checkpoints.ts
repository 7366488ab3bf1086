// Checkpoints: what commits wrote into the write-ahead log is copied into the file, which takes as long as several commits.
// A second connection does it beside the one that writes, on a thread of the driver; the writer itself only does what is
// left at the end of a long log, so that the next commit begins it anew.

import AsyncDatabase from 'libsql/promise'
import type { Sqlite } from './database.js'

interface Checkpoints {
  /** After each commit, with the bytes of its records. */
  readonly wrote: (bytes: number) => void
  readonly close: () => Promise<void>
}

const PAGE = 8192
/** Pages that a commit writes beside its records: indexes, and the row of the problem. */
const PAGES_BESIDE = 5
/** Bytes of the log that wait before a checkpoint begins. */
const MANY = 4 << 20
/** Bytes after which the log should begin anew, */
const LONG = 32 << 20
/** as soon as no more than this is left to copy. */
const LITTLE = 1 << 20
/** Bytes that the log keeps when it restarts: it is longer only during a long read, or under load. */
const MAX_KEPT = 2 * LONG
/** If all else fails: pages after which a commit does the whole checkpoint. */
const LAST_RESORT = 16_384

export function startCheckpoints(path: string, db: Sqlite): Checkpoints {
  const beside = new AsyncDatabase(path, {})
  const ready = beside.exec('pragma synchronous = FULL')
  // `close` reports the error; until then it must not count as unhandled.
  ready.catch(() => undefined)
  let running: Promise<void> | null = null
  /** Bytes since the last checkpoint began, and since the log began anew. */
  let waiting = 0
  let length = 0
  db.pragma(`wal_autocheckpoint = ${LAST_RESORT}`)
  db.pragma(`journal_size_limit = ${MAX_KEPT}`)

  async function run(): Promise<void> {
    await ready
    do {
      waiting = 0
      await beside.exec('pragma wal_checkpoint(passive)')
    } while (length > LONG && waiting > LITTLE)
  }

  /** What is left, so that the next commit begins the log anew. */
  function finish(): void {
    waiting = 0
    length = 0
    try {
      db.pragma('wal_checkpoint(passive)')
    } catch {
      // The file cannot grow, say. What was committed stays in the log, and the next commit is told if that cannot grow either.
    }
  }

  return {
    wrote: (bytes) => {
      waiting += bytes + PAGES_BESIDE * PAGE
      length += bytes + PAGES_BESIDE * PAGE
      if (running !== null) return
      if (length > LONG && waiting <= MANY) finish()
      else if (waiting > MANY) {
        // A checkpoint that fails leaves the log as it is: the next one will do its work.
        running = run()
          .catch(() => undefined)
          .finally(() => {
            running = null
          })
      }
    },
    close: async () => {
      await running
      await ready.catch(() => undefined)
      beside.close()
    },
  }
}
