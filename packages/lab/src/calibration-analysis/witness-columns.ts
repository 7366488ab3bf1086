// Columns of a table as witnesses (method#missing-set): numbers and booleans as they are, a category as an indicator of each level but
// the first.

import type { Witness } from '@primo/core/engine'
import { PrimoError } from '@primo/numeric'
import { type Column, MISSING_CODE, type Table } from '../tables/table.js'
import type { WitnessColumn } from '../tables/table-spec.js'

const MOST_LEVELS = 12

/** The witnesses of one column, on the rows that are kept. */
export function witnessesOf(table: Table, { column, within }: WitnessColumn, kept: Uint32Array): readonly Witness[] {
  const group = within === undefined ? null : groupOf(within, table.columns.get(within)!, kept)
  const found = table.columns.get(column)!
  const witness = (values: Float64Array): Witness => ({
    name: nameOf({ column, within }),
    values,
    group,
    weights: null,
  })
  if (found.kind === 'number') return [witness(Float64Array.from(kept, (row) => found.values[row]!))]
  if (found.levels.length > MOST_LEVELS)
    refuse(column, `a number, a boolean or a category of at most ${MOST_LEVELS} levels`)
  return found.levels.slice(1).map((_, k) =>
    witness(
      Float64Array.from(kept, (row) => {
        const code = found.codes[row]!
        return code === MISSING_CODE ? Number.NaN : code === k + 1 ? 1 : 0
      }),
    ),
  )
}

export function nameOf({ column, within }: { readonly column: string; readonly within: string | undefined }): string {
  return within === undefined ? column : `${column} by ${within}`
}

function groupOf(name: string, column: Column, kept: Uint32Array): Witness['group'] {
  if (column.kind === 'text') {
    if (column.levels.length > MOST_LEVELS) refuse(name, `a column of at most ${MOST_LEVELS} values to compare within`)
    return { of: Uint16Array.from(kept, (row) => column.codes[row]!), count: column.levels.length }
  }
  const values = [...new Set(column.values)].filter((value) => !Number.isNaN(value))
  if (values.length > MOST_LEVELS) refuse(name, `a column of at most ${MOST_LEVELS} values to compare within`)
  return { of: Int16Array.from(kept, (row) => values.indexOf(column.values[row]!)), count: values.length }
}

function refuse(value: string, rule: string): never {
  throw new PrimoError('invalid-option', `witness must be ${rule}, got "${value}"`, { field: 'witness', value })
}
