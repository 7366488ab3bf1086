// A table without the values that its flags hide: for whoever reads covariates and not flags.

import { numberColumn } from './encode-column.js'
import { type Column, MISSING_CODE, type Table } from './table.js'
import { covariateSpecs, type TableSpec } from './table-spec.js'

/** The same table, with covariates missing wherever their flag is 0. */
export function hideUnseen(table: Table, spec: TableSpec): Table {
  const columns = new Map(table.columns)
  for (const { covariate, observed } of covariateSpecs(spec)) {
    if (observed === undefined) continue
    const { values: flags } = numberColumn(table, observed)
    const column: Column = table.columns.get(covariate)!
    columns.set(
      covariate,
      column.kind === 'number'
        ? { ...column, values: column.values.map((value, row) => (flags[row] === 1 ? value : Number.NaN)) }
        : { ...column, codes: column.codes.map((code, row) => (flags[row] === 1 ? code : MISSING_CODE)) },
    )
  }
  return { ...table, columns }
}
