// A model as the service calls it: rows in, one answer for each out. A fault is an error or a failure, never a value. Answers
// are checked against the covariate before they are used.

import type { Context, Feature, Prediction, UncertainPrediction } from '@primo/core'
import { readUncertain } from '@primo/core/engine'

export type Said = { readonly prediction: Prediction; readonly sd?: number } | { readonly failure: string }

/** A value with how sure the model is of it: quantiles of a number become a value (where none is given) and an sd. */
export function detailed(value: unknown, sd: number | undefined, quantiles: unknown, covariate: Feature): Said {
  if (quantiles === undefined || covariate.type !== 'number')
    return { prediction: value as Prediction, ...(sd === undefined ? {} : { sd }) }
  const read = readUncertain({ ...(value == null ? {} : { value }), quantiles } as UncertainPrediction)
  if (typeof read === 'string') return { failure: read }
  return { prediction: read.value, sd: sd ?? read.sd }
}

/** What a model behind a network is told of the trace that asks. */
export type TraceHeaders = Readonly<Record<string, string>>

export interface Model {
  /** Most rows in one call. */
  readonly batch: number
  /** Calls at a time. */
  readonly concurrency: number
  /** One answer per row; rejects when the call as a whole failed. Aborted: no caller waits any more. */
  readonly predict: (rows: readonly Context[], signal: AbortSignal, trace?: TraceHeaders) => Promise<readonly Said[]>
  readonly close: () => Promise<void>
}

/** The model asks to be left alone for a while. */
export class ModelBusy extends Error {
  override readonly name = 'ModelBusy'
  readonly pause: number

  constructor(message: string, pause: number) {
    super(message)
    this.pause = pause
  }
}
