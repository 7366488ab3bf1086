// Contexts of old rounds, in a file that ends with the process: they are most of a long log's memory and are read only during
// a fit.

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { ContextArchive } from '@primo/core/engine'

/** Blocks that are held in memory after they were read. */
const HELD = 16

export interface ContextFile extends ContextArchive {
  readonly close: () => void
}

/** A file in this folder for contexts of `length` numbers per block. */
export function openContextFile(folder: string, length: number): ContextFile {
  const bytes = length * Float64Array.BYTES_PER_ELEMENT
  let fd: number | null = null
  let named: string | null = null
  const held = new Map<number, Float64Array>()
  /** By block. */
  const checksums = new Map<number, number>()

  function file(): number {
    if (fd !== null) return fd
    const own = mkdtempSync(join(folder, 'primo-contexts-'))
    fd = openSync(join(own, 'contexts'), 'wx+', 0o600)
    try {
      // An open file lives on without a name, and goes with the process.
      rmSync(own, { recursive: true })
    } catch {
      // Not on every system.
      named = own
    }
    return fd
  }

  return {
    keep: (block, context) => {
      try {
        const view = new Uint8Array(context.buffer, context.byteOffset, bytes)
        let written = 0
        while (written < bytes) written += writeSync(file(), view, written, bytes - written, block * bytes + written)
        checksums.set(block, crc32(view))
        return true
      } catch {
        // The disk is full: it stays in memory.
        return false
      }
    },
    load: (block) => {
      const known = held.get(block)
      if (known !== undefined) return known
      const context = new Float64Array(length)
      const view = new Uint8Array(context.buffer)
      let read = 0
      while (read < bytes) {
        const more = readSync(file(), view, read, bytes - read, block * bytes + read)
        if (more === 0) throw new Error(`the file of contexts ends before block ${block}`)
        read += more
      }
      // A fit that fails begins again from the log.
      if (crc32(view) !== checksums.get(block)) throw new Error(`block ${block} of the file of contexts is damaged`)
      if (held.size >= HELD) held.delete(held.keys().next().value!)
      held.set(block, context)
      return context
    },
    close: () => {
      held.clear()
      if (fd !== null) closeSync(fd)
      fd = null
      if (named !== null) rmSync(named, { recursive: true, force: true })
    },
  }
}
