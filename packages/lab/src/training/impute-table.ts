// Completed tables: where a covariate is missing, a draw from what its model predicts (a number: prediction + sd times a quantile of held-out
// errors, kept in its range; true or a level by its probability). Covariates are drawn in the order of the file, and a model that takes
// earlier ones is given what was observed or drawn of them. Draw d of row i is a function of (seed, d, covariate, i).

import type { ModelFile, TrainedModel } from '@primo/core'
import { compileScores, linkScores, spreadAt, trainedWidth, writeTrainedFeature } from '@primo/core/engine'
import { PrimoError, Random } from '@primo/numeric'
import { MISSING_CODE, type Table } from '../tables/table.js'

/** A covariate without gaps. */
export interface CompletedColumn {
  readonly name: string
  readonly values: Float64Array | readonly string[]
  /** Cells that were missing. */
  readonly filled: number
}

/** `draw` null: what the models predict (the mean, or the likeliest level); else the number of the draw. */
export function imputeTable(
  table: Table,
  { models, given = [] }: ModelFile,
  options: { readonly draw: number | null; readonly seed: number },
): readonly CompletedColumn[] {
  const done = new Map<string, CompletedColumn>()
  for (const served of models) {
    const model = given.find(({ covariate }) => covariate === served.covariate) ?? served
    done.set(served.covariate, complete(table, model, done, options))
  }
  return [...done.values()]
}

function complete(
  table: Table,
  model: TrainedModel,
  done: ReadonlyMap<string, CompletedColumn>,
  { draw, seed }: { readonly draw: number | null; readonly seed: number },
): CompletedColumn {
  const { covariate, target, features, columns } = model
  const readers = features.map((feature) => {
    const known = done.get(feature.name)
    const levels = feature.type === 'category' ? feature.levels : null
    return known === undefined ? cellReader(table, feature.name, levels) : completedReader(known, levels)
  })
  const own = cellReader(table, covariate, target.type === 'category' ? target.levels : null)
  const row = new Float64Array(trainedWidth(features, columns))
  const predictors = compileScores(model)
  const values = new Float64Array(predictors.length)
  const random = Random.fromSeed(seed).split('impute', draw ?? 0, covariate)
  const out = new Float64Array(table.rows)
  let filled = 0
  for (let i = 0; i < table.rows; i++) {
    // Drawn for every row, so that a draw does not depend on which others are missing.
    const u = random.uniform()
    out[i] = own(i)
    if (!Number.isNaN(out[i])) continue
    filled++
    let at = 0
    features.forEach((feature, k) => {
      at = writeTrainedFeature(feature, columns, readers[k]!(i), row, at)
    })
    predictors.forEach((predictor, k) => {
      values[k] = predictor.row(row, 0)
    })
    linkScores(model, values)
    out[i] = draw === null ? likeliest(model, values) : drawn(model, values, u)
  }
  if (target.type !== 'category') return { name: covariate, values: out, filled }
  return { name: covariate, values: Array.from(out, (level) => target.levels[level]!), filled }
}

function likeliest({ target }: TrainedModel, values: Float64Array): number {
  if (target.type === 'number') return values[0]!
  if (target.type === 'boolean') return values[0]! >= 0.5 ? 1 : 0
  return values.indexOf(values.reduce((most, p) => Math.max(most, p), 0))
}

function drawn(model: TrainedModel, values: Float64Array, u: number): number {
  const { target, spread } = model
  if (target.type === 'number') {
    const { quantiles } = spread!
    const error = quantiles[Math.floor(u * quantiles.length)]! * spreadAt(model, values[0]!)
    return Math.min(target.max, Math.max(target.min, values[0]! + error))
  }
  if (target.type === 'boolean') return u < values[0]! ? 1 : 0
  let sum = 0
  for (let k = 0; k < values.length; k++) {
    sum += values[k]!
    if (u < sum) return k
  }
  return values.length - 1
}

/** A cell as models count it; of a category the place among these levels. */
function cellReader(table: Table, name: string, levels: readonly string[] | null): (row: number) => number {
  const column = table.columns.get(name)
  if (column === undefined)
    throw new PrimoError('missing-feature', `${table.file} must have the column "${name}", and it has not`, { name })
  if (column.kind === 'number' && levels === null) return (row) => column.values[row]!
  if (column.kind === 'number' || levels === null)
    throw new PrimoError(
      'wrong-type',
      `${table.file}: column "${name}" must hold ${levels === null ? 'numbers' : 'texts'}, as it did when the model was trained`,
      { name },
    )
  const place = column.levels.map((level) => levels.indexOf(level))
  return (row) => {
    const code = column.codes[row]!
    const at = code === MISSING_CODE ? -1 : place[code]!
    return at < 0 ? Number.NaN : at
  }
}

function completedReader({ values }: CompletedColumn, levels: readonly string[] | null): (row: number) => number {
  if (values instanceof Float64Array) return (row) => values[row]!
  const place = new Map((levels ?? []).map((level, k) => [level, k]))
  return (row) => place.get(values[row]!) ?? Number.NaN
}
