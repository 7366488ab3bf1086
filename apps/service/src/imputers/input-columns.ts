// Context values as a model's input columns: a number itself, a boolean 0 or 1, "town=north" 1 where the town is north, and a
// category by its bare name as text, alone in its input.

import type { Context, Feature } from '@primo/core'
import { refuseImputer as refuse } from './imputer-definition.js'

export interface InputColumns {
  readonly text: boolean
  readonly width: number
  /** One row of values. */
  readonly read: (context: Context) => readonly (number | string)[]
}

export function inputColumns(field: string, given: unknown, context: Readonly<Record<string, Feature>>): InputColumns {
  const names = typeof given === 'string' ? [given] : given
  if (!Array.isArray(names) || names.length === 0 || names.some((name) => typeof name !== 'string'))
    refuse(field, 'a column or a list of columns', given)
  const readers = (names as readonly string[]).map((name) => reader(field, name, context))
  const texts = readers.filter(({ text }) => text).length
  if (texts > 0 && readers.length > 1) refuse(field, 'one category as text, or columns of numbers', given)
  return {
    text: texts > 0,
    width: readers.length,
    read: (row) => readers.map(({ read }) => read(row)),
  }
}

function reader(
  field: string,
  column: string,
  context: Readonly<Record<string, Feature>>,
): { text: boolean; read: (row: Context) => number | string } {
  const whole = Object.hasOwn(context, column) ? context[column] : undefined
  if (whole?.type === 'category') return { text: true, read: (row) => String(row[column]) }
  if (whole !== undefined) return { text: false, read: (row) => Number(row[column]) }
  // Names have no "=", levels may.
  const at = column.indexOf('=')
  const name = column.slice(0, Math.max(0, at))
  const level = column.slice(at + 1)
  const feature = Object.hasOwn(context, name) ? context[name] : undefined
  const known = feature?.type === 'category' && (feature.levels.includes(level) || (feature.other && level === 'other'))
  if (feature?.type !== 'category' || !known) refuse(field, 'columns of the context, such as age or town=north', column)
  const isOther = (value: unknown) => !feature.levels.includes(value as string)
  return {
    text: false,
    read: (row) => (row[name] === level || (feature.other === true && level === 'other' && isOther(row[name])) ? 1 : 0),
  }
}
