// The bytes of a text file as UTF-8, whatever it was written in, piece by piece. UTF-16 is known by its byte order mark or by the
// zeros of its plain letters; what is neither that nor UTF-8 is read as Windows-1252, of which Latin-1 is a part.

import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'

export type TextEncoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252'

export interface TextFile {
  readonly encoding: TextEncoding
  readonly byteOrderMark: boolean
  /** An upper bound of the number of records: the line ends, plus one. */
  readonly lines: number
}

const PIECE = 1 << 22
const LF = 10

/** Reads the file once: what it is written in, and how many lines it has. */
export function surveyText(file: string): TextFile {
  const handle = openSync(file, 'r')
  try {
    const bytes = Buffer.allocUnsafe(PIECE)
    let length = readSync(handle, bytes, 0, PIECE, null)
    const start = encodingOfStart(bytes.subarray(0, Math.min(length, 1 << 16)))
    if (start.encoding !== null)
      return { ...start, encoding: start.encoding, lines: convertedLines(file, start.encoding) }
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

/** null: not told by the start. */
function encodingOfStart(start: Buffer): { encoding: TextEncoding | null; byteOrderMark: boolean } {
  const [a, b, c] = start
  if (a === 0xff && b === 0xfe) return { encoding: 'UTF-16LE', byteOrderMark: true }
  if (a === 0xfe && b === 0xff) return { encoding: 'UTF-16BE', byteOrderMark: true }
  const zeros = [0, 0]
  for (let k = 0; k < start.length; k++) if (start[k] === 0) zeros[k % 2]!++
  const [even, odd] = zeros as [number, number]
  if (Math.max(even, odd) > 0.3 * (start.length / 2) && Math.min(even, odd) === 0)
    return { encoding: odd > even ? 'UTF-16LE' : 'UTF-16BE', byteOrderMark: false }
  return { encoding: null, byteOrderMark: a === 0xef && b === 0xbb && c === 0xbf }
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

function convertedLines(file: string, encoding: TextEncoding): number {
  const source = openText(file, encoding)
  try {
    const bytes = Buffer.allocUnsafe(PIECE)
    let lines = 1
    for (let length = source.read(bytes, 0); length > 0; length = source.read(bytes, 0))
      for (let k = 0; k < length; k++) if (bytes[k] === LF) lines++
    return lines
  } finally {
    source.close()
  }
}

export interface TextSource {
  /** Fills the buffer from `at` on; 0: the text has ended. */
  readonly read: (into: Buffer, at: number) => number
  /** Bytes of the file read so far. */
  readonly total: () => number
  readonly close: () => void
}

/** The text as UTF-8, without a byte order mark where it had to be converted. */
export function openText(file: string, encoding: TextEncoding): TextSource {
  const handle = openSync(file, 'r')
  let total = 0
  const close = () => closeSync(handle)
  if (encoding === 'UTF-8') {
    const read = (into: Buffer, at: number) => {
      const got = readSync(handle, into, at, into.length - at, null)
      total += got
      return got
    }
    return { read, total: () => total, close }
  }
  const decoder = new TextDecoder(encoding.toLowerCase())
  const raw = Buffer.allocUnsafe(1 << 20)
  let ready = Buffer.alloc(0)
  let ended = false
  const read = (into: Buffer, at: number) => {
    while (ready.length === 0 && !ended) {
      const got = readSync(handle, raw, 0, raw.length, null)
      total += got
      ended = got === 0
      ready = Buffer.from(decoder.decode(raw.subarray(0, got), { stream: !ended }))
    }
    const size = ready.copy(into, at)
    ready = ready.subarray(size)
    return size
  }
  return { read, total: () => total, close }
}
