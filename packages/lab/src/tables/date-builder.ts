// Builds the numbers of a column of dates: "when" becomes when.weekday (Monday 1 ... Sunday 7) and when.hour on the clock as
// written, and when.days, the days since 1970-01-01 (by UTC where the zone is written). 3/5/2024 is read day first or month first
// by what the whole column allows.

import { type DateCell, dayNumber, parseDate } from './date-cell.js'
import type { ColumnMarkers } from './missing-markers.js'
import type { NumberColumn, Place } from './table.js'
import { tableError } from './table-error.js'

export type DateOrder = 'dmy' | 'mdy'

/** The parts of a date that become columns. */
export const dateParts = ['weekday', 'hour', 'days'] as const

export interface DateBuilderOptions {
  readonly file: string
  readonly name: string
  readonly place: (row: number) => Place
  readonly markers?: ColumnMarkers | undefined
  readonly order?: DateOrder | undefined
}

export class DateBuilder {
  readonly want = 'date'
  /** Every cell is given as text. */
  readonly values = null
  readonly late = null
  /** Not told apart in dates. */
  leadingZeros = 0
  readonly #options: DateBuilderOptions
  /** Days, in either order of day and month. */
  readonly #days: Readonly<Record<DateOrder, number[]>> = { dmy: [], mdy: [] }
  readonly #times: number[] = []
  readonly #offsets: number[] = []
  /** The first row that an order cannot read. */
  readonly #refused: Record<DateOrder, number> = { dmy: -1, mdy: -1 }
  #slashed = -1
  #hasDates = false
  #hasTimes = false

  constructor(options: DateBuilderOptions) {
    this.#options = options
  }

  reserve(_rows: number): void {}

  addMissing(row: number): void {
    for (const column of [this.#days.dmy, this.#days.mdy, this.#times, this.#offsets]) column[row] = Number.NaN
  }

  addNumber(row: number, value: number): void {
    this.addText(row, String(value))
  }

  addText(row: number, text: string): void {
    if (this.#options.markers?.isMissingText(text) === true) {
      this.addMissing(row)
      return
    }
    const cell = parseDate(text.trim())
    if (cell === null) throw this.#error(row, 'must be a date or a time, such as 2024-03-05 14:30', text)
    this.#hasDates ||= cell.year > 0
    this.#hasTimes ||= cell.time !== null
    this.#times[row] = cell.time ?? 0
    this.#offsets[row] = cell.offset ?? 0
    this.#addDay(row, 'dmy', cell, cell)
    this.#addDay(row, 'mdy', cell, cell.slashed ? { ...cell, day: cell.month, month: cell.day } : cell)
    if (cell.slashed && this.#slashed < 0) this.#slashed = row
  }

  #addDay(row: number, order: DateOrder, { year }: DateCell, read: DateCell): void {
    const day = year === 0 ? 0 : dayNumber(read)
    this.#days[order][row] = day ?? Number.NaN
    if (day === null && this.#refused[order] < 0) this.#refused[order] = row
  }

  #error(row: number, rule: string, value?: string) {
    const { file, name, place } = this.#options
    return tableError('table-wrong-type', file, rule, {
      ...place(row),
      column: name,
      ...(value === undefined ? {} : { value }),
    })
  }

  /** Numbers by the name of the part that they are. */
  finish(rows: number): ReadonlyMap<string, NumberColumn> {
    const { name } = this.#options
    const days = this.#days[this.#order()]
    const column = (value: (day: number, time: number, offset: number) => number): NumberColumn => ({
      kind: 'number',
      values: Float64Array.from({ length: rows }, (_, row) =>
        value(days[row]!, this.#times[row]!, this.#offsets[row]!),
      ),
    })
    const [weekday, hour, elapsed] = dateParts.map((part) => `${name}.${part}`) as [string, string, string]
    return new Map([
      // 1970-01-01 was a Thursday.
      ...(this.#hasDates ? [[weekday, column((day) => 1 + ((((day + 3) % 7) + 7) % 7))] as const] : []),
      ...(this.#hasTimes ? [[hour, column((_, time) => time)] as const] : []),
      ...(this.#hasDates ? [[elapsed, column((day, time, offset) => day + (time - offset) / 24)] as const] : []),
    ])
  }

  #order(): DateOrder {
    const { order } = this.#options
    const { dmy, mdy } = this.#refused
    if (order !== undefined) {
      const at = this.#refused[order]
      if (at >= 0) throw this.#error(at, `must be a date in the order ${order === 'dmy' ? 'day/month' : 'month/day'}`)
      return order
    }
    if (dmy >= 0 && mdy >= 0)
      throw this.#error(mdy, 'must have day and month in one order, other rows have them the other way round')
    if (this.#slashed >= 0 && dmy < 0 && mdy < 0) {
      const rule = 'must tell day from month, and every date here could be either: add --date-order dmy or mdy'
      throw this.#error(this.#slashed, rule)
    }
    return dmy < 0 ? 'dmy' : 'mdy'
  }
}
