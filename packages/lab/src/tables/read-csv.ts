// A CSV text as a table. It is read once to count its lines (so that columns are allocated at their size) and to find how it
// is written, once for the cells, and once more only if a column of numbers turned out to hold a text.

import { parseDecimal } from './cell-number.js'
import { type FoundDialect, findDialect } from './csv-dialect.js'
import { type CsvRecord, fieldText, isBlank, scanCsv } from './csv-records.js'
import { type BuiltColumn, makeBuilder } from './make-builder.js'
import type { Place, Table, TextCell } from './table.js'
import { tableError } from './table-error.js'
import { allColumns, checkHeader, covariateSpecs, type TableSpec, wantedColumns } from './table-spec.js'
import type { TextOrigin } from './text-origin.js'

export interface ReadOptions {
  /** Called now and then with the share of the work that is done. */
  readonly onProgress?: (share: number) => void
  /** Every column that has a name, whatever it holds, instead of those of the spec; default false. */
  readonly whole?: boolean
}

/** Reads a CSV text: the columns that the spec names, or all of them. */
export function readCsv(text: TextOrigin, spec: TableSpec, options: ReadOptions = {}): Table {
  const { name, size } = text
  const dialect = findDialect(text, spec)
  let texts: ReadonlyMap<string, TextCell> = new Map()
  for (;;) {
    const pass = new CsvPass(name, dialect, spec, texts, options.whole === true)
    scanCsv(text, (record) => pass.take(record), { dialect, onBytes: (bytes) => options.onProgress?.(bytes / size) })
    const late = pass.late()
    if (late.size === 0) return pass.finish()
    texts = new Map([...texts, ...late])
  }
}

interface Target extends BuiltColumn {
  readonly field: number
  /** For a covariate the field of its observed flag, which hides it where it is 0; -1: none. */
  readonly flag: number
}

class CsvPass {
  #header: readonly string[] | null = null
  #targets: readonly Target[] = []
  #names: readonly string[] = []
  #rows = 0
  #blank: CsvRecord['line'] | null = null
  readonly #lines = new LineIndex()
  readonly #file: string
  readonly #dialect: FoundDialect
  readonly #spec: TableSpec
  readonly #texts: ReadonlyMap<string, TextCell>
  readonly #whole: boolean

  constructor(
    file: string,
    dialect: FoundDialect,
    spec: TableSpec,
    texts: ReadonlyMap<string, TextCell>,
    whole: boolean,
  ) {
    this.#file = file
    this.#dialect = dialect
    this.#spec = spec
    this.#texts = texts
    this.#whole = whole
  }

  take(record: CsvRecord): void {
    if (this.#header === null) this.#takeHeader(record)
    else if (isBlank(record) && this.#header.length > 1) this.#blank ??= record.line
    else this.#takeRow(record)
  }

  #takeHeader(record: CsvRecord): void {
    const header = Array.from({ length: record.count }, (_, field) => fieldText(record, field).trim())
    checkHeader(this.#file, header, record.line)
    const wanted = this.#whole ? allColumns(header) : wantedColumns(this.#spec, header, this.#file)
    this.#header = header
    this.#names = [...wanted.keys()]
    const flagField = (flag: string | undefined) => (flag === undefined ? -1 : header.indexOf(flag))
    const flags = new Map(covariateSpecs(this.#spec).map((one) => [one.covariate, one.observed]))
    this.#targets = [...wanted].map(([name, want]) => {
      const place = (row: number) => this.#lines.place(row)
      const first = this.#texts.get(name)
      return {
        field: header.indexOf(name),
        ...makeBuilder(this.#spec, {
          file: this.#file,
          name,
          want,
          capacity: this.#dialect.lines,
          decimal: this.#dialect.decimal,
          place,
          first,
          lenient: this.#whole,
        }),
        flag: flagField(flags.get(name)),
      }
    })
  }

  #takeRow(record: CsvRecord): void {
    const row = this.#rows++
    if (this.#blank !== null) {
      throw tableError('table-ragged-row', this.#file, 'a blank line may only stand at the end', { line: this.#blank })
    }
    this.#lines.add(row, record.line)
    const fields = this.#header!.length
    if (record.count !== fields) {
      const rule = `must have ${fields} fields, like the header, got ${record.count}`
      throw tableError('table-ragged-row', this.#file, rule, this.#lines.place(row))
    }
    for (const target of this.#targets) {
      const hidden = target.flag >= 0 && !this.#isObserved(record, row, target.flag)
      takeCell(record, target, row, hidden, this.#dialect.decimal)
    }
  }

  #isObserved(record: CsvRecord, row: number, field: number): boolean {
    const text = fieldText(record, field).trim()
    const flag = text === '' ? Number.NaN : Number(text)
    if (flag === 0 || flag === 1) return flag === 1
    throw tableError('table-wrong-type', this.#file, 'must be 0 (missing) or 1 (observed)', {
      ...this.#lines.place(row),
      column: this.#header![field]!,
      value: text,
    })
  }

  /** Columns that turned out to hold texts after numbers. */
  late(): ReadonlyMap<string, TextCell> {
    const found = new Map<string, TextCell>()
    this.#targets.forEach(({ builder }, k) => {
      if (builder.late !== null) found.set(this.#names[k]!, builder.late)
    })
    return found
  }

  finish(): Table {
    if (this.#header === null) throw tableError('table-empty', this.#file, 'must have a header, got an empty file')
    if (this.#rows === 0) throw tableError('table-empty', this.#file, 'must have rows, got only a header')
    return {
      file: this.#file,
      rows: this.#rows,
      header: this.#header,
      columns: new Map(this.#targets.flatMap(({ finish }) => [...finish(this.#rows)])),
      reading: {
        dialect: this.#dialect,
        missing: new Map(this.#targets.map(({ markers }, k) => [this.#names[k]!, markers.counts])),
        unnamed: this.#header.flatMap((name, k) => (name === '' ? [k + 1] : [])),
      },
      place: (row) => this.#lines.place(row),
    }
  }
}

function takeCell(record: CsvRecord, target: Target, row: number, hidden: boolean, decimal: number): void {
  const { bytes } = record
  const { field, builder, markers } = target
  let from = record.starts[field]!
  let to = record.ends[field]!
  while (from < to && bytes[from] === 32) from++
  while (from < to && bytes[to - 1] === 32) to--
  if (from === to) {
    if (!hidden) markers.count('')
    builder.addMissing(row)
    return
  }
  const value = builder.values === null ? Number.NaN : parseDecimal(bytes, from, to, decimal)
  if (!Number.isNaN(value)) {
    if (bytes[from] === ZERO && to - from > 1 && isDigit(bytes[from + 1]!)) builder.leadingZeros++
    builder.addNumber(row, value, hidden)
  } else {
    const text = fieldText(record, field)
    // Spaces around a text belong to it only inside quotes.
    builder.addText(row, record.quotes[field] === 0 ? text.trim() : text, hidden)
  }
}

const ZERO = 48

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 57
}

/** The line of every row, stored only where it moves on by more than one. */
class LineIndex {
  readonly #rows: number[] = []
  readonly #offsets: number[] = []

  add(row: number, line: number): void {
    if (line - row === this.#offsets.at(-1)) return
    this.#rows.push(row)
    this.#offsets.push(line - row)
  }

  place(row: number): Place {
    let low = 0
    let high = this.#rows.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#rows[middle]! <= row) low = middle
      else high = middle
    }
    return { line: row + this.#offsets[low]!, row: row + 1 }
  }
}
