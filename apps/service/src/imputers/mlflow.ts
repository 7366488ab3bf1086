// MLflow's scoring server: POST /invocations with a data frame by rows, {"dataframe_split": {"columns", "data"}}, answered with
// {"predictions": [...]}: a value, a list (one probability per level) or a record of named outputs for each row.

import type { Context, Feature } from '@primo/core'
import type { HttpDefinition } from './imputer-definition.js'
import { inputColumns } from './input-columns.js'
import type { Said } from './model.js'
import { atPath } from './template.js'
import { saidOfRow } from './tensor-rows.js'

export function mlflowAddress(url: string): string {
  const base = url.replace(/\/$/, '')
  return base.endsWith('/invocations') ? base : `${base}/invocations`
}

/** The body for these rows: the mapped columns, or all features of the context by their own names. */
export function mlflowRequest(
  { inputs }: HttpDefinition,
  context: Readonly<Record<string, Feature>>,
): (rows: readonly Context[]) => unknown {
  const columns =
    inputs === undefined
      ? Object.keys(context).map((name) => [name, (row: Context) => row[name]] as const)
      : Object.entries(inputs).map(([name, column]) => {
          // A feature goes as it is, a level ("town=north") as 0 or 1.
          if (Object.hasOwn(context, column as string)) return [name, (row: Context) => row[column as string]] as const
          const { read } = inputColumns(`inputs.${name}`, column, context)
          return [name, (row: Context) => read(row)[0]] as const
        })
  const names = columns.map(([name]) => name)
  return (rows) => ({
    dataframe_split: { columns: names, data: rows.map((row) => columns.map(([, read]) => read(row))) },
  })
}

export function mlflowAnswer(
  answer: unknown,
  { output, sd, quantiles = {} }: HttpDefinition,
  count: number,
  covariate: Feature,
): readonly Said[] {
  const predictions = atPath(answer, 'predictions')
  if (!Array.isArray(predictions)) throw new Error('the answer has no predictions')
  if (predictions.length !== count)
    throw new Error(`the answer has ${predictions.length} predictions for ${count} rows`)
  return predictions.map((row: unknown): Said => {
    const isRecord = typeof row === 'object' && row !== null && !Array.isArray(row)
    const named = (name: string) => (isRecord ? (row as Readonly<Record<string, unknown>>)[name] : undefined)
    const value = isRecord ? named(output ?? 'prediction') : row
    if (isRecord && value === undefined) return { failure: `the prediction has nothing at ${output ?? 'prediction'}` }
    const levels = Object.entries(quantiles).map(([level, name]) => [level, [named(name)]] as const)
    return saidOfRow([value].flat(2), 0, 1, covariate, sd === undefined ? null : [named(sd)], levels)
  })
}
