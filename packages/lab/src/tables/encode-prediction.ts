// The pre-trained predictions of a table in inside units, NaN where there is none. As in the library, a prediction that is
// not a value of the covariate (outside its range, an unknown level, probabilities that do not sum to 1) counts as none.

import type { CategoryFeature, Feature } from '@primo/core'
import { type ColumnWriter, categoryWriter, levelIndexes, levelsOf, numberColumn } from './encode-column.js'
import { MISSING_CODE, type NumberColumn, type Table, type TextColumn } from './table.js'
import { listNames, tableError } from './table-error.js'
import type { CovariateTableSpec } from './table-spec.js'
import { numberUnit } from './user-units.js'
import { predictionLevels } from './wanted-columns.js'

export interface EncodedPredictions {
  readonly writer: ColumnWriter
  /** Predictions that were given and count as none. */
  readonly refused: number
  /** One of them. */
  readonly example?: string
}

export function encodePredictions(table: Table, spec: CovariateTableSpec, feature: Feature): EncodedPredictions {
  const width = feature.type === 'category' ? levelsOf(feature).length : 1
  if (spec.prediction === undefined) return { writer: none(width), refused: 0 }
  if (feature.type !== 'category') {
    const [min, max] = feature.type === 'number' ? [feature.min, feature.max] : [0, 1]
    const toInside = feature.type === 'number' ? numberUnit(feature).toInside : (value: number) => value
    return numbers(numberColumn(table, spec.prediction).values, min, max, toInside)
  }
  const levels = predictionLevels(spec, table.header)
  if (levels.length > 0) return probabilities(table, spec.prediction, levels, feature)
  const column = table.columns.get(spec.prediction)!
  const texts = column.kind === 'text' ? column : asTexts(column, feature)
  const indexes = levelIndexes(texts, feature)
  let refused = 0
  let given = 0
  let first = -1
  texts.codes.forEach((code, row) => {
    if (code === MISSING_CODE) return
    given++
    if (indexes[code]! >= 0) return
    refused++
    if (first < 0) first = row
  })
  const example = first < 0 ? {} : { example: cellText(column, first) }
  if (column.kind === 'number' && refused > 0 && refused === given) {
    const { covariate, prediction } = spec
    const rule = `must be a level of ${covariate} (${listNames(levelsOf(feature))}), which is a category; probabilities go in columns "${prediction}=level"`
    const place = { ...table.place(first), column: prediction, value: cellText(column, first) }
    throw tableError('table-wrong-type', table.file, rule, place)
  }
  return { writer: categoryWriter(texts, feature), refused, ...example }
}

function none(width: number): ColumnWriter {
  return (picked, out, stride, at) => {
    for (let k = 0; k < picked.length; k++) out.fill(Number.NaN, k * stride + at, k * stride + at + width)
  }
}

function numbers(values: Float64Array, min: number, max: number, toInside: (value: number) => number) {
  let refused = 0
  for (const value of values) if (value < min || value > max) refused++
  const writer: ColumnWriter = (picked, out, stride, at) => {
    for (let k = 0; k < picked.length; k++) {
      const value = values[picked[k]!]!
      out[k * stride + at] = value >= min && value <= max ? toInside(value) : Number.NaN
    }
  }
  return { writer, refused }
}

function cellText(column: NumberColumn | TextColumn, row: number): string {
  if (column.kind === 'text') return column.levels[column.codes[row]!]!
  const value = column.values[row]!
  return String(column.boolean === true ? value === 1 : value)
}

/** Numbers that name levels of a category ("1", "2", "true"); any other is the empty text, which is no level. */
function asTexts(column: NumberColumn, feature: CategoryFeature): TextColumn {
  const levels = [...feature.levels, '']
  // How true and false were written in the cells is not kept.
  const nameOf = (level: string) => (column.boolean === true ? level.toLowerCase() : level)
  const known = new Map(feature.levels.map((level, code) => [nameOf(level), code]))
  const codes = Uint16Array.from(column.values, (value, row) =>
    Number.isNaN(value) ? MISSING_CODE : (known.get(cellText(column, row)) ?? feature.levels.length),
  )
  return { kind: 'text', codes, levels, first: null }
}

function probabilities(
  table: Table,
  prediction: string,
  given: readonly string[],
  feature: CategoryFeature,
): EncodedPredictions {
  const levels = levelsOf(feature)
  const width = levels.length
  const columns = levels.map((level) =>
    given.includes(level) ? numberColumn(table, `${prediction}=${level}`).values : null,
  )
  const row = new Float64Array(width)
  /** Reads a row; false: no prediction, or none that can be used. */
  const read = (at: number): boolean => {
    let total = 0
    let filled = false
    for (let k = 0; k < width; k++) {
      const value = columns[k]?.[at] ?? Number.NaN
      if (!Number.isNaN(value)) filled = true
      row[k] = Number.isNaN(value) ? 0 : value
      total += row[k]!
      if (row[k]! < 0 || row[k]! > 1 + 1e-9) return false
    }
    if (!filled || Math.abs(total - 1) > 1e-3) return false
    if (Math.abs(total - 1) > 1e-9) for (let k = 0; k < width; k++) row[k] = row[k]! / total
    return true
  }
  let refused = 0
  for (let at = 0; at < table.rows; at++) {
    if (!read(at) && columns.some((column) => column !== null && !Number.isNaN(column[at]))) refused++
  }
  return {
    refused,
    writer: (picked, out, stride, to) => {
      for (let k = 0; k < picked.length; k++) {
        const usable = read(picked[k]!)
        for (let level = 0; level < width; level++) out[k * stride + to + level] = usable ? row[level]! : Number.NaN
      }
    },
  }
}
