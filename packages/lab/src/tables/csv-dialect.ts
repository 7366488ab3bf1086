// How a CSV file is written: encoding, separator, quotes, decimal mark, found from its first records. The separator is the one
// that splits most records like the header; the decimal mark is a comma where numbers have commas in them and none has a point.

import { type CsvRecord, csvRecords, fieldText, isBlank, textOf } from './csv-records.js'
import type { TextEncoding, TextFile, TextOrigin } from './text-origin.js'

export interface CsvDialect {
  readonly encoding: TextEncoding
  /** As bytes. */
  readonly separator: number
  readonly quote: number
  readonly decimal: number
}

/** What is said of a file rather than found. */
export interface DialectOptions {
  readonly separator?: string
  readonly decimal?: '.' | ','
}

export interface FoundDialect extends CsvDialect, TextFile {
  readonly crlf: boolean
}

const code = (character: string) => character.charCodeAt(0)
const SEPARATORS = [',', ';', '\t', '|'].map(code)
const SAMPLE_RECORDS = 500
const SAMPLE_BYTES = 1 << 18

export const plainDialect: CsvDialect = {
  encoding: 'UTF-8',
  separator: code(','),
  quote: code('"'),
  decimal: code('.'),
}

export function findDialect(file: TextOrigin, given: DialectOptions = {}): FoundDialect {
  const survey = file.survey()
  const base = { ...plainDialect, encoding: survey.encoding, quote: quoteOf(file, survey.encoding) }
  const separator = given.separator === undefined ? separatorOf(file, base) : code(given.separator)
  const dialect = { ...base, separator }
  const { decimalComma, crlf } = sampleCells(file, dialect)
  const decimal = given.decimal ?? (decimalComma ? ',' : '.')
  return { ...survey, ...dialect, decimal: code(decimal), crlf }
}

/** Apostrophes are quotes where they open and close every cell that has one in front, and there are no others. */
function quoteOf(file: TextOrigin, encoding: TextEncoding): number {
  const source = file.open(encoding)
  try {
    const bytes = new Uint8Array(SAMPLE_BYTES)
    const text = textOf(bytes, 0, source.read(bytes, 0))
    const sample = text.slice(0, text.lastIndexOf('\n') + 1)
    const opened = sample.match(/(^|[,;\t|\n])'/g)?.length ?? 0
    const closed = sample.match(/(?<=^|[,;\t|\n])'[^'\n]*'(?=[,;\t|\r\n])/g)?.length ?? 0
    return code(closed > 1 && closed === opened && !sample.includes('"') ? "'" : '"')
  } finally {
    source.close()
  }
}

function* sample(file: TextOrigin, dialect: CsvDialect): Generator<CsvRecord> {
  let seen = 0
  for (const record of csvRecords(file, { dialect, piece: SAMPLE_BYTES })) {
    if (isBlank(record)) continue
    yield record
    if (++seen >= SAMPLE_RECORDS) return
  }
}

function separatorOf(file: TextOrigin, base: CsvDialect): number {
  let best = { separator: base.separator, share: 0, fields: 1 }
  for (const separator of SEPARATORS) {
    let fields = 0
    let records = 0
    let alike = 0
    try {
      for (const { count } of sample(file, { ...base, separator })) {
        fields ||= count
        records++
        if (count === fields) alike++
      }
    } catch {
      // Quotes that do not close with this separator.
      alike /= 2
    }
    const share = fields < 2 ? 0 : alike / records
    if (share > best.share || (share === best.share && share > 0 && fields > best.fields))
      best = { separator, share, fields }
  }
  return best.separator
}

const WITH_COMMA = /^\s*[+-]?\d+,\d+(e[+-]?\d+)?\s*$/i
const WITH_POINT = /^\s*[+-]?\d*\.\d+(e[+-]?\d+)?\s*$/i
const THOUSANDS = /^\s*[+-]?\d{1,3}(,\d{3})+\s*$/

function sampleCells(file: TextOrigin, dialect: CsvDialect): { decimalComma: boolean; crlf: boolean } {
  let crlf = false
  let commas = 0
  let thousands = 0
  let points = 0
  try {
    for (const record of sample(file, dialect)) {
      crlf ||= record.crlf
      for (let field = 0; field < record.count; field++) {
        const text = fieldText(record, field)
        if (WITH_POINT.test(text)) points++
        else if (WITH_COMMA.test(text)) {
          commas++
          if (THOUSANDS.test(text)) thousands++
        }
      }
    }
  } catch {
    // What is wrong with the file is said when it is read.
  }
  return { decimalComma: commas > thousands && points === 0, crlf }
}
