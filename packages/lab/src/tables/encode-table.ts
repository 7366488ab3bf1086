// A table in inside units: what both the replay and the calibration read.

import type { Feature, Problem } from '@primo/core'
import { type Encoding, encodingOf } from '@primo/core/engine'
import { columnWarnings } from './column-warnings.js'
import { covariateLines } from './covariate-lines.js'
import { encodeContext } from './encode-context.js'
import { encodeCovariate } from './encode-covariate.js'
import type { Table } from './table.js'
import { readingNotes } from './table-reading.js'
import { checkTableSpec, covariateNames, covariateSpecs, type TableSpec } from './table-spec.js'

/** Columns of the picked rows, row-major, inside units. */
interface EncodedRows {
  readonly context: Float64Array
  /** NaN where the table has no value; where `observed` is 0 only for the reporting of errors. */
  readonly truth: Float64Array
  /** Per row and covariate. */
  readonly observed: Uint8Array
  readonly pretrained: Float64Array
}

export interface EncodedTable {
  readonly table: Table
  readonly context: Readonly<Record<string, Feature>>
  readonly covariates: Problem['covariates']
  readonly encoding: Encoding
  /** Of the first covariate. */
  readonly observedCount: number
  /** Rows that have a value of every covariate, observed or not: at most as many. */
  readonly knownCount: number
  readonly refusedPredictions: number
  /** What is not observed and has no column of predictions. */
  readonly unpredicted: readonly { readonly covariate: string; readonly missing: number }[]
  readonly notes: readonly string[]
  readonly rowsOf: (picked: Uint32Array) => EncodedRows
}

export function encodeTable(table: Table, spec: TableSpec): EncodedTable {
  checkTableSpec(spec)
  const context = encodeContext(table, spec)
  const specs = covariateSpecs(spec)
  const encoded = specs.map((one) => encodeCovariate(table, one))
  const covariates = Object.fromEntries(
    specs.map(({ covariate }, k) => [covariate, { ...encoded[k]!.feature, imputer: { kind: 'column' as const } }]),
  )
  // Actions and rewards play no part in the encoding.
  const encoding = encodingOf({ context: context.features, covariates, actions: ['none'], reward: { min: 0, max: 1 } })
  const { contextWidth, covariateWidth } = encoding
  return {
    table,
    context: context.features,
    covariates,
    encoding,
    observedCount: encoded[0]!.observedCount,
    knownCount: Math.min(...encoded.map(({ knownCount }) => knownCount)),
    refusedPredictions: encoded.reduce((sum, { refusedPredictions }) => sum + refusedPredictions, 0),
    unpredicted: specs.flatMap(({ covariate, prediction }, k) => {
      const missing = table.rows - encoded[k]!.observedCount
      return prediction === undefined && missing > 0 ? [{ covariate, missing }] : []
    }),
    notes: [
      ...(table.reading === undefined ? [] : readingNotes(table.reading, covariateNames(spec))),
      ...covariateLines(table, spec),
      ...context.notes,
      ...encoded.flatMap(({ notes }) => notes),
      ...columnWarnings(
        table,
        spec,
        specs.map(({ observed }, k) => (observed === undefined ? null : encoded[k]!.observed)),
      ),
    ],
    rowsOf: (picked) => {
      const rows: EncodedRows = {
        context: new Float64Array(picked.length * contextWidth),
        truth: new Float64Array(picked.length * covariateWidth),
        observed: new Uint8Array(picked.length * encoded.length),
        pretrained: new Float64Array(picked.length * covariateWidth),
      }
      encoding.context.forEach(({ at }, k) => {
        context.writers[k]!(picked, rows.context, contextWidth, at)
      })
      encoding.covariates.forEach(({ at }, k) => {
        const { observed, truth, pretrained } = encoded[k]!
        for (let row = 0; row < picked.length; row++) rows.observed[row * encoded.length + k] = observed[picked[row]!]!
        truth(picked, rows.truth, covariateWidth, at)
        pretrained(picked, rows.pretrained, covariateWidth, at)
      })
      return rows
    },
  }
}
