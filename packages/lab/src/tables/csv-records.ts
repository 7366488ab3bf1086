// Records of a CSV text (RFC 4180: a separator, quotes, LF or CRLF), read in pieces of 4 MB. A record is a set of byte
// ranges into the current piece; nothing is copied or decoded here.

import type { CsvDialect } from './csv-dialect.js'
import { tableError } from './table-error.js'
import type { TextOrigin } from './text-origin.js'

/** Valid until the next record. */
export interface CsvRecord {
  bytes: Uint8Array
  /** Fields, each at bytes[starts[k]] to bytes[ends[k]], quotes left out. */
  count: number
  starts: Int32Array
  ends: Int32Array
  /** 0: plain, 1: quoted, 2: quoted with doubled quotes inside. */
  quotes: Uint8Array
  /** Line of the first character, from 1. */
  line: number
  /** The whole record without its line end. */
  from: number
  to: number
  crlf: boolean
  /** The byte that quotes fields. */
  quote: number
}

const PIECE = 1 << 22
const LONGEST_RECORD = 1 << 26
const LF = 10
const CR = 13

export interface ScanOptions {
  /** Called after every piece with the bytes read so far. */
  readonly onBytes?: (bytes: number) => void
  /** Bytes read at a time; default 4 MB. */
  readonly piece?: number
  /** Default: UTF-8, commas, double quotes. */
  readonly dialect?: Pick<CsvDialect, 'encoding' | 'separator' | 'quote'>
}

const RFC_4180 = { encoding: 'UTF-8', separator: 44, quote: 34 } as const

/** Calls `visit` for the header and for every row. */
export function scanCsv(text: TextOrigin, visit: (record: CsvRecord) => void, options: ScanOptions = {}): void {
  for (const record of csvRecords(text, options)) visit(record)
}

/** The header and every row, one at a time; each is valid until the next one is asked for. */
export function* csvRecords(text: TextOrigin, options: ScanOptions = {}): Generator<CsvRecord> {
  const file = text.name
  const { onBytes, piece = PIECE, dialect = RFC_4180 } = options
  const { separator, quote } = dialect
  const source = text.open(dialect.encoding)
  try {
    let bytes = new Uint8Array(piece)
    const record: CsvRecord = {
      bytes,
      count: 0,
      starts: new Int32Array(64),
      ends: new Int32Array(64),
      quotes: new Uint8Array(64),
      line: 1,
      from: 0,
      to: 0,
      crlf: false,
      quote,
    }
    let length = source.read(bytes, 0)
    let ended = length === 0
    let start = length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    let line = 1
    for (;;) {
      while (start < length) {
        record.line = line
        const { end, lines } = scanRecord(record, start, length, ended, file, separator)
        if (end < 0) break
        yield record
        start = end
        line += lines
      }
      if (ended) return
      bytes.copyWithin(0, start, length)
      length -= start
      start = 0
      if (length === bytes.length) {
        if (length >= LONGEST_RECORD)
          throw tableError('table-unreadable', file, 'a quote is opened here and not closed', { line })
        const wider = new Uint8Array(2 * bytes.length)
        wider.set(bytes)
        bytes = wider
        record.bytes = bytes
      }
      const got = source.read(bytes, length)
      ended = got === 0
      length += got
      onBytes?.(source.total())
    }
  } finally {
    source.close()
  }
}

const scanned = { end: 0, lines: 0 }

/** Sets the fields of the record that starts at `start`; end -1: it goes on beyond the bytes at hand. */
function scanRecord(
  record: CsvRecord,
  start: number,
  length: number,
  ended: boolean,
  file: string,
  separator: number,
): typeof scanned {
  const { bytes, quote } = record
  let at = start
  let count = 0
  let lines = 1
  scanned.end = -1
  for (;;) {
    if (count === record.starts.length) widen(record)
    const { starts, ends, quotes } = record
    let stop = at
    if (at < length && bytes[at] === quote) {
      let doubled = false
      starts[count] = ++at
      for (; ; at++) {
        if (at >= length) {
          if (!ended) return scanned
          throw tableError('table-unreadable', file, 'a quote is opened here and not closed', { line: record.line })
        }
        const byte = bytes[at]
        if (byte === LF) lines++
        if (byte !== quote) continue
        if (at + 1 >= length && !ended) return scanned
        if (at + 1 >= length || bytes[at + 1] !== quote) break
        doubled = true
        at++
      }
      ends[count] = at
      quotes[count] = doubled ? 2 : 1
      stop = ++at
      if (at < length && bytes[at] === CR) {
        at++
        if (at >= length && !ended) return scanned
      }
      if (at < length && bytes[at] !== LF && (bytes[at] !== separator || at > stop)) {
        const rule = `a closing quote must be followed by ${separatorName(separator)} or the end of the line`
        throw tableError('table-unreadable', file, rule, { line: record.line + lines - 1 })
      }
    } else {
      starts[count] = at
      while (at < length && bytes[at] !== separator && bytes[at] !== LF) at++
      stop = at > starts[count]! && bytes[at - 1] === CR && (at >= length || bytes[at] === LF) ? at - 1 : at
      ends[count] = stop
      quotes[count] = 0
    }
    if (at >= length && !ended) return scanned
    count++
    if (at >= length || bytes[at] === LF) {
      record.count = count
      record.from = start
      record.to = stop
      record.crlf = at > stop
      scanned.end = at >= length ? length : at + 1
      scanned.lines = lines
      return scanned
    }
    at++
  }
}

function widen(record: CsvRecord): void {
  const double = <A extends Int32Array | Uint8Array>(from: A, to: A): A => {
    to.set(from)
    return to
  }
  const size = 2 * record.starts.length
  record.starts = double(record.starts, new Int32Array(size))
  record.ends = double(record.ends, new Int32Array(size))
  record.quotes = double(record.quotes, new Uint8Array(size))
}

/** The text of a field. */
export function fieldText(record: CsvRecord, field: number): string {
  const text = textOf(record.bytes, record.starts[field]!, record.ends[field]!)
  if (record.quotes[field] !== 2) return text
  const quote = String.fromCharCode(record.quote)
  return text.replaceAll(quote + quote, quote)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const SHORT = 32

/** Short plain text, as most cells are, is quicker letter by letter. */
export function textOf(bytes: Uint8Array, from: number, to: number): string {
  if (to - from <= SHORT) {
    let text = ''
    let at = from
    for (; at < to && bytes[at]! < 0x80; at++) text += String.fromCharCode(bytes[at]!)
    if (at === to) return text
  }
  return decoder.decode(bytes.subarray(from, to))
}

/** A line without any character but its end. */
export function isBlank(record: CsvRecord): boolean {
  return record.count === 1 && record.from === record.to
}

/** "a comma". */
export function separatorName(separator: number): string {
  const known: Readonly<Record<number, string>> = {
    44: 'a comma',
    59: 'a semicolon',
    9: 'a tab',
    124: 'a bar',
    32: 'a space',
  }
  return known[separator] ?? `"${String.fromCharCode(separator)}"`
}
