// A table in which every row is one decision, as a decision log: the spec says which column is what.

import type { Feature } from '@primo/core'
import { extremes, levelsIn, rangeAround } from '../tables/encode-column.js'
import { encodeContext } from '../tables/encode-context.js'
import { encodeCovariate } from '../tables/encode-covariate.js'
import { encodePredictions } from '../tables/encode-prediction.js'
import { cellReader } from '../tables/predicted-table.js'
import { readTable } from '../tables/read-table.js'
import type { NumberColumn, Table, TextColumn } from '../tables/table.js'
import { tableError } from '../tables/table-error.js'
import { checkTableSpec, covariateSpecs, type TableSpec } from '../tables/table-spec.js'
import { type LogCell, type LogRow, predictionColumns } from './log-columns.js'
import { type LogHeader, logHeader } from './log-header.js'
import type { LogFile } from './read-log.js'
import { timeCell } from './time-cell.js'

/** A table as a decision log. */
export type TableLog = Pick<LogFile, 'header' | 'rows'> & { readonly table: Table }

/** Reads a table of decisions as a decision log. */
export async function importLog(file: string, spec: TableSpec): Promise<TableLog> {
  checkTableSpec(spec)
  for (const role of ['action', 'reward'] as const)
    if (spec[role] === undefined)
      throw tableError(
        'table-missing-column',
        file,
        `the spec has no "${role}": add the column, such as "${role}": "..."`,
      )
  return tableLog(await readTable(file, spec), spec)
}

type Cells = (row: number) => LogCell

/** A table that was read with this spec, as a decision log. */
export function tableLog(table: Table, spec: TableSpec): TableLog {
  const { file, rows } = table
  const action = table.columns.get(spec.action!) as TextColumn
  const reward = table.columns.get(spec.reward!) as NumberColumn
  const context = encodeContext(table, spec).features
  const encoded = covariateSpecs(spec).map((one) => ({ ...one, ...encodeCovariate(table, one) }))
  const header = logHeader({
    actions: spec.actions ?? levelsIn(action),
    context,
    covariates: Object.fromEntries(encoded.map(({ covariate, feature }) => [covariate, feature])),
    reward: rewardRange(table, spec, reward),
  })
  const key = (name: string | undefined): Cells => {
    const cells = name === undefined ? undefined : table.keys?.get(name)
    return (row) => cells?.[row] ?? null
  }
  const ids = key(spec.decisionId)
  const times = key(spec.time)
  const actionOf = (row: number) => action.levels[action.codes[row]!] ?? missing(table, spec.action!, row)
  const columns: Record<string, Cells> = {
    decisionId: (row) => ids(row) ?? String(row + 1),
    eventId: key(spec.eventId),
    subject: key(spec.subject),
    time: (row) => (spec.time === undefined ? null : timeOf(file, spec.time, times(row), row)),
    action: actionOf,
    propensity: propensityOf(table, spec, header, actionOf),
    propensities: (row) => listOf(table, spec.propensities, key(spec.propensities)(row), row),
    eligible: (row) => listOf(table, spec.eligible, key(spec.eligible)(row), row),
    reward: (row) => numberOrNull(reward.values[row]!),
    rewardStatus: (row) => (Number.isNaN(reward.values[row]) ? 'dropped' : 'closed'),
  }
  for (const [name, feature] of Object.entries(context))
    columns[`context.${name}`] = cellReader(table.columns.get(name)!, feature)
  for (const { covariate, prediction, observed, feature, ...one } of encoded) {
    const value = cellReader(table.columns.get(covariate)!, feature)
    columns[`covariate.${covariate}`] = (row) => (observed[row] === 1 ? value(row) : null)
    if (prediction !== undefined)
      Object.assign(columns, predicted(table, { ...one, ...spec, covariate, prediction }, feature))
  }
  return {
    table,
    header,
    rows: async function* () {
      const cells = Object.entries(columns)
      for (let row = 0; row < rows; row++)
        yield Object.fromEntries(cells.map(([name, cell]) => [name, cell(row)])) as LogRow
    },
  }
}

function predicted(table: Table, spec: TableSpec & { covariate: string; prediction: string }, feature: Feature) {
  const names = predictionColumns('pretrained', spec.covariate, feature)
  const only = feature.type === 'category' ? undefined : table.columns.get(spec.prediction)
  if (only?.kind === 'number') return { [names[0]!]: (row: number) => numberOrNull(only.values[row]!) }
  const { writer } = encodePredictions(table, spec, feature)
  const out = new Float64Array(names.length)
  const cellOf = (k: number) => (row: number) => {
    writer(Uint32Array.of(row), out, names.length, 0)
    return numberOrNull(out[k]!)
  }
  return Object.fromEntries(names.map((name, k) => [name, cellOf(k)]))
}

function rewardRange(table: Table, { rewardRange: given, reward: name }: TableSpec, { values }: NumberColumn) {
  if (given !== undefined) return { min: given[0], max: given[1] }
  const found = extremes(values)
  if (found === null) throw tableError('table-empty', table.file, 'must have a value in some row', { column: name! })
  const { low, high } = found.low === found.high ? { low: found.low, high: found.low + 1 } : rangeAround(found)
  return { min: low, max: high }
}

function propensityOf(
  table: Table,
  { propensity, action: column }: TableSpec,
  { actions }: LogHeader,
  actionOf: (row: number) => string,
): Cells {
  if (propensity === undefined) return () => null
  if (typeof propensity === 'string') {
    const { values } = table.columns.get(propensity) as NumberColumn
    return (row) => numberOrNull(values[row]!)
  }
  if ('uniform' in propensity) return () => 1 / actions.length
  return (row) => {
    const value = propensity.of[actionOf(row)]
    if (value !== undefined) return value
    const place = { ...table.place(row), column: column!, value: actionOf(row) }
    throw tableError('table-wrong-type', table.file, 'must be an action with a propensity', place)
  }
}

function missing(table: Table, column: string, row: number): never {
  const place = { ...table.place(row), column, value: '' }
  throw tableError('table-missing-value', table.file, 'must have a value (the action that was played)', place)
}

const numberOrNull = (value: number) => (Number.isNaN(value) ? null : value)

function timeOf(file: string, column: string, cell: LogCell, row: number): LogCell {
  const number = typeof cell === 'string' && /^-?\d+$/.test(cell) ? Number(cell) : cell
  return timeCell(file, column, number, row + 1)
}

function listOf(table: Table, column: string | undefined, cell: LogCell, row: number): LogCell {
  if (column === undefined || typeof cell !== 'string') return null
  try {
    return JSON.parse(cell) as LogCell
  } catch {
    throw tableError('table-wrong-type', table.file, 'must be a JSON list', {
      ...table.place(row),
      column,
      value: cell,
    })
  }
}
