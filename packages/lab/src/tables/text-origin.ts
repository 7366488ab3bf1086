// Where a text comes from, as UTF-8, whatever it was written in, piece by piece: a file, or bytes that are in memory. UTF-16 is known
// by its byte order mark or by the zeros of its plain letters; what is neither that nor UTF-8 is read as Windows-1252, of which
// Latin-1 is a part.

export type TextEncoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252'

export interface TextFile {
  readonly encoding: TextEncoding
  readonly byteOrderMark: boolean
  /** An upper bound of the number of records: the line ends, plus one. */
  readonly lines: number
}

export interface TextSource {
  /** Fills the bytes from `at` on; 0: the text has ended. */
  readonly read: (into: Uint8Array, at: number) => number
  /** Bytes of the origin read so far. */
  readonly total: () => number
  readonly close: () => void
}

/** A text that can be read any number of times. */
export interface TextOrigin {
  /** As errors name it. */
  readonly name: string
  readonly size: number
  /** Reads it once: what it is written in, and how many lines it has. */
  readonly survey: () => TextFile
  /** The text as UTF-8, without a byte order mark where it had to be converted. */
  readonly open: (encoding: TextEncoding) => TextSource
}

/** A text that is in memory, such as a file that was dropped on a page. */
export function bytesText(name: string, bytes: Uint8Array): TextOrigin {
  const plain = (): TextSource => {
    let total = 0
    return {
      read: (into, at) => {
        const piece = bytes.subarray(total, total + into.length - at)
        into.set(piece, at)
        total += piece.length
        return piece.length
      },
      total: () => total,
      close: () => {},
    }
  }
  const open = (encoding: TextEncoding) => (encoding === 'UTF-8' ? plain() : converted(plain(), encoding))
  return {
    name,
    size: bytes.length,
    open,
    survey: () => {
      const start = encodingOfStart(bytes.subarray(0, 1 << 16))
      const encoding = start.encoding ?? (isUtf8(bytes) ? 'UTF-8' : 'Windows-1252')
      return { encoding, byteOrderMark: start.byteOrderMark, lines: countLines(open(encoding)) }
    },
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** null: not told by the start. */
export function encodingOfStart(start: Uint8Array): { encoding: TextEncoding | null; byteOrderMark: boolean } {
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

const LF = 10
const PIECE = 1 << 20

/** The line ends of a text, plus one; closes it. */
export function countLines(source: TextSource): number {
  try {
    const bytes = new Uint8Array(PIECE)
    let lines = 1
    for (let length = source.read(bytes, 0); length > 0; length = source.read(bytes, 0))
      for (let k = 0; k < length; k++) if (bytes[k] === LF) lines++
    return lines
  } finally {
    source.close()
  }
}

/** The same text as UTF-8. */
export function converted(raw: TextSource, encoding: TextEncoding): TextSource {
  const decoder = new TextDecoder(encoding.toLowerCase())
  const encoder = new TextEncoder()
  const piece = new Uint8Array(PIECE)
  let ready = new Uint8Array(0)
  let ended = false
  const read = (into: Uint8Array, at: number) => {
    while (ready.length === 0 && !ended) {
      const got = raw.read(piece, 0)
      ended = got === 0
      ready = encoder.encode(decoder.decode(piece.subarray(0, got), { stream: !ended }))
    }
    const taken = ready.subarray(0, into.length - at)
    into.set(taken, at)
    ready = ready.subarray(taken.length)
    return taken.length
  }
  return { read, total: raw.total, close: raw.close }
}
