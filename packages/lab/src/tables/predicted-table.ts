// Predictions made for a table's rows, as if they had stood in it: the contexts go out to a model, what it says comes back as a
// column (for a category one column of probabilities per level).

import type { Context, Feature, Prediction } from '@primo/core'
import { readUncertain } from '@primo/core/engine'
import { encodeContext } from './encode-context.js'
import { encodeCovariate } from './encode-covariate.js'
import { type Column, MISSING_CODE, type Table } from './table.js'
import { tableError } from './table-error.js'
import { type CovariateTableSpec, checkTableSpec } from './table-spec.js'

/** The contexts of a table's rows, as a model is asked about them. */
export interface TableInputs {
  readonly context: Readonly<Record<string, Feature>>
  readonly covariate: Feature
  readonly rows: readonly Context[]
}

/** What a model is shown of a table that has no predictions yet. */
export function tableInputs(table: Table, spec: CovariateTableSpec): TableInputs {
  checkTableSpec(spec)
  const { features } = encodeContext(table, spec)
  const { feature } = encodeCovariate(table, spec)
  const readers = Object.keys(features).map(
    (name) => [name, cellReader(table.columns.get(name)!, features[name]!)] as const,
  )
  return {
    context: features,
    covariate: feature,
    rows: Array.from({ length: table.rows }, (_, row) =>
      Object.fromEntries(readers.map(([name, read]) => [name, read(row)])),
    ),
  }
}

/** Reads the cells of a column as values of its feature. */
export function cellReader(column: Column, feature: Feature): (row: number) => number | boolean | string {
  if (column.kind === 'text')
    return (row) => (column.codes[row] === MISSING_CODE ? '' : column.levels[column.codes[row]!]!)
  const { values } = column
  if (feature.type === 'boolean') return (row) => values[row] === 1
  if (feature.type === 'category') return (row) => String(values[row])
  return (row) => values[row]!
}

/** Of a prediction that may say how sure it is. */
function valueIn(prediction: Prediction): number {
  const read = readUncertain(prediction)
  return typeof read === 'string' ? Number.NaN : read.value
}

/** The table with one prediction per row (null: none) in a column of this name. */
export function withPredictions(
  table: Table,
  name: string,
  covariate: Feature,
  predictions: readonly (Prediction | null)[],
): Table {
  if (table.header.includes(name))
    throw tableError('table-bad-header', table.file, 'must be free for the predictions', { column: name })
  const numbers = (cell: (prediction: Prediction) => number): Column => ({
    kind: 'number',
    values: Float64Array.from(predictions, (prediction) => (prediction === null ? Number.NaN : cell(prediction))),
  })
  const added: [string, Column][] =
    covariate.type === 'category'
      ? covariate.levels.map((level) => [
          `${name}=${level}`,
          numbers((prediction) =>
            typeof prediction === 'object'
              ? ((prediction as Readonly<Record<string, number>>)[level] ?? 0)
              : prediction === level
                ? 1
                : 0,
          ),
        ])
      : [[name, numbers(covariate.type === 'number' ? valueIn : Number)]]
  return {
    ...table,
    header: [...table.header, ...added.map(([column]) => column)],
    columns: new Map([...table.columns, ...added]),
  }
}
