// Dates and times as people write them: 2024-03-05T14:30:00+02:00, 2024/3/5, 5.3.2024 14:30, 3/5/2024 2:30 pm, 20240305, 14:30.

/** A date on the clock as written. */
export interface DateCell {
  readonly year: number
  readonly month: number
  readonly day: number
  /** Hours; null: no time is written. */
  readonly time: number | null
  /** Written time less UTC, in hours; null: not written. */
  readonly offset: number | null
  /** Day and month stand in an order that the cell alone does not tell; `day` is the first. */
  readonly slashed: boolean
}

const TIME = '(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,]\\d+)?)?\\s*([ap]m)?\\s*(Z|[+-]\\d{2}:?\\d{2})?'
const YEAR_FIRST = new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})(?:[T ,]+${TIME})?$`, 'i')
const YEAR_LAST = new RegExp(`^(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4})(?:[T ,]+${TIME})?$`, 'i')
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/
const TIME_ONLY = new RegExp(`^${TIME}$`, 'i')

/** null: it is neither a date nor a time. A time alone has year 0. */
export function parseDate(text: string): DateCell | null {
  const first = YEAR_FIRST.exec(text) ?? COMPACT.exec(text)
  if (first !== null) return dateCell([first[1], first[2], first[3]], first.slice(4), false)
  const last = YEAR_LAST.exec(text)
  if (last !== null) return dateCell([last[4], last[3], last[1]], last.slice(5), last[2] !== '.')
  const time = TIME_ONLY.exec(text)
  return time === null ? null : withTime({ year: 0, month: 1, day: 1, slashed: false }, time.slice(1))
}

function dateCell(
  parts: readonly (string | undefined)[],
  time: readonly (string | undefined)[],
  slashed: boolean,
): DateCell | null {
  const [year, month, day] = parts.map(Number) as [number, number, number]
  const cell = { year, month, day, slashed }
  if (dayNumber(cell) === null && !(slashed && dayNumber({ year, month: day, day: month }) !== null)) return null
  return withTime(cell, time)
}

function withTime(
  date: Omit<DateCell, 'time' | 'offset'>,
  [hours, minutes, seconds = '0', half, zone]: readonly (string | undefined)[],
): DateCell | null {
  if (hours === undefined) return { ...date, time: null, offset: null }
  let hour = Number(hours)
  if (half !== undefined) hour = (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 60) return null
  const time = hour + Number(minutes) / 60 + Number(seconds) / 3600
  return { ...date, time, offset: zone === undefined ? null : zoneOffset(zone) }
}

function zoneOffset(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0
  const digits = zone.replace(':', '').slice(1)
  const hours = Number(digits.slice(0, 2)) + Number(digits.slice(2)) / 60
  return zone.startsWith('-') ? -hours : hours
}

/** Days since 1970-01-01; null: there is no such day. */
export function dayNumber({ year, month, day }: Pick<DateCell, 'year' | 'month' | 'day'>): number | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / 86_400_000 : null
}
