// What a reader of the results should know of the columns that were taken as they stand: values that look missing, categories that
// are almost numbers, numbers that may be codes.

import { type SuspiciousValue, suspicionSentence, suspiciousValues } from './suspicious-values.js'
import type { NumberColumn, Table, TextColumn } from './table.js'
import { quote } from './table-error.js'
import { covariateNames, declaredFeature, type TableSpec } from './table-spec.js'

/** From this share of numbers on, a category is one by mistake as likely as not. */
const MANY_NUMBERS = 0.5
/** A column of numbers with at most this many different whole ones may be one of codes. */
const MAX_CODES = 12
const FEWEST_ROWS = 30

/** Per covariate the rows that are not hidden; null: all. */
type Seen = readonly (Uint8Array | null)[]

function suspiciousColumns(table: Table, spec: TableSpec, seen: Seen): SuspiciousValue[] {
  const named = new Set([...spec.context, ...(spec.rewards ?? [])])
  return [
    ...covariateNames(spec).flatMap((name, k) => suspiciousValues(name, table.columns.get(name)!, seen[k])),
    ...[...table.columns].flatMap(([name, column]) => (named.has(name) ? suspiciousValues(name, column) : [])),
  ].filter(({ column, value }) => !isDeclared(spec, column, value))
}

function isDeclared(spec: TableSpec, column: string, value: string): boolean {
  const feature = declaredFeature(spec, column)
  return feature?.type === 'category' ? feature.levels.includes(value) : feature?.type === 'number'
}

export function columnWarnings(table: Table, spec: TableSpec, seen: Seen): readonly string[] {
  const inputs = [...covariateNames(spec), ...spec.context].flatMap((name) => {
    const column = table.columns.get(name)
    return column === undefined || declaredFeature(spec, name) !== undefined ? [] : [{ name, column }]
  })
  const categories = inputs.flatMap(({ name, column }) =>
    column.kind === 'text' ? almostNumbers(name, column, table.rows) : [],
  )
  const codes = inputs.flatMap(({ name, column }) =>
    column.kind === 'number' && column.boolean !== true ? maybeCodes(name, column) : [],
  )
  const names = codes.map(({ name }) => name).join(',')
  return [
    ...suspiciousColumns(table, spec, seen).map(suspicionSentence),
    ...categories,
    ...(codes.length === 0
      ? []
      : [`taken as numbers: ${codes.map(({ why }) => why).join('; ')}; --categories ${names} takes them as codes`]),
  ]
}

function almostNumbers(name: string, { numberLike = 0, first, levels }: TextColumn, rows: number): readonly string[] {
  if (first === null || numberLike < MANY_NUMBERS * rows) return []
  const text = quote(first.text)
  return [
    `warning: ${name} is taken as a category of ${levels.length} levels because of ${text}, though ${numberLike.toLocaleString('en')} of its values are numbers: if ${text} means missing, add --na ${name}=${first.text}`,
  ]
}

function maybeCodes(name: string, { values, leadingZeros = 0 }: NumberColumn): { name: string; why: string }[] {
  if (leadingZeros > 0) return [{ name, why: `${name} (has values with zeros in front)` }]
  if (values.length < FEWEST_ROWS) return []
  const different = new Set<number>()
  for (const value of values) {
    if (Number.isNaN(value)) continue
    if (!Number.isInteger(value)) return []
    different.add(value)
    if (different.size > MAX_CODES) return []
  }
  if (different.size < 3) return []
  return [{ name, why: `${name} (only ${[...different].sort((a, b) => a - b).join(', ')})` }]
}
