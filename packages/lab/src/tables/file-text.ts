// The text of a file.

import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { type TextOrigin, textOrigin } from './text-origin.js'

const CHUNK = 1 << 22
const LF = 10

/** The text of a file, in whichever encoding it is written. */
export function fileText(file: string): TextOrigin {
  return textOrigin(file, () => fileChunks(file), allUtf8)
}

function allUtf8(chunks: Iterable<Uint8Array>): boolean {
  for (const chunk of chunks) if (!isUtf8(chunk)) return false
  return true
}

/** Each ends with a line, so that no character of UTF-8 is divided. */
function* fileChunks(file: string): Generator<Uint8Array> {
  const handle = openSync(file, 'r')
  try {
    let rest = Buffer.alloc(0)
    for (;;) {
      const bytes = Buffer.allocUnsafe(CHUNK)
      const length = readSync(handle, bytes, 0, CHUNK, null)
      const chunk = Buffer.concat([rest, bytes.subarray(0, length)])
      const end = length === 0 ? chunk.length : chunk.lastIndexOf(LF) + 1
      if (end > 0) yield chunk.subarray(0, end)
      if (length === 0) return
      rest = chunk.subarray(end)
    }
  } finally {
    closeSync(handle)
  }
}
