// Builds one column cell by cell. A column that may be of either kind starts as numbers; a text in the very first filled
// cell makes it texts at once, a text further down is remembered (`late`) and the file is read a second time.
// A hidden cell (the covariate where the observed flag says missing) never decides what kind a column is.
// A few texts among numbers are an error, not levels of a category; a column of true and false is one of booleans.

import { numberIn } from './cell-number.js'
import { fitted, grown } from './grown.js'
import type { ColumnMarkers } from './missing-markers.js'
import { type Column, type ColumnWant, MAX_LEVELS, MISSING_CODE, type Place, type TextCell } from './table.js'
import { tableError } from './table-error.js'

/** Room in a dictionary for texts of hidden cells, which do not count as levels. */
const MAX_TEXTS = 60_000
/** From this share of numbers on, a text among them is a mistake. */
const MOSTLY_NUMBERS = 0.9
const NOT_FINITE = /^[+-]?(nan|inf|infinity)$/i

export interface ColumnBuilderOptions {
  readonly file: string
  readonly name: string
  readonly want: ColumnWant
  readonly place: (row: number) => Place
  /** Cells carry their type (Parquet): a text that looks like a number is a text; default false. */
  readonly typed?: boolean
  /** Default a point. */
  readonly decimal?: '.' | ',' | undefined
  readonly markers: ColumnMarkers
  /** Any number of texts, and texts among numbers, are taken as they are; default false. */
  readonly lenient?: boolean
  /** Known from an earlier pass: the cell because of which this column is one of texts. */
  readonly first?: TextCell | undefined
}

export class ColumnBuilder {
  readonly want: ColumnWant
  /** Numbers so far; null for texts. */
  values: Float64Array | null = null
  /** A text that came after numbers. */
  late: TextCell | null = null
  readonly #options: ColumnBuilderOptions
  #codes: Uint16Array | null = null
  readonly #levels = new Map<string, number>()
  /** How many cells that are not hidden have a code. */
  readonly #seen = new Map<number, number>()
  #first: TextCell | null
  /** Cells that a switch to texts would lose. */
  #kept = 0
  /** Cells with zeros in front, as codes are written. */
  leadingZeros = 0

  constructor(options: ColumnBuilderOptions) {
    this.#options = options
    this.want = options.want
    this.#first = options.first ?? null
    if (options.want === 'text' || options.first !== undefined) this.#codes = new Uint16Array(0)
    else this.values = new Float64Array(0)
  }

  /** Makes room for this many rows. */
  reserve(rows: number): void {
    if (this.values !== null) this.values = grown(this.values, rows)
    else this.#codes = grown(this.#codes!, rows)
  }

  addMissing(row: number): void {
    if (this.values !== null) this.values[row] = Number.NaN
    else this.#codes![row] = MISSING_CODE
  }

  addNumber(row: number, value: number, hidden: boolean): void {
    if (!hidden && this.#options.markers.isMissingNumber(value)) this.addMissing(row)
    else if (this.values === null) this.addText(row, String(value), hidden)
    else if (Number.isFinite(value)) {
      this.values[row] = value
      this.#kept++
    } else if (hidden || this.#options.lenient === true) this.values[row] = Number.NaN
    else throw this.#error(row, 'must be a number within the range of a double', value)
  }

  /** A cell that is not a number, or any cell of a column of texts. */
  addText(row: number, text: string, hidden: boolean): void {
    if (!hidden && this.#options.markers.isMissingText(text)) this.addMissing(row)
    else if (this.values === null) this.#addLevel(row, text, hidden)
    else if (BOOLEANS[this.want] !== undefined) this.#addBoolean(row, text, hidden)
    else if (hidden) {
      this.values[row] = Number.NaN
      this.#kept++
    } else if (NOT_FINITE.test(text) && this.#options.lenient !== true) {
      throw this.#error(row, 'must be a finite number (leave the cell empty where the value is missing)', text)
    } else if (this.want === 'number') throw this.#error(row, 'must be a number', text)
    else if (this.#kept > 0) this.late ??= { row, text }
    else {
      this.#codes = new Uint16Array(this.values.length).fill(MISSING_CODE, 0, row)
      this.values = null
      this.#first = { row, text }
      this.#addLevel(row, text, hidden)
    }
  }

  #addBoolean(row: number, text: string, hidden: boolean): void {
    const value = truthValue(text)
    if (value === null && !hidden) {
      throw this.#error(row, BOOLEANS[this.want]!, text)
    }
    this.values![row] = value ?? Number.NaN
  }

  #addLevel(row: number, text: string, hidden: boolean): void {
    let code = this.#levels.get(text)
    const full = this.#levels.size >= MAX_TEXTS && (hidden || this.#options.lenient === true)
    if (code === undefined && !full) {
      code = this.#levels.size
      this.#levels.set(text, code)
    }
    this.#codes![row] = code ?? MISSING_CODE
    if (hidden || code === undefined) return
    this.#seen.set(code, (this.#seen.get(code) ?? 0) + 1)
    if (this.#seen.size <= MAX_LEVELS || this.#options.lenient === true) return
    const { row: at, text: given } = this.#first ?? { row, text }
    const rule = `must be a number, as the column has more than ${MAX_LEVELS} different values (an empty cell means missing; --na makes other texts so)`
    throw this.#error(at, rule, given)
  }

  #error(row: number, rule: string, value: unknown) {
    const { file, name, place } = this.#options
    return tableError('table-wrong-type', file, rule, { ...place(row), column: name, value })
  }

  finish(rows: number): Column {
    if (this.values !== null) {
      const { leadingZeros } = this
      return { kind: 'number', values: fitted(this.values, rows), ...(leadingZeros > 0 ? { leadingZeros } : {}) }
    }
    const codes = fitted(this.#codes!, rows)
    const levels = [...this.#levels.keys()]
    if (this.want === 'any') {
      const truths = levels.map(truthValue)
      if (this.#seen.size > 0 && [...this.#seen.keys()].every((code) => truths[code] !== null)) {
        return { kind: 'number', values: Float64Array.from(codes, (code) => truths[code] ?? Number.NaN), boolean: true }
      }
      if (this.#options.typed !== true && this.#first !== null)
        return { kind: 'text', codes, levels, first: this.#first, numberLike: this.#countNumbers(levels, this.#first) }
    }
    return { kind: 'text', codes, levels, first: this.#first }
  }

  /** How many cells read as numbers; throws when so many do that the others must be mistakes. */
  #countNumbers(levels: readonly string[], first: TextCell): number {
    let numbers = 0
    let all = 0
    for (const [code, count] of this.#seen) {
      all += count
      if (looksLikeNumber(levels[code]!, this.#options.decimal)) numbers += count
    }
    if (numbers === all || numbers < MOSTLY_NUMBERS * all || this.#options.lenient === true) return numbers
    const { name } = this.#options
    const rule = `must be a number, as ${numbers} of the column's ${all} values are (an empty cell means missing; --na ${name}=${first.text} if this does too; --categories ${name} if it is a level)`
    throw this.#error(first.row, rule, first.text)
  }
}

/** Columns that may also hold true and false, and their rule. */
const BOOLEANS: Readonly<Partial<Record<ColumnWant, string>>> = {
  boolean: 'must be true, false, 1 or 0',
  probability: 'must be a probability, true or false',
  reward: 'must be a number, true or false ("labels" of the spec make numbers of other texts)',
}

function truthValue(text: string): 0 | 1 | null {
  const lower = text.toLowerCase()
  return lower === 'true' ? 1 : lower === 'false' ? 0 : null
}

function looksLikeNumber(text: string, decimal?: '.' | ','): boolean {
  return !Number.isNaN(numberIn(text.trim(), decimal))
}
