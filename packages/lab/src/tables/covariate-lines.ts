// One line per covariate: how often it is seen, its range, and which codes were taken as missing.

import { formatNumber } from '../report/number-format.js'
import { extremes, levelsIn } from './encode-column.js'
import { type Column, MISSING_CODE, type Table } from './table.js'
import { missingWords } from './table-reading.js'
import { type CovariateTableSpec, covariateSpecs, type TableSpec } from './table-spec.js'

/** `income: seen in 80.0% of 1,200 rows, 1200 to 4800; missing: 240 "-999"`. */
export function covariateLines(table: Table, spec: TableSpec): readonly string[] {
  return covariateSpecs(spec).flatMap((one) => {
    const column = table.columns.get(one.covariate)
    return column === undefined ? [] : [lineOf(table, one, column)]
  })
}

function lineOf(table: Table, { covariate, observed }: CovariateTableSpec, column: Column): string {
  const flag = observed === undefined ? undefined : table.columns.get(observed)
  const seen = new Uint8Array(table.rows)
  let count = 0
  for (let row = 0; row < table.rows; row++) {
    const filled = column.kind === 'number' ? !Number.isNaN(column.values[row]) : column.codes[row] !== MISSING_CODE
    seen[row] = flag?.kind === 'number' ? flag.values[row]! : Number(filled)
    count += seen[row]!
  }
  const share = `${((100 * count) / table.rows).toFixed(1)}% of ${table.rows.toLocaleString('en')} rows`
  const codes = missingWords(table.reading?.missing.get(covariate))
  const missing = codes === '' ? '' : `; missing: ${codes}`
  return `${covariate}: seen in ${share}, ${rangeOf(column, seen)}${missing}`
}

function rangeOf(column: Column, seen: Uint8Array): string {
  if (column.kind === 'text') return `${levelsIn(column, seen).length} levels`
  const found = extremes(column.values, seen)
  if (found === null) return 'no values'
  return column.boolean === true ? 'true or false' : `${formatNumber(found.low)} to ${formatNumber(found.high)}`
}
