// Fills a table chunk by chunk, whichever reader the cells come from. The first pass may find texts in columns that
// began as numbers (`late`): the reader then passes over the file again, with these columns as texts.

import { hasLeadingZero, numberIn } from './cell-number.js'
import { ColumnBuilder } from './column-builder.js'
import { dateColumns } from './date-columns.js'
import { ColumnMarkers } from './missing-markers.js'
import type { Column, Place, Table, TextCell } from './table.js'
import { tableError } from './table-error.js'
import type { TableReading } from './table-reading.js'
import { covariateSpecs, declaredFeature, keyColumns, type TableSpec } from './table-spec.js'
import { allColumns, wantedColumns } from './wanted-columns.js'

export type Cell = number | string | boolean | null

/** The cells of one column in a chunk. */
export type Cells = (row: number) => Cell

export interface FillOptions {
  readonly file: string
  readonly header: readonly string[]
  readonly spec: TableSpec
  /** Every column that has a name, instead of those of the spec. */
  readonly whole: boolean
  /** Cells carry their type: a text that looks like a number is a text. */
  readonly typed: boolean
  readonly decimal?: '.' | ','
  readonly place: (row: number) => Place
  /** Columns known to hold texts. */
  readonly texts: ReadonlyMap<string, TextCell>
  /** About how many rows there are; default 0. */
  readonly estimate?: number
}

interface Target {
  readonly name: string
  readonly builder: ColumnBuilder
  readonly markers: ColumnMarkers
  /** Of a date: its texts. */
  readonly dates: (string | null)[] | null
  readonly labels: ReadonlyMap<string, number> | null
  /** Declared levels, which may begin or end with spaces. */
  readonly levels: readonly string[]
  /** Of a covariate: the column that hides it where it is 0. */
  readonly flag: string | undefined
  readonly isFlag: boolean
}

export class TableFiller {
  /** The columns to read, in the order of `take`; `text`: every cell as text. */
  readonly columns: readonly { readonly name: string; readonly text: boolean }[]
  rows = 0
  readonly #options: FillOptions
  readonly #targets: readonly Target[]
  readonly #keys: ReadonlyMap<string, (string | null)[]>

  constructor(options: FillOptions) {
    const { file, header, spec, whole, typed, decimal, place, texts } = options
    this.#options = options
    const wanted = whole ? allColumns(header) : wantedColumns(spec, header, file)
    const flagOf = new Map(covariateSpecs(spec).map((one) => [one.covariate, one.observed]))
    const flags = new Set(flagOf.values())
    // Flags first: they decide which cells of the covariates are hidden.
    const names = [...wanted.keys()].sort((a, b) => Number(flags.has(b)) - Number(flags.has(a)))
    this.#targets = names.map((name) => {
      const labels = Object.hasOwn(spec.labels ?? {}, name) ? new Map(Object.entries(spec.labels![name]!)) : null
      const want = wanted.get(name)!
      const first = texts.get(name)
      // Parquet has a missing value of its own.
      const markers = new ColumnMarkers(typed ? { ...spec, na: spec.na ?? [] } : spec, name)
      const builder = new ColumnBuilder({ file, name, want, typed, place, lenient: whole, first, markers, decimal })
      builder.reserve(want === 'date' ? 0 : (options.estimate ?? 0))
      const dates = want === 'date' ? [] : null
      const feature = declaredFeature(spec, name)
      const levels = feature?.type === 'category' ? feature.levels : []
      return { name, builder, markers, dates, labels, levels, flag: flagOf.get(name), isFlag: flags.has(name) }
    })
    const keys = whole ? [] : keyColumns(spec)
    const missing = keys.find((name) => !header.includes(name))
    if (missing !== undefined)
      throw tableError('table-missing-column', file, `no column "${missing}"`, { column: missing })
    this.#keys = new Map(keys.map((name) => [name, []]))
    this.columns = [
      ...this.#targets.map(({ name, builder, dates }) => ({ name, text: dates !== null || builder.values === null })),
      ...keys.map((name) => ({ name, text: true })),
    ]
  }

  take(count: number, columns: readonly Cells[]): void {
    const first = this.rows
    const hidden = new Map<string, Uint8Array>()
    for (const [k, target] of this.#targets.entries()) {
      const cells = columns[k]!
      if (target.dates === null) target.builder.reserve(first + count)
      if (target.isFlag) hidden.set(target.name, this.#takeFlag(target, cells, first, count))
      else {
        const flags = target.flag === undefined ? undefined : hidden.get(target.flag)
        for (let row = 0; row < count; row++) this.#takeCell(target, first + row, cells(row), flags?.[row] === 1)
      }
    }
    let k = this.#targets.length
    for (const texts of this.#keys.values()) {
      const cells = columns[k++]!
      for (let row = 0; row < count; row++) {
        const cell = cells(row)
        texts.push(cell === null || cell === '' ? null : String(cell))
      }
    }
    this.rows += count
  }

  #takeCell(target: Target, row: number, cell: Cell, hidden: boolean): void {
    const { builder, markers, dates, labels, levels } = target
    if (typeof cell === 'number' && labels === null && dates === null && !Number.isNaN(cell)) {
      builder.addNumber(row, cell, hidden)
      return
    }
    const { typed, decimal } = this.#options
    const raw = cell === null || Number.isNaN(cell) ? '' : String(cell)
    const text = typed || levels.includes(raw) ? raw : raw.trim()
    const isNumber = typeof cell === 'number' || (typeof cell === 'boolean' && builder.want !== 'any')
    const known = labels?.get(text) ?? (isNumber && builder.values !== null ? Number(cell) : null)
    const value = typed || builder.values === null ? Number.NaN : numberIn(text, decimal)
    if (text === '') {
      if (!hidden) markers.count('')
      if (dates === null) builder.addMissing(row)
      else dates.push(null)
    } else if (dates !== null) dates.push(markers.isMissingText(text) ? null : text)
    else if (known !== null) builder.addNumber(row, known, hidden)
    else if (Number.isNaN(value)) builder.addText(row, text, hidden)
    else {
      if (hasLeadingZero(text)) builder.leadingZeros++
      builder.addNumber(row, value, hidden)
    }
  }

  /** 1: the value is hidden. */
  #takeFlag({ name, builder }: Target, cells: Cells, first: number, count: number): Uint8Array {
    const { file, typed, place } = this.#options
    const hidden = new Uint8Array(count)
    for (let row = 0; row < count; row++) {
      const cell = cells(row)
      const flag =
        typeof cell === 'boolean' && typed ? Number(cell) : cell === null || cell === '' ? Number.NaN : Number(cell)
      if ((flag !== 0 && flag !== 1) || (typeof cell === 'boolean' && !typed)) {
        const value = Number.isNaN(cell) || cell === null ? '' : typed ? cell : String(cell).trim()
        const where = { ...place(first + row), column: name, value }
        throw tableError('table-wrong-type', file, 'must be 0 (missing) or 1 (observed)', where)
      }
      builder.addNumber(first + row, flag, false)
      hidden[row] = 1 - flag
    }
    return hidden
  }

  /** Columns that turned out to hold texts after numbers. */
  late(): ReadonlyMap<string, TextCell> {
    return new Map(this.#targets.flatMap(({ name, builder }) => (builder.late === null ? [] : [[name, builder.late]])))
  }

  finish(reading: Omit<TableReading, 'missing'>): Table {
    const { file, header, place, spec } = this.#options
    const { rows } = this
    const columnsOf = ({ name, builder, dates }: Target): Iterable<readonly [string, Column]> =>
      dates === null ? [[name, builder.finish(rows)]] : dateColumns(dates, { file, name, place, order: spec.dateOrder })
    return {
      file,
      rows,
      header,
      columns: new Map(this.#targets.flatMap((target) => [...columnsOf(target)])),
      keys: this.#keys,
      reading: { ...reading, missing: new Map(this.#targets.map(({ name, markers }) => [name, markers.counts])) },
      place,
    }
  }
}
