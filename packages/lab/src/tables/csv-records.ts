// Records of a CSV text (RFC 4180: a separator, quotes, LF or CRLF). In Node tables are read by DuckDB; this reader
// serves the browser, the header and sample of a file, decision logs, and copies that keep every character.

import { tableError } from './table-error.js'
import type { TextOrigin } from './text-origin.js'

export interface CsvRecord {
  readonly cells: readonly string[]
  /** Whether each cell is in quotes. */
  readonly quoted: readonly boolean[]
  /** Line of the first character, from 1. */
  readonly line: number
  /** The record as it is written, without its line end. */
  readonly text: string
  readonly crlf: boolean
}

/** The characters that structure a CSV text. */
export interface CsvMarks {
  readonly separator: string
  readonly quote: string
}

const RFC_4180: CsvMarks = { separator: ',', quote: '"' }
const LONGEST_RECORD = 1 << 26

/** The header and every row. */
export function* csvRecords(
  { name, pieces }: Pick<TextOrigin, 'name' | 'pieces'>,
  marks: CsvMarks = RFC_4180,
): Generator<CsvRecord> {
  const source = pieces()[Symbol.iterator]()
  let buffer = ''
  let at = 0
  let line = 1
  for (let ended = false; ; ) {
    while (at < buffer.length) {
      const found = scanRecord(buffer, at, line, ended, marks, name)
      if (found === null) break
      yield found.record
      at = found.end
      line += found.lines
    }
    if (ended) return
    if (buffer.length - at > LONGEST_RECORD) throw openQuote(name, line)
    const next = source.next()
    ended = next.done === true
    buffer = buffer.slice(at) + (next.done === true ? '' : next.value)
    at = 0
  }
}

/** null: the record continues beyond the buffer. */
function scanRecord(
  buffer: string,
  start: number,
  line: number,
  ended: boolean,
  { separator, quote }: CsvMarks,
  file: string,
): { record: CsvRecord; end: number; lines: number } | null {
  const cells: string[] = []
  const quoted: boolean[] = []
  const { length } = buffer
  let lines = 1
  let at = start
  for (;;) {
    const from = at
    let to: number
    if (buffer[at] === quote) {
      let close = at
      for (;;) {
        close = buffer.indexOf(quote, close + 1)
        if (close < 0 && ended) throw openQuote(file, line)
        // A quote at the end may be the first of two, a CR the first character of a line end.
        if (close < 0 || (close + 2 >= length && !ended)) return null
        if (buffer[close + 1] !== quote) break
        close++
      }
      const inside = buffer.slice(from + 1, close)
      lines += inside.split('\n').length - 1
      cells.push(inside.replaceAll(quote + quote, quote))
      to = close + 1
      at = buffer[to] === '\r' ? to + 1 : to
      if (at < length && buffer[at] !== '\n' && (buffer[at] !== separator || at > to)) {
        const rule = `a closing quote must be followed by ${separatorName(separator)} or the end of the line`
        throw tableError('table-unreadable', file, rule, { line: line + lines - 1 })
      }
    } else {
      while (at < length && buffer[at] !== separator && buffer[at] !== '\n') at++
      to = at > from && buffer[at - 1] === '\r' && (at >= length || buffer[at] === '\n') ? at - 1 : at
      cells.push(buffer.slice(from, to))
    }
    quoted.push(to > from && buffer[from] === quote)
    if (at >= length && !ended) return null
    if (at >= length || buffer[at] === '\n') {
      const record = { cells, quoted, line, text: buffer.slice(start, to), crlf: at > to }
      return { record, end: at + 1, lines }
    }
    at++
  }
}

function openQuote(file: string, line: number) {
  return tableError('table-unreadable', file, 'a quote is opened here and not closed', { line })
}

/** A line without any character but its end. */
export function isBlank({ text }: CsvRecord): boolean {
  return text === ''
}

/** "a comma". */
export function separatorName(separator: string): string {
  const known: Readonly<Record<string, string>> = {
    ',': 'a comma',
    ';': 'a semicolon',
    '\t': 'a tab',
    '|': 'a bar',
    ' ': 'a space',
  }
  return known[separator] ?? `"${separator}"`
}
