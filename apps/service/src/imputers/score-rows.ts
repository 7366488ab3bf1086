// A model on rows that are at hand, outside any service: predictions for a calibration from a file, and how long a row takes.

import { readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { Context, Feature, MemberImputer, Prediction } from '@primo/core'
import { predictWith, SERVED_KINDS } from '@primo/core/engine'
import { checkServed } from './check-imputer.js'
import { createEgress } from './egress.js'
import { httpModel } from './http-model.js'
import { isServed, isTrainedFile, PURE_KINDS, refuseImputer } from './imputer-definition.js'
import { valueCheck } from './imputers.js'
import { llmModel } from './llm-model.js'
import type { Model, Said } from './model.js'
import { threadModel } from './thread-model.js'
import { trainedFromFile } from './trained-file.js'

/** What a model predicted for rows, and how long it took. */
export interface ScoredRows {
  readonly kind: string
  /** null: the model failed for this row. */
  readonly predictions: readonly (Prediction | null)[]
  readonly failed: number
  /** The first reason. */
  readonly failure: string | null
  /** Milliseconds of rows that were asked for one by one, and rows per second of those that were asked for together. */
  readonly latency: {
    readonly rows: number
    readonly p50: number
    readonly p99: number
    readonly rowsPerSecond: number
  }
}

/** The rows that a model is asked about, and the covariate that it predicts. */
export interface ScoreOptions {
  readonly context: Readonly<Record<string, Feature>>
  readonly covariate: Feature
  /** Of the covariate: which model of a file that has several. */
  readonly name?: string
  readonly rows: readonly Context[]
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Milliseconds that a call may take. Default 30,000. */
  readonly timeout?: number
}

/** Rows that are asked for one by one, to see how long one takes. */
const TIMED = 200

/**
 * `file`: a module (.js, .mjs, .ts, .mts), an ONNX model (.onnx), what `primo train` wrote (.json), or the definition of any imputer but an ensemble (.json), in which files are
 * named from its own folder.
 */
export async function scoreRows(file: string, options: ScoreOptions): Promise<ScoredRows> {
  const { context, covariate, name, rows, environment = process.env, timeout = 30_000 } = options
  const found = definitionIn(file)
  const definition = isTrainedFile(found)
    ? await trainedFromFile('imputer', found, join(dirname(file), found.file), name)
    : found
  const model = await openModel(definition, dirname(file), context, covariate, environment)
  const check = valueCheck(covariate)
  const predictions: (Prediction | null)[] = []
  const times: number[] = []
  let failure: string | null = null
  const take = (said: Said) => {
    const wrong = 'failure' in said ? said.failure : check(said.prediction)
    failure ??= wrong
    predictions.push(wrong === null ? (said as { prediction: Prediction }).prediction : null)
  }
  const call = async (part: readonly Context[]): Promise<readonly Said[]> => {
    try {
      return await model.predict(part, AbortSignal.timeout(timeout))
    } catch (error) {
      return part.map(() => ({ failure: (error as Error).message }))
    }
  }
  try {
    for (const row of rows.slice(0, TIMED)) {
      const began = performance.now()
      const [said] = await call([row])
      times.push(performance.now() - began)
      take(said!)
    }
    const began = performance.now()
    for (let from = TIMED; from < rows.length; from += model.batch)
      for (const said of await call(rows.slice(from, from + model.batch))) take(said)
    const rest = Math.max(0, rows.length - TIMED)
    const seconds = rest === 0 ? times.reduce((sum, time) => sum + time, 0) / 1000 : (performance.now() - began) / 1000
    times.sort((a, b) => a - b)
    return {
      kind: definition.kind,
      predictions,
      failed: predictions.filter((prediction) => prediction === null).length,
      failure,
      latency: {
        rows: times.length,
        p50: times[Math.floor(times.length / 2)] ?? 0,
        p99: times[Math.floor(0.99 * times.length)] ?? 0,
        rowsPerSecond: (rest === 0 ? times.length : rest) / seconds,
      },
    }
  } finally {
    await model.close()
  }
}

function definitionIn(file: string): { readonly kind: string } {
  const kind = extname(file)
  if (['.js', '.mjs', '.ts', '.mts'].includes(kind)) return { kind: 'module', file: basename(file) } as { kind: string }
  if (kind === '.onnx') return { kind: 'onnx', file: basename(file) } as { kind: string }
  if (kind !== '.json') refuseImputer('imputer', 'a .js, .mjs, .ts, .mts, .onnx or .json file', file)
  const definition = JSON.parse(readFileSync(file, 'utf8')) as { readonly kind: string; readonly format?: string }
  if (definition?.format === 'primo-model') return { kind: 'trained', file: basename(file) } as { kind: string }
  const kinds = [...PURE_KINDS.filter((one) => one !== 'column'), ...SERVED_KINDS]
  if (!kinds.includes(definition?.kind)) refuseImputer('imputer.kind', `one of ${kinds.join(', ')}`, definition?.kind)
  return definition
}

async function openModel(
  definition: { readonly kind: string },
  folder: string,
  context: Readonly<Record<string, Feature>>,
  covariate: Feature,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Model> {
  if (!isServed(definition)) {
    const imputer = definition as MemberImputer
    return {
      batch: 1000,
      concurrency: 1,
      close: async () => undefined,
      predict: async (rows) =>
        rows.map((row) => {
          const prediction = predictWith(imputer, context, row, undefined)
          return prediction === undefined ? { failure: 'no prediction was given' } : { prediction }
        }),
    }
  }
  const egress = createEgress('any')
  checkServed('imputer', definition, context, environment, egress)
  if (definition.kind === 'http') return httpModel(definition, context, covariate, environment, egress)
  if (definition.kind === 'llm') return llmModel(definition, covariate, environment, egress)
  const model = threadModel(definition, join(folder, definition.file), context, covariate)
  try {
    await model.start()
  } catch (error) {
    await model.close()
    refuseImputer('imputer', `a model that can be used (${(error as Error).message})`, definition.file)
  }
  return model
}
