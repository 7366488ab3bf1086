// Errors about a table: file, place and column first, then the rule and what was given.

import { type ErrorCode, PrimoError } from '@primo/numeric'
import type { Place } from './table.js'

/** Why a table was refused; kept in the error's facts. */
export type TableReason =
  | 'table-unreadable'
  | 'table-empty'
  | 'table-bad-header'
  | 'table-missing-column'
  | 'table-ragged-row'
  | 'table-wrong-type'
  | 'table-out-of-range'
  | 'table-missing-value'
  | 'table-unknown-level'
  | 'table-output'

// A table that is wrong is no wrong request: only what is said of the output is an option.
const codes: Readonly<Record<TableReason, ErrorCode>> = {
  'table-unreadable': 'wrong-type',
  'table-empty': 'shape-mismatch',
  'table-bad-header': 'shape-mismatch',
  'table-missing-column': 'missing-feature',
  'table-ragged-row': 'shape-mismatch',
  'table-wrong-type': 'wrong-type',
  'table-out-of-range': 'out-of-range',
  'table-missing-value': 'missing-feature',
  'table-unknown-level': 'unknown-level',
  'table-output': 'invalid-option',
}

export interface TableErrorOptions extends Place {
  readonly column?: string
  /** What was given; shown at the end of the sentence. */
  readonly value?: unknown
}

/** `data.csv, line 18 (row 17), column "x1": must be a number, got "abc"`. */
export function tableError(
  reason: TableReason,
  file: string,
  rule: string,
  options: TableErrorOptions = {},
): PrimoError {
  const { line, row, column, value } = options
  let where = file
  if (line !== undefined) where += row === undefined ? `, line ${line}` : `, line ${line} (row ${row})`
  else if (row !== undefined) where += `, row ${row}`
  if (column !== undefined) where += `, column ${quote(column)}`
  const given = 'value' in options ? `, got ${showCell(value)}` : ''
  return new PrimoError(codes[reason], `${where}: ${rule}${given}`, { reason, file, ...options })
}

export function showCell(value: unknown): string {
  if (value === '' || value === null || value === undefined) return 'an empty cell'
  if (typeof value === 'string') return quote(value)
  return typeof value === 'object' ? `a ${value.constructor?.name ?? 'value'}` : String(value)
}

export function quote(text: string): string {
  return `"${text.length > 60 ? `${text.slice(0, 57)}...` : text}"`
}

/** Names in a sentence, at most twenty of them. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 20).join(', ')
  return names.length > 20 ? `${shown} and ${names.length - 20} more` : shown || 'none'
}
