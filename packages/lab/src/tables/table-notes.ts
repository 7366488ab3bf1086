// What a reader of the results should know of a table, before anything is made of it.

import { columnWarnings } from './column-warnings.js'
import { covariateLines } from './covariate-lines.js'
import type { Table } from './table.js'
import { readingNotes } from './table-reading.js'
import { covariateNames, covariateSpecs, type TableSpec } from './table-spec.js'

/** How the file is written, what was taken as missing, and values that look wrong in the columns that the spec names. */
export function tableNotes(table: Table, spec: TableSpec): readonly string[] {
  const reading = table.reading === undefined ? [] : readingNotes(table.reading, covariateNames(spec))
  const all = covariateSpecs(spec).map(() => null)
  return [...reading, ...covariateLines(table, spec), ...columnWarnings(table, spec, all)]
}
