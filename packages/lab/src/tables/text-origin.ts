// A text whose encoding is found from its bytes: by a byte order mark, or for UTF-16 by the zeros of its plain letters.
// Anything that is neither UTF-16 nor UTF-8 is read as Windows-1252, which contains Latin-1.

export type TextEncoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252'

/** A text that can be read any number of times. */
export interface TextOrigin {
  /** As errors name it. */
  readonly name: string
  readonly encoding: TextEncoding
  readonly byteOrderMark: boolean
  /** Without the byte order mark. */
  readonly pieces: () => Iterable<string>
}

/** A text in memory, such as a file that was dropped on a page. */
export function bytesText(name: string, bytes: Uint8Array): TextOrigin {
  return textOrigin(name, () => [bytes])
}

/** A text that comes in chunks of bytes. */
export function textOrigin(
  name: string,
  chunks: () => Iterable<Uint8Array>,
  isUtf8: (chunks: Iterable<Uint8Array>) => boolean = isDecoded,
): TextOrigin {
  const start = encodingOfStart(chunks())
  const encoding = start.encoding ?? (isUtf8(chunks()) ? 'UTF-8' : 'Windows-1252')
  return {
    name,
    encoding,
    byteOrderMark: start.byteOrderMark,
    pieces: () => decoded(chunks(), new TextDecoder(encoding)),
  }
}

function* decoded(chunks: Iterable<Uint8Array>, decoder: InstanceType<typeof TextDecoder>): Generator<string> {
  for (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

function isDecoded(chunks: Iterable<Uint8Array>): boolean {
  try {
    for (const _ of decoded(chunks, new TextDecoder('utf-8', { fatal: true })));
    return true
  } catch {
    return false
  }
}

/** null: the start does not decide. */
function encodingOfStart(chunks: Iterable<Uint8Array>): { encoding: TextEncoding | null; byteOrderMark: boolean } {
  let start = new Uint8Array(0)
  for (const chunk of chunks) {
    start = new Uint8Array(chunk.subarray(0, 1 << 16))
    break
  }
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
