// A table in inside units: what both the replay and the calibration read.

import type { Feature, Problem } from '@primo/core'
import { type Encoding, encodingOf } from '@primo/core/engine'
import { columnWarnings } from './column-warnings.js'
import { encodeContext } from './encode-context.js'
import { encodeCovariate } from './encode-covariate.js'
import type { Table } from './table.js'
import { readingNotes } from './table-reading.js'
import { checkTableSpec, type TableSpec } from './table-spec.js'

/** Columns of the picked rows, row-major, inside units. */
interface EncodedRows {
  readonly context: Float64Array
  /** NaN where the table has no value; where `observed` is 0 only for the reporting of errors. */
  readonly truth: Float64Array
  readonly observed: Uint8Array
  readonly pretrained: Float64Array
}

export interface EncodedTable {
  readonly table: Table
  readonly context: Readonly<Record<string, Feature>>
  readonly covariates: Problem['covariates']
  readonly encoding: Encoding
  readonly observedCount: number
  /** Rows that have a value of the covariate, observed or not. */
  readonly knownCount: number
  readonly refusedPredictions: number
  readonly notes: readonly string[]
  readonly rowsOf: (picked: Uint32Array) => EncodedRows
}

export function encodeTable(table: Table, spec: TableSpec): EncodedTable {
  checkTableSpec(spec)
  const context = encodeContext(table, spec)
  const covariate = encodeCovariate(table, spec)
  const covariates = { [spec.covariate]: { ...covariate.feature, imputer: { kind: 'column' as const } } }
  // Actions and rewards play no part in the encoding.
  const encoding = encodingOf({ context: context.features, covariates, actions: ['none'], reward: { min: 0, max: 1 } })
  const { contextWidth, covariateWidth } = encoding
  return {
    table,
    context: context.features,
    covariates,
    encoding,
    observedCount: covariate.observedCount,
    knownCount: covariate.knownCount,
    refusedPredictions: covariate.refusedPredictions,
    notes: [
      ...(table.reading === undefined ? [] : readingNotes(table.reading)),
      ...context.notes,
      ...covariate.notes,
      ...columnWarnings(table, spec, spec.observed === undefined ? null : covariate.observed),
    ],
    rowsOf: (picked) => {
      const rows: EncodedRows = {
        context: new Float64Array(picked.length * contextWidth),
        truth: new Float64Array(picked.length * covariateWidth),
        observed: Uint8Array.from(picked, (row) => covariate.observed[row]!),
        pretrained: new Float64Array(picked.length * covariateWidth),
      }
      encoding.context.forEach(({ at }, k) => {
        context.writers[k]!(picked, rows.context, contextWidth, at)
      })
      covariate.truth(picked, rows.truth, covariateWidth, 0)
      covariate.pretrained(picked, rows.pretrained, covariateWidth, 0)
      return rows
    },
  }
}
