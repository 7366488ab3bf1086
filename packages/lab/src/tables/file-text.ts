// The text of a file.

import { closeSync, openSync, readSync } from 'node:fs'
import { type TextOrigin, textOrigin } from './text-origin.js'

const CHUNK = 1 << 22

/** The text of a file, in whichever encoding it is written. */
export function fileText(file: string): TextOrigin {
  return textOrigin(file, () => fileChunks(file))
}

function* fileChunks(file: string): Generator<Uint8Array> {
  const handle = openSync(file, 'r')
  try {
    for (;;) {
      const bytes = Buffer.allocUnsafe(CHUNK)
      const length = readSync(handle, bytes, 0, CHUNK, null)
      if (length === 0) return
      yield bytes.subarray(0, length)
    }
  } finally {
    closeSync(handle)
  }
}
