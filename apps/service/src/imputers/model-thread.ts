// The thread of one model: loads it, says whether it can be used, and answers rows.

import { parentPort, workerData } from 'node:worker_threads'
import type { Context, Feature, Prediction } from '@primo/core'
import { importModule } from '@primo/lab/modules'
import type { ModuleDefinition, OnnxDefinition } from './imputer-definition.js'
import { detailed, type Said } from './model.js'
import { loadOnnx } from './onnx-session.js'

export interface ThreadStart {
  readonly definition: ModuleDefinition | OnnxDefinition
  readonly path: string
  readonly context: Readonly<Record<string, Feature>>
  readonly covariate: Feature
}

export type ThreadReply =
  /** true, or why the model cannot be used. */
  | { readonly ready: true | string }
  | { readonly id: number; readonly said: readonly Said[] }
  | { readonly id: number; readonly error: string }

type Predict = (rows: readonly Context[]) => Promise<readonly Said[]>

const port = parentPort!
const { definition, path, context, covariate } = workerData as ThreadStart

async function loadModule(): Promise<Predict> {
  const loaded = await importModule(path)
  const exported = { ...(loaded.default as object | undefined), ...loaded } as Record<string, unknown>
  const { predict, predictBatch } = exported
  const one = typeof predict === 'function' ? predict : loaded.default
  if (typeof predictBatch === 'function') {
    return async (rows) => {
      const list: unknown = await predictBatch(rows)
      if (!Array.isArray(list) || list.length !== rows.length)
        throw new Error(`predictBatch must give a list of ${rows.length} predictions`)
      return list.map(saidOf)
    }
  }
  if (typeof one !== 'function') throw new Error('it must export predict(context) or predictBatch(contexts)')
  return (rows) =>
    Promise.all(
      rows.map(async (row) => {
        try {
          return saidOf(await one(row))
        } catch (error) {
          return { failure: `the model failed: ${error instanceof Error ? error.message : String(error)}` }
        }
      }),
    )
}

/** A prediction, or {value, sd, quantiles}. */
function saidOf(given: unknown): Said {
  if (given === undefined || given === null) return { failure: 'the model gave nothing' }
  const { value, sd, quantiles } = given as { value?: unknown; sd?: unknown; quantiles?: unknown }
  const known = sd === undefined || typeof sd === 'number'
  if (typeof given !== 'object' || (value === undefined && quantiles === undefined) || !known)
    return { prediction: given as Prediction }
  return detailed(value, sd as number | undefined, quantiles, covariate)
}

const loaded: Promise<Predict> =
  definition.kind === 'module' ? loadModule() : loadOnnx(definition, path, context, covariate)
const tell = (reply: ThreadReply) => port.postMessage(reply)
const text = (error: unknown) => (error instanceof Error ? error.message : String(error))
loaded.then(
  () => tell({ ready: true }),
  (error: unknown) => tell({ ready: text(error) }),
)
port.on('message', ({ id, rows }: { id: number; rows: readonly Context[] }) => {
  loaded
    .then((predict) => predict(rows))
    .then(
      (said) => tell({ id, said }),
      (error: unknown) => tell({ id, error: text(error) }),
    )
})
