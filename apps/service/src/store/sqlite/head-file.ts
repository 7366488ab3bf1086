// What was acknowledged last of every problem, in a file beside the store. SQLite drops the end of a write-ahead log in which a
// bit has changed, and says nothing: a store that ends before its head has lost records. It is written in place after each
// commit, without an fsync: it survives the death of the process; after a power cut it may be behind the store, never ahead.

import {
  closeSync,
  copyFileSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { crc32 } from 'node:zlib'
import type { ProblemRow } from '../../ledger/book.js'
import type { Acknowledged } from '../../ledger/sums.js'

export interface HeadFile {
  /** By the number of the problem, as it was when the file was opened. */
  readonly known: () => ReadonlyMap<number, Acknowledged>
  readonly write: (rows: Iterable<ProblemRow>) => void
  /** Of problems that are purged. */
  readonly remove: (rows: Iterable<ProblemRow>) => void
  readonly close: () => void
}

/** Bytes of a problem: number, writes, seq, checksum, and a checksum of these. No sector has a part of one. */
const SLOT = 32
const CHECKED = 28

export const headFile = (path: string) => `${path}-head`

export function readHeads(path: string): ReadonlyMap<number, Acknowledged> {
  const heads = new Map<number, Acknowledged>()
  if (!existsSync(headFile(path))) return heads
  const bytes = readFileSync(headFile(path))
  for (let at = 0; at + SLOT <= bytes.length; at += SLOT) {
    const problem = bytes.readUInt32LE(at)
    // What is damaged says nothing: the store is not worse for it.
    if (problem !== at / SLOT + 1 || crc32(bytes.subarray(at, at + CHECKED)) !== bytes.readUInt32LE(at + CHECKED))
      continue
    const [writes, seq] = [bytes.readDoubleLE(at + 8), bytes.readDoubleLE(at + 16)]
    heads.set(problem, { writes, seq, checksum: bytes.readInt32LE(at + 24) })
  }
  return heads
}

export function openHeadFile(path: string): HeadFile {
  const known = readHeads(path)
  const fd = openSync(headFile(path), 'r+')
  const slot = Buffer.alloc(SLOT)
  return {
    known: () => known,
    write: (rows) => {
      for (const { id, sums, book, checksum } of rows) {
        slot.writeUInt32LE(id, 0)
        slot.writeDoubleLE(sums.writes, 8)
        slot.writeDoubleLE(book.seq, 16)
        slot.writeInt32LE(checksum, 24)
        slot.writeUInt32LE(crc32(slot.subarray(0, CHECKED)), CHECKED)
        try {
          writeSync(fd, slot, 0, SLOT, (id - 1) * SLOT)
        } catch {
          // A full disk, say: the head stays behind, and what was committed is committed.
        }
      }
    },
    remove: (rows) => {
      for (const { id } of rows) writeSync(fd, Buffer.alloc(SLOT), 0, SLOT, (id - 1) * SLOT)
    },
    close: () => {
      try {
        fdatasyncSync(fd)
      } finally {
        closeSync(fd)
      }
    },
  }
}

/** The next commits overwrite what SQLite has dropped of its log: this keeps a copy, for whoever wants to look at it. */
export function keepLog(path: string): void {
  const log = `${path}-wal`
  if (existsSync(log) && statSync(log).size > 0 && !existsSync(`${log}-damaged`)) copyFileSync(log, `${log}-damaged`)
}
