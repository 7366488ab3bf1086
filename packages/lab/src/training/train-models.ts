// Several covariates in one call. The one that is seen most often comes first. What a service may ask about a missing value is the context
// alone, so each is predicted from the features; and where the covariates before it make it better (its held-out loss is smaller), a second
// model that takes them as well is kept for completing tables, so that values which go together are drawn together.

import type { ModelFile, TrainedModel } from '@primo/core'
import { invalidOption } from '@primo/numeric'
import { MISSING_CODE, type Table } from '../tables/table.js'
import { type TrainOptions, trainModel } from './train-model.js'

/** As TrainOptions, for several covariates. */
export interface TrainAllOptions extends Omit<TrainOptions, 'covariate' | 'observed' | 'onProgress'> {
  readonly covariates: readonly string[]
  /** By covariate: 1 where it counts as seen; default: where its cell is filled. */
  readonly observed?: Readonly<Record<string, Uint8Array>>
  readonly onProgress?: (share: number, what: string) => void
}

/** Trains a model of each covariate. */
export function trainModels(table: Table, options: TrainAllOptions): ModelFile {
  const { covariates, observed = {}, features, onProgress, ...rest } = options
  const used = covariates.find((name) => features.includes(name))
  if (used !== undefined) invalidOption('features', 'other columns than the covariates', used)
  const order = [...covariates].sort((a, b) => seenRows(table, b) - seenRows(table, a))
  const steps = order.length > 1 ? 2 * order.length - 1 : 1
  let done = 0
  const train = (covariate: string, columns: readonly string[]): TrainedModel => {
    const seen = observed[covariate]
    const model = trainModel(table, {
      ...rest,
      covariate,
      features: columns,
      ...(seen === undefined ? {} : { observed: seen }),
      onProgress: (share, what) => onProgress?.((done + share) / steps, `${covariate}: ${what}`),
    })
    done++
    return model
  }
  const models: TrainedModel[] = []
  const given: TrainedModel[] = []
  for (const [k, covariate] of order.entries()) {
    const model = train(covariate, features)
    models.push(model)
    if (k === 0) continue
    const more = train(covariate, [...features, ...order.slice(0, k)])
    if (more.card.error < model.card.error) given.push(more)
  }
  return { format: 'primo-model', formatVersion: 1, models, ...(given.length === 0 ? {} : { given }) }
}

function seenRows(table: Table, name: string): number {
  const column = table.columns.get(name)
  if (column === undefined) return 0
  return column.kind === 'number'
    ? column.values.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0)
    : column.codes.reduce((count, code) => count + (code === MISSING_CODE ? 0 : 1), 0)
}
