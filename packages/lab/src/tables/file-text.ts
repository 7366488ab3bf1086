// The text of a file.

import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import {
  converted,
  countLines,
  encodingOfStart,
  type TextEncoding,
  type TextFile,
  type TextOrigin,
  type TextSource,
} from './text-origin.js'

const PIECE = 1 << 22
const LF = 10

/** The text of a file, whatever it is written in. */
export function fileText(file: string): TextOrigin {
  return {
    name: file,
    get size() {
      return statSync(file).size
    },
    survey: () => surveyFile(file),
    open: (encoding) => openFile(file, encoding),
  }
}

function surveyFile(file: string): TextFile {
  const handle = openSync(file, 'r')
  try {
    const bytes = Buffer.allocUnsafe(PIECE)
    let length = readSync(handle, bytes, 0, PIECE, null)
    const start = encodingOfStart(bytes.subarray(0, Math.min(length, 1 << 16)))
    if (start.encoding !== null)
      return { ...start, encoding: start.encoding, lines: countLines(openFile(file, start.encoding)) }
    let valid = true
    let lines = 1
    let kept = 0
    for (;;) {
      const piece = bytes.subarray(kept, length)
      for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, at + 1)) lines++
      const whole = wholeCharacters(bytes, length)
      valid &&= isUtf8(bytes.subarray(0, whole))
      bytes.copyWithin(0, whole, length)
      kept = length - whole
      const got = readSync(handle, bytes, kept, PIECE - kept, null)
      if (got === 0) break
      length = kept + got
    }
    return { ...start, encoding: valid && kept === 0 ? 'UTF-8' : 'Windows-1252', lines }
  } finally {
    closeSync(handle)
  }
}

/** The length without a character that goes on beyond it. */
function wholeCharacters(bytes: Buffer, length: number): number {
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back]!
    if (byte < 0x80) return length
    if (byte < 0xc0) continue
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return size > back ? length - back : length
  }
  return length
}

function openFile(file: string, encoding: TextEncoding): TextSource {
  const handle = openSync(file, 'r')
  let total = 0
  const plain: TextSource = {
    read: (into, at) => {
      const got = readSync(handle, into, at, into.length - at, null)
      total += got
      return got
    },
    total: () => total,
    close: () => closeSync(handle),
  }
  return encoding === 'UTF-8' ? plain : converted(plain, encoding)
}
