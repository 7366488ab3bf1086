// The numbers of a column of dates: "when" becomes when.weekday (Monday 1 ... Sunday 7) and when.hour on the clock as
// written, and when.days, the days since 1970-01-01 (by UTC where the zone is written). 3/5/2024 is read day first or month first
// by what the whole column allows.

import { type DateCell, dayNumber, parseDate } from './date-cell.js'
import type { NumberColumn, Place } from './table.js'
import { tableError } from './table-error.js'

export type DateOrder = 'dmy' | 'mdy'

/** The parts of a date that become columns. */
export const dateParts = ['weekday', 'hour', 'days'] as const

export interface DateOptions {
  readonly file: string
  readonly name: string
  readonly place: (row: number) => Place
  readonly order?: DateOrder | undefined
}

/** Numbers by the name of the part that they are; null: the cell is missing. */
export function dateColumns(
  texts: readonly (string | null)[],
  options: DateOptions,
): ReadonlyMap<string, NumberColumn> {
  const known = new Map<string, DateCell>()
  const cells = texts.map((text, row) => {
    if (text === null) return null
    const cell = known.get(text) ?? parseDate(text)
    if (cell === null) throw refused(options, row, 'must be a date or a time, such as 2024-03-05 14:30', text)
    known.set(text, cell)
    return cell
  })
  const order = orderOf(cells, options)
  const column = (value: (day: number, cell: DateCell) => number): NumberColumn => ({
    kind: 'number',
    values: Float64Array.from(cells, (cell) => (cell === null ? Number.NaN : value(dayOf(cell, order) ?? 0, cell))),
  })
  const [weekday, hour, elapsed] = dateParts.map((part) => `${options.name}.${part}`) as [string, string, string]
  const all = [...known.values()]
  const hasDates = all.some(({ year }) => year > 0)
  const hasTimes = all.some(({ time }) => time !== null)
  return new Map([
    // 1970-01-01 was a Thursday.
    ...(hasDates ? [[weekday, column((day) => 1 + ((((day + 3) % 7) + 7) % 7))] as const] : []),
    ...(hasTimes ? [[hour, column((_, { time }) => time ?? 0)] as const] : []),
    ...(hasDates
      ? [[elapsed, column((day, { time, offset }) => day + ((time ?? 0) - (offset ?? 0)) / 24)] as const]
      : []),
  ])
}

/** null: the order does not allow the date. A time alone is on day 0. */
function dayOf(cell: DateCell, order: DateOrder): number | null {
  if (cell.year === 0) return 0
  return dayNumber(cell.slashed && order === 'mdy' ? { ...cell, day: cell.month, month: cell.day } : cell)
}

function orderOf(cells: readonly (DateCell | null)[], options: DateOptions): DateOrder {
  const { order } = options
  const firstAgainst = (one: DateOrder) => cells.findIndex((cell) => cell !== null && dayOf(cell, one) === null)
  const [dmy, mdy] = [firstAgainst('dmy'), firstAgainst('mdy')]
  if (order !== undefined) {
    const at = order === 'dmy' ? dmy : mdy
    if (at < 0) return order
    throw refused(options, at, `must be a date in the order ${order === 'dmy' ? 'day/month' : 'month/day'}`)
  }
  if (dmy >= 0 && mdy >= 0)
    throw refused(options, mdy, 'must have day and month in one order, other rows have them the other way round')
  const slashed = cells.findIndex((cell) => cell?.slashed === true)
  if (slashed >= 0 && dmy < 0 && mdy < 0) {
    const rule = 'must tell day from month, and every date here could be either: add --date-order dmy or mdy'
    throw refused(options, slashed, rule)
  }
  return dmy < 0 ? 'dmy' : 'mdy'
}

function refused({ file, name, place }: DateOptions, row: number, rule: string, value?: string) {
  const given = value === undefined ? {} : { value }
  return tableError('table-wrong-type', file, rule, { ...place(row), column: name, ...given })
}
