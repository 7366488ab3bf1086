// A chart as a table: one row per place, one column per line and per limit.

import type { AxisKind, Range } from './frame.js'
import type { Line } from './series.js'

/** A spreadsheet runs text that begins like a formula; an apostrophe in front makes it text. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function chartCsv(lines: readonly Line[], x: AxisKind, xName: string, range: Range | null): string {
  const drawn = lines.filter(({ ghost }) => ghost !== true)
  const limited = drawn.map(({ points }) => points.some(({ low, high }) => low !== undefined && high !== undefined))
  const head = drawn.flatMap(({ name }, i) => (limited[i] ? [name, `${name} (low)`, `${name} (high)`] : [name]))
  const places = new Map<number, (number | null)[]>()
  let column = 0
  drawn.forEach(({ points }, i) => {
    for (const { x: place, y, low, high } of points) {
      if (y === null || (range !== null && (place < range.from || place > range.to))) continue
      const row = places.get(place) ?? new Array<number | null>(head.length).fill(null)
      row[column] = y
      if (limited[i]) {
        row[column + 1] = low ?? null
        row[column + 2] = high ?? null
      }
      places.set(place, row)
    }
    column += limited[i] ? 3 : 1
  })
  const rows = [...places].sort(([a], [b]) => a - b)
  const place = (value: number) => (x === 'time' ? new Date(value).toISOString() : String(value))
  return [
    [xName, ...head].map(cell).join(','),
    ...rows.map(([at, row]) => [place(at), ...row.map((value) => (value === null ? '' : String(value)))].join(',')),
    '',
  ].join('\n')
}
