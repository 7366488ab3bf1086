// One column of a table as one would describe it: what kind, which values, what is missing, what looks wrong.

import { parseDate } from '../tables/date-cell.js'
import { type SuspiciousValue, suspiciousValues } from '../tables/suspicious-values.js'
import { type Column, MAX_LEVELS, MISSING_CODE, type NumberColumn, type TextColumn } from '../tables/table.js'

export type ColumnKind = 'number' | 'boolean' | 'category' | 'date' | 'text' | 'empty'

export interface ColumnProfile {
  readonly name: string
  readonly kind: ColumnKind
  readonly rows: number
  readonly missing: number
  /** By marker; '' is an empty cell. */
  readonly markers: Readonly<Record<string, number>>
  /** Different values; for numbers at most `MAX_DIFFERENT`. */
  readonly different: number
  /** Of numbers. */
  readonly numbers?: { readonly min: number; readonly max: number; readonly mean: number; readonly sd: number }
  /** Of other columns: the most frequent values. */
  readonly top?: readonly (readonly [value: string, count: number])[]
  readonly suspicious: readonly SuspiciousValue[]
}

export const MAX_DIFFERENT = 10_000
/** From this share of dates on, a column of texts is one of dates. */
const MOSTLY_DATES = 0.95
/** From this share of numbers on, the few other texts of a column are suspects. */
const MOSTLY_NUMBERS = 0.5
const MAX_SUSPECTS = 5

export function columnProfile(
  name: string,
  column: Column,
  markers: ReadonlyMap<string, number> = new Map(),
): ColumnProfile {
  const rows = column.kind === 'number' ? column.values.length : column.codes.length
  const shared = { name, rows, markers: Object.fromEntries(markers) }
  return column.kind === 'number' ? numberProfile(shared, column) : textProfile(shared, column)
}

type Shared = Pick<ColumnProfile, 'name' | 'rows' | 'markers'>

function numberProfile(shared: Shared, column: NumberColumn): ColumnProfile {
  const different = new Set<number>()
  let count = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  let mean = 0
  let squares = 0
  for (const value of column.values) {
    if (Number.isNaN(value)) continue
    count++
    const step = value - mean
    mean += step / count
    squares += step * (value - mean)
    if (value < min) min = value
    if (value > max) max = value
    if (different.size < MAX_DIFFERENT) different.add(value)
  }
  return {
    ...shared,
    kind: count === 0 ? 'empty' : column.boolean === true ? 'boolean' : 'number',
    missing: shared.rows - count,
    different: different.size,
    ...(count === 0 ? {} : { numbers: { min, max, mean, sd: Math.sqrt(squares / Math.max(1, count - 1)) } }),
    suspicious: suspiciousValues(shared.name, column),
  }
}

function textProfile(shared: Shared, column: TextColumn): ColumnProfile {
  const counts = new Float64Array(column.levels.length)
  let missing = 0
  for (const code of column.codes) {
    if (code === MISSING_CODE) missing++
    else counts[code] = counts[code]! + 1
  }
  const filled = shared.rows - missing
  const used = column.levels.map((level, code) => [level, counts[code]!] as const).filter(([, count]) => count > 0)
  const dates = used.reduce((sum, [level, count]) => sum + (parseDate(level.trim()) === null ? 0 : count), 0)
  const different = used.length
  const { numberLike = 0 } = column
  return {
    ...shared,
    kind: dates >= MOSTLY_DATES * filled && filled > 0 ? 'date' : different > MAX_LEVELS ? 'text' : 'category',
    missing,
    different,
    top: used.sort((a, b) => b[1] - a[1]).slice(0, 5),
    suspicious:
      numberLike >= MOSTLY_NUMBERS * filled ? amongNumbers(shared.name, used) : suspiciousValues(shared.name, column),
  }
}

/** The few texts of a column of numbers. */
function amongNumbers(name: string, used: readonly (readonly [string, number])[]): readonly SuspiciousValue[] {
  const texts = used.filter(([text]) => text.trim() === '' || Number.isNaN(Number(text.replace(',', '.'))))
  if (texts.length > MAX_SUSPECTS) return []
  return texts.map(([value, count]) => ({ column: name, value, count }))
}
