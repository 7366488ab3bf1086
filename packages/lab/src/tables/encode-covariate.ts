// The covariate of a table and its prediction. Kind and levels of the covariate are taken from the rows where it is observed
// (from the predictions if there is no such row), its range from both, never from a value that is present but flagged missing.

import { boolean, type CategoryFeature, category, type Feature, type NumberFeature, number } from '@primo/core'
import {
  type ColumnWriter,
  checkBooleans,
  checkFilled,
  checkLevels,
  checkWithin,
  columnWriter,
  type Extremes,
  extremes,
  joinExtremes,
  levelIndexes,
  levelsIn,
  numberColumn,
  rangeAround,
} from './encode-column.js'
import { encodePredictions } from './encode-prediction.js'
import { type Column, MISSING_CODE, type Table } from './table.js'
import { showCell, tableError } from './table-error.js'
import { type CovariateTableSpec, declaredFeature } from './table-spec.js'
import { predictionLevels } from './wanted-columns.js'

export interface EncodedCovariateColumn {
  readonly feature: Feature
  /** 1 where the covariate is observed. */
  readonly observed: Uint8Array
  readonly observedCount: number
  /** Rows, observed or not, that have a value of the covariate. */
  readonly knownCount: number
  readonly truth: ColumnWriter
  readonly pretrained: ColumnWriter
  /** Rows whose prediction was given but is not a value of the covariate. */
  readonly refusedPredictions: number
  readonly notes: readonly string[]
}

export function encodeCovariate(table: Table, spec: CovariateTableSpec): EncodedCovariateColumn {
  const name = spec.covariate
  const column = table.columns.get(name)!
  const observed = observedRows(table, spec, column)
  if (spec.observed !== undefined) checkFilled(table, name, column, `${spec.observed} is 1`, observed)
  const notes: string[] = []
  const feature = declaredFeature(spec, name) ?? inferFeature(table, spec, column, observed, notes)
  if (column.kind === 'text') {
    if (feature.type === 'category') checkLevels(table, name, column, feature, observed)
  } else if (feature.type === 'number') checkWithin(table, name, column.values, feature, observed)
  else checkBooleans(table, name, column.values, observed)
  const predictions = encodePredictions(table, spec, feature)
  const truth =
    column.kind === 'number' && feature.type === 'category' ? noValue(feature) : columnWriter(column, feature)
  const { observedCount, filled, known } = count(column, observed, feature)
  const hidden = filled - observedCount
  if (hidden > 0) notes.push(`${hidden} values of ${name} are present but flagged missing: no policy sees them`)
  if (predictions.refused > 0) {
    const example = predictions.example === undefined ? '' : `, such as ${showCell(predictions.example)}`
    notes.push(`${predictions.refused} predictions of ${name} are not possible values and count as missing${example}`)
  }
  return {
    feature,
    observed,
    observedCount,
    knownCount: known,
    truth,
    pretrained: predictions.writer,
    refusedPredictions: predictions.refused,
    notes,
  }
}

function observedRows(table: Table, spec: CovariateTableSpec, column: Column): Uint8Array {
  const observed = new Uint8Array(table.rows)
  if (spec.observed !== undefined) {
    const { values } = numberColumn(table, spec.observed)
    for (let row = 0; row < table.rows; row++) observed[row] = values[row]!
  } else {
    for (let row = 0; row < table.rows; row++) observed[row] = isFilled(column, row) ? 1 : 0
  }
  return observed
}

function isFilled(column: Column, row: number): boolean {
  return column.kind === 'number' ? !Number.isNaN(column.values[row]) : column.codes[row] !== MISSING_CODE
}

function count(column: Column, observed: Uint8Array, feature: Feature) {
  const indexes = column.kind === 'text' && feature.type === 'category' ? levelIndexes(column, feature) : null
  let observedCount = 0
  let filled = 0
  let known = 0
  for (let row = 0; row < observed.length; row++) {
    observedCount += observed[row]!
    if (!isFilled(column, row)) continue
    filled++
    if (column.kind === 'number' ? feature.type !== 'category' : indexes![column.codes[row]!]! >= 0) known++
  }
  return { observedCount, filled, known }
}

function inferFeature(
  table: Table,
  spec: CovariateTableSpec,
  column: Column,
  observed: Uint8Array,
  notes: string[],
): Feature {
  const prediction = spec.prediction === undefined ? undefined : table.columns.get(spec.prediction)
  const levels = predictionLevels(spec, table.header)
  const visible = column.kind === 'number' ? extremes(column.values, observed) : null
  // A covariate that is nowhere observed is of the kind of its predictions.
  const isText = column.kind === 'text' || levels.length > 0 || (visible === null && prediction?.kind === 'text')
  if (isText) return inferCategory(spec, column, observed, prediction, levels, notes)
  const isBoolean = visible === null ? isTrueOrFalse(prediction) : isTrueOrFalse(column)
  if (prediction?.kind === 'text') {
    const { first } = prediction
    const place = first === null ? {} : { ...table.place(first.row), value: first.text }
    const { covariate } = spec
    const rule = isBoolean
      ? `must be a probability, as ${covariate} is true or false`
      : `must be a number, as ${covariate} is`
    throw tableError('table-wrong-type', table.file, rule, { ...place, column: spec.prediction! })
  }
  if (isBoolean) {
    notes.push(`the covariate ${spec.covariate} is true or false: its prediction is the probability of true`)
    return boolean()
  }
  return inferNumber(spec, joinExtremes(visible, prediction === undefined ? null : extremes(prediction.values)), notes)
}

function isTrueOrFalse(column: Column | undefined): boolean {
  return column?.kind === 'number' && column.boolean === true
}

function inferCategory(
  spec: CovariateTableSpec,
  column: Column,
  observed: Uint8Array,
  prediction: Column | undefined,
  predicted: readonly string[],
  notes: string[],
): CategoryFeature {
  const levels = new Set(predicted)
  if (column.kind === 'text') for (const level of levelsIn(column, observed)) levels.add(level)
  // A prediction that nobody has observed is no level, unless there is nothing else to go by.
  if (levels.size === 0 && prediction?.kind === 'text') for (const level of levelsIn(prediction)) levels.add(level)
  const sorted = [...levels].sort()
  notes.push(`the covariate ${spec.covariate} is a category of ${sorted.length} levels`)
  return category(sorted.length > 0 ? sorted : ['none'])
}

function inferNumber(spec: CovariateTableSpec, found: Extremes | null, notes: string[]): NumberFeature {
  if (found === null) {
    notes.push(`${spec.covariate} is never observed or predicted: its range is taken as -1 to 1`)
    return number({ min: -1, max: 1 })
  }
  const { low, high } = rangeAround(found)
  const widened = found.low === found.high ? ' (constant: range widened)' : ''
  const from = spec.prediction === undefined ? 'observed values' : 'observed values and predictions'
  notes.push(`range of ${spec.covariate} taken from its ${from}: ${low} to ${high}${widened}`)
  return number({ min: low, max: high })
}

/** Numbers in cells that nobody sees, where the covariate is a category. */
function noValue(feature: CategoryFeature): ColumnWriter {
  const width = feature.levels.length + (feature.other === true ? 1 : 0)
  return (picked, out, stride, at) => {
    for (let k = 0; k < picked.length; k++) out.fill(Number.NaN, k * stride + at, k * stride + at + width)
  }
}
