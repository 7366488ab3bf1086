// The rows of a table where the covariate was seen, as a model is trained on them: features with their levels and scales (taken from these
// rows alone), a cell of each as a number, and the target.

import type { Feature, TrainedFeature, TrainedModel, TrainedTarget } from '@primo/core'
import { trainedWidth, writeTrainedFeature } from '@primo/core/engine'
import { PrimoError } from '@primo/numeric'
import { type Column, MISSING_CODE, type Table } from '../tables/table.js'

/** A feature and its cells: a number, 0 or 1, or the index of a level; NaN: missing. */
export interface TrainingFeature {
  readonly feature: TrainedFeature
  readonly cell: (row: number) => number
}

/** What a model is trained on. */
export interface TrainingRows {
  /** Rows of the table where the covariate was seen. */
  readonly rows: Uint32Array
  readonly features: readonly TrainingFeature[]
  readonly target: TrainedTarget
  /** A number, 0 or 1, or the index of a level, per row. */
  readonly truths: Float64Array
}

/** Fewer rows than this say too little. */
const FEWEST_ROWS = 20

export interface TrainingColumns {
  readonly covariate: string
  readonly features: readonly string[]
  /** 1 where the covariate counts as seen; null: where its cell is filled. */
  readonly observed: Uint8Array | null
  readonly declared: Readonly<Record<string, Feature>>
}

export function trainingRows(table: Table, given: TrainingColumns): TrainingRows {
  const { covariate, observed, declared } = given
  const column = columnOf(table, covariate)
  const read = reader(column)
  const kept: number[] = []
  for (let row = 0; row < table.rows; row++)
    if ((observed === null || observed[row] === 1) && !Number.isNaN(read(row))) kept.push(row)
  if (kept.length < FEWEST_ROWS)
    throw new PrimoError(
      'degenerate-rows',
      `${covariate} must be observed in at least ${FEWEST_ROWS} rows to train a model of it, got ${kept.length}`,
      { covariate, rows: kept.length },
    )
  const rows = Uint32Array.from(kept)
  const found = featureOf(covariate, column, rows, declared)
  const target = targetOf(found.feature)
  const truths = Float64Array.from(rows, found.cell)
  if (truths.every((truth) => truth === truths[0]))
    throw new PrimoError('degenerate-rows', `${covariate} must vary to be predicted, got one value in every row`, {
      covariate,
    })
  const features = given.features.map((name) => featureOf(name, columnOf(table, name), rows, declared))
  return { rows, features, target, truths }
}

function columnOf(table: Table, name: string): Column {
  const column = table.columns.get(name)
  if (column === undefined)
    throw new PrimoError('missing-feature', `${table.file} must have the column "${name}", and it has not`, { name })
  return column
}

function reader(column: Column): (row: number) => number {
  if (column.kind === 'number') return (row) => column.values[row]!
  return (row) => (column.codes[row] === MISSING_CODE ? Number.NaN : column.codes[row]!)
}

function featureOf(
  name: string,
  column: Column,
  rows: Uint32Array,
  declared: Readonly<Record<string, Feature>>,
): TrainingFeature {
  const read = reader(column)
  let missing = false
  if (column.kind === 'text') {
    const seen = new Set<number>()
    for (const row of rows) if (!Number.isNaN(read(row))) seen.add(read(row))
    const own = declared[name]
    const levels = own?.type === 'category' ? own.levels : [...seen].map((code) => column.levels[code]!).sort()
    const place = column.levels.map((level) => {
      const at = levels.indexOf(level)
      return at < 0 ? Number.NaN : at
    })
    return { feature: { name, type: 'category', levels }, cell: (row) => place[column.codes[row]!] ?? Number.NaN }
  }
  let [count, sum, square, min, max] = [0, 0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const row of rows) {
    const value = read(row)
    if (Number.isNaN(value)) {
      missing = true
      continue
    }
    count++
    const before = value - (count === 1 ? 0 : sum)
    sum += before / count
    square += before * (value - sum)
    min = Math.min(min, value)
    max = Math.max(max, value)
  }
  if (column.boolean === true || declared[name]?.type === 'boolean')
    return { feature: { name, type: 'boolean', missing }, cell: read }
  const scale = count > 1 && square > 0 ? Math.sqrt(square / count) : 1
  const range = count === 0 ? { min: 0, max: 0 } : { min, max }
  return { feature: { name, type: 'number', centre: sum, scale, ...range, missing }, cell: read }
}

function targetOf(feature: TrainedFeature): TrainedTarget {
  if (feature.type === 'category') return { type: 'category', levels: feature.levels }
  return feature.type === 'boolean' ? { type: 'boolean' } : { type: 'number', min: feature.min, max: feature.max }
}

/** The columns of these rows of the table, row-major. */
export function trainingInputs(
  features: readonly TrainingFeature[],
  columns: TrainedModel['columns'],
  rows: Uint32Array,
): Float64Array {
  const list = features.map(({ feature }) => feature)
  const width = trainedWidth(list, columns)
  const out = new Float64Array(rows.length * width)
  let first = 0
  for (const { feature, cell } of features) {
    for (let i = 0; i < rows.length; i++) writeTrainedFeature(feature, columns, cell(rows[i]!), out, i * width + first)
    first += trainedWidth([feature], columns)
  }
  return out
}
