// Values that look like a missing value in disguise: numbers of nines (-999, 9999, ...) and the ends of integer
// types, far outside the rest of their column or negative where nothing else is, and texts such as "unknown". They
// are named, never removed: the flag that makes them missing is.

import type { Column, TextColumn } from './table.js'
import { MISSING_CODE } from './table.js'
import { quote } from './table-error.js'

export interface SuspiciousValue {
  readonly column: string
  /** As it is given to --na. */
  readonly value: string
  readonly count: number
}

const NINES = Array.from({ length: 9 }, (_, k) => 10 ** (k + 2) - 1)
const SENTINELS: ReadonlySet<number> = new Set([...NINES.flatMap((n) => [n, -n]), -32_768, -2_147_483_648])
const TEXTS =
  /^(unknown|missing|not available|not applicable|undefined|unspecified|n\.a\.|#n\/a|<na>|nil|none|-+|\?+)$/i

/** Suspicious cells among the rows that count (all, or those whose flag is 1). */
export function suspiciousValues(name: string, column: Column, rows: Uint8Array | null = null): SuspiciousValue[] {
  return column.kind === 'text' ? suspiciousTexts(name, column, rows) : suspiciousNumbers(name, column.values, rows)
}

function suspiciousNumbers(name: string, values: Float64Array, rows: Uint8Array | null): SuspiciousValue[] {
  const counts = new Map<number, number>()
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (let row = 0; row < values.length; row++) {
    if (rows !== null && rows[row] !== 1) continue
    const value = values[row]!
    if (SENTINELS.has(value)) counts.set(value, (counts.get(value) ?? 0) + 1)
    else if (value < low) low = value
    if (value > high && !SENTINELS.has(value)) high = value
  }
  if (!(low <= high)) return []
  const reach = Math.max(high - low, 1e-9 * Math.abs(high))
  return [...counts]
    .filter(([value]) => value < low - reach || value > high + reach || (value < 0 && low >= 0))
    .map(([value, count]) => ({ column: name, value: String(value), count }))
}

function suspiciousTexts(name: string, column: TextColumn, rows: Uint8Array | null): SuspiciousValue[] {
  const suspects = column.levels.map((level) => TEXTS.test(level.trim()))
  if (!suspects.includes(true)) return []
  const counts = new Map<number, number>()
  column.codes.forEach((code, row) => {
    if (code !== MISSING_CODE && suspects[code] === true && (rows === null || rows[row] === 1))
      counts.set(code, (counts.get(code) ?? 0) + 1)
  })
  return [...counts].map(([code, count]) => ({ column: name, value: column.levels[code]!, count }))
}

/** `warning: 40 values of age are -999, ...`, with the flag that makes them missing. */
export function suspicionSentence({ column, value, count }: SuspiciousValue): string {
  const shown = Number.isNaN(Number(value)) ? quote(value) : value
  const many = `${count.toLocaleString('en')} ${count === 1 ? 'value' : 'values'} of ${column} ${count === 1 ? 'is' : 'are'}`
  return `warning: ${many} ${shown}, which looks like a missing value: --na ${shellWord(`${column}=${value}`)} makes it one`
}

/** As one would type it in a shell. */
function shellWord(word: string): string {
  return /^[\w.,:=/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
