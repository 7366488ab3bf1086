// A model in the shadow: its predictions of truths that came after it was trained, beside those of the model in use, which are in the log.
// It is better where the mean difference of losses lies below 0 by more than 1.645 standard errors (5% false alarms, one-sided).

import type { Prediction, TrainedModel } from '@primo/core'
import { compileScores, linkScores, readUncertain } from '@primo/core/engine'
import type { Table } from '../tables/table.js'
import { lossOf } from './cross-validate.js'
import { trainingInputs, trainingRows } from './training-rows.js'

/** How a model in the shadow compares with the one in use. */
export interface Judgement {
  /** Later truths of which both spoke. */
  readonly truths: number
  /** Root mean squared error of numbers, mean log loss else. */
  readonly error: number
  readonly servingError: number
  /** Mean loss less the serving model's, and its standard error. */
  readonly difference: number
  readonly standardError: number
  readonly better: boolean
}

const FEWEST_TRUTHS = 30
const ONE_SIDED = 1.645

/** Null: too few later truths to say. `said`: what the model in use predicted of each row of the table. */
export function judgeModel(model: TrainedModel, table: Table, said: readonly (Prediction | null)[]): Judgement | null {
  const { target, covariate, columns } = model
  const names = model.features.map(({ name }) => name)
  const seen = seenRows(table, covariate)
  if (seen < FEWEST_TRUTHS) return null
  const declared = { [covariate]: target, ...Object.fromEntries(model.features.map((one) => [one.name, one])) }
  const found = trainingRows(table, { covariate, features: names, observed: null, declared })
  const cells = found.features.map(({ feature, cell }, k) => {
    const own = model.features[k]!
    if (own.type !== 'category' || feature.type !== 'category') return { feature: own, cell }
    const place = feature.levels.map((level) => own.levels.indexOf(level))
    return { feature: own, cell: (row: number) => place[cell(row)] ?? -1 }
  })
  const inputs = trainingInputs(cells, columns, found.rows)
  const width = inputs.length / found.rows.length
  const predictors = compileScores(model)
  const values = new Float64Array(predictors.length)
  const theirs = new Float64Array(values.length)
  const losses: { readonly own: number; readonly serving: number }[] = []
  found.rows.forEach((row, i) => {
    const prediction = said[row] ?? null
    if (prediction === null || !readPrediction(model, prediction, theirs)) return
    predictors.forEach((predictor, k) => {
      values[k] = predictor.row(inputs, i * width)
    })
    linkScores(model, values)
    const truth = found.truths[i]!
    losses.push({ own: lossOf(target, values, truth), serving: lossOf(target, theirs, truth) })
  })
  const count = losses.length
  if (count < FEWEST_TRUTHS) return null
  const mean = (of: (loss: (typeof losses)[number]) => number) =>
    losses.reduce((sum, loss) => sum + of(loss), 0) / count
  const difference = mean(({ own, serving }) => own - serving)
  const variance = mean(({ own, serving }) => (own - serving - difference) ** 2)
  const standardError = Math.sqrt(variance / (count - 1))
  const shown = (loss: number) => (target.type === 'number' ? Math.sqrt(loss) : loss)
  return {
    truths: count,
    error: shown(mean(({ own }) => own)),
    servingError: shown(mean(({ serving }) => serving)),
    difference,
    standardError,
    better: difference + ONE_SIDED * standardError < 0,
  }
}

function seenRows(table: Table, name: string): number {
  const column = table.columns.get(name)
  if (column === undefined) return 0
  if (column.kind === 'number') return column.values.filter((value) => !Number.isNaN(value)).length
  return column.codes.filter((code) => column.levels[code] !== undefined).length
}

/** Writes a prediction as a model's values are; false: it is none. */
function readPrediction({ target }: TrainedModel, prediction: Prediction, out: Float64Array): boolean {
  if (target.type === 'category') {
    if (typeof prediction === 'object') {
      const shares = prediction as Readonly<Record<string, number>>
      for (const [k, level] of target.levels.entries()) out[k] = shares[level] ?? 0
    } else for (const [k, level] of target.levels.entries()) out[k] = level === prediction ? 1 : 0
    return true
  }
  if (target.type === 'boolean') {
    out[0] = Number(prediction)
    return Number.isFinite(out[0])
  }
  const read = readUncertain(prediction)
  if (typeof read === 'string') return false
  out[0] = read.value
  return true
}
