// How a CSV file is written: encoding, separator, quotes, decimal mark, found from its first records. The separator is the one
// that splits most records like the header; the decimal mark is a comma where numbers have commas in them and none has a point.

import { type CsvMarks, type CsvRecord, csvRecords, isBlank } from './csv-records.js'
import type { TextEncoding, TextOrigin } from './text-origin.js'

/** How a CSV file is written. */
export interface FoundDialect extends CsvMarks {
  readonly encoding: TextEncoding
  readonly byteOrderMark: boolean
  readonly decimal: '.' | ','
  readonly crlf: boolean
}

/** Given rather than found. */
export interface DialectOptions {
  readonly separator?: string
  readonly decimal?: '.' | ','
}

const SEPARATORS = [',', ';', '\t', '|']
const SAMPLE_RECORDS = 2_000
const SAMPLE_LENGTH = 1 << 18

export interface CsvStart {
  readonly dialect: FoundDialect
  /** Trimmed; empty: the text is. */
  readonly header: readonly string[]
  readonly line: number
  /** Up to 2,000 rows. */
  readonly rows: readonly CsvRecord[]
}

/** The dialect of a text, its header and first rows. */
export function csvStart(text: TextOrigin, given: DialectOptions = {}): CsvStart {
  const { encoding, byteOrderMark } = text
  const sample = startOf(text)
  const quote = quoteOf(sample)
  const separator = given.separator ?? separatorOf(sample, quote)
  const records = sampleRecords(sample, { separator, quote })
  const decimal = given.decimal ?? decimalOf(records)
  const crlf = records.some((record) => record.crlf)
  const [header, ...rows] = records
  return {
    dialect: { encoding, byteOrderMark, separator, quote, decimal, crlf },
    header: header?.cells.map((name) => name.trim()) ?? [],
    line: header?.line ?? 1,
    rows,
  }
}

/** Whole lines from the start of a text. */
function startOf(text: TextOrigin): string {
  let start = ''
  for (const piece of text.pieces()) {
    start += piece
    if (start.length > SAMPLE_LENGTH) return start.slice(0, start.lastIndexOf('\n', SAMPLE_LENGTH) + 1) || start
  }
  return start
}

/** Up to the first that breaks the rules: the reader of the whole file says what is wrong. */
function sampleRecords(sample: string, marks: CsvMarks): CsvRecord[] {
  const records: CsvRecord[] = []
  try {
    for (const record of csvRecords({ name: '', pieces: () => [sample] }, marks)) {
      if (!isBlank(record)) records.push(record)
      if (records.length > SAMPLE_RECORDS) break
    }
  } catch {
    return records
  }
  return records
}

/** Apostrophes are quotes where they open and close every cell that has one in front, and there are no others. */
function quoteOf(sample: string): string {
  const opened = sample.match(/(^|[,;\t|\n])'/g)?.length ?? 0
  const closed = sample.match(/(?<=^|[,;\t|\n])'[^'\n]*'(?=[,;\t|\r\n]|$)/g)?.length ?? 0
  return closed > 1 && closed === opened && !sample.includes('"') ? "'" : '"'
}

function separatorOf(sample: string, quote: string): string {
  let best = { separator: ',', share: 0, fields: 1 }
  for (const separator of SEPARATORS) {
    const counts = sampleRecords(sample, { separator, quote }).map(({ cells }) => cells.length)
    const fields = counts[0] ?? 0
    const share = fields < 2 ? 0 : counts.filter((count) => count === fields).length / counts.length
    if (share > best.share || (share === best.share && share > 0 && fields > best.fields))
      best = { separator, share, fields }
  }
  return best.separator
}

const WITH_COMMA = /^\s*[+-]?\d+,\d+(e[+-]?\d+)?\s*$/i
const WITH_POINT = /^\s*[+-]?\d*\.\d+(e[+-]?\d+)?\s*$/i
const THOUSANDS = /^\s*[+-]?\d{1,3}(,\d{3})+\s*$/

function decimalOf(records: readonly CsvRecord[]): '.' | ',' {
  let commas = 0
  for (const { cells } of records) {
    for (const cell of cells) {
      if (WITH_POINT.test(cell)) return '.'
      if (WITH_COMMA.test(cell)) commas += THOUSANDS.test(cell) ? 0 : 1
    }
  }
  return commas > 0 ? ',' : '.'
}
