// A model as the service asks it: rows in, what it says of each out. Whatever goes wrong is an error or a said failure, never a
// value; what is said is checked against the covariate before anybody uses it.

import type { Context, Prediction } from '@primo/core'

export type Said = { readonly prediction: Prediction; readonly sd?: number } | { readonly failure: string }

export interface Model {
  /** Most rows in one call. */
  readonly batch: number
  /** Calls at a time. */
  readonly concurrency: number
  /** One answer per row; rejects when the call as a whole failed. Aborted: nobody waits any more. */
  readonly predict: (rows: readonly Context[], signal: AbortSignal) => Promise<readonly Said[]>
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
