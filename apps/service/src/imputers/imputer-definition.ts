// Imputers that need a file, a thread or a network, as a problem defines them. To the engine each is a column whose values
// come with the request: the service asks the model first and passes on its answer.

import { SERVED_KINDS } from '@primo/core/engine'
import { PrimoError } from '@primo/numeric'

export interface Limits {
  /** Milliseconds that a decision waits for the model. Default 50. */
  readonly budget?: number
  /** Milliseconds after which a call is aborted; an answer before that is remembered even if it missed the budget. Default 2000. */
  readonly timeout?: number
  /** Calls at a time. Default 1 for models in threads, 16 for http, 4 for llm. */
  readonly concurrency?: number
  /** Rows per call, where the kind takes several. Default 64. */
  readonly batch?: number
  /** Answers remembered: how many (default 10,000; 0: none), for how many milliseconds they count as the model's own (default five
   * minutes), and for how many they stand in for a model that fails (default one day). */
  readonly cache?: { readonly size?: number; readonly age?: number; readonly keep?: number }
  /** After so many failures in a row (default 5) the model is left alone for so many milliseconds (default 1000, doubling to 30,000). */
  readonly breaker?: { readonly failures?: number; readonly pause?: number }
}

interface Served {
  readonly version?: string
  /** Of definition and file; written by the service when the problem is defined. */
  readonly fingerprint?: string
  readonly limits?: Limits
}

/** A JavaScript or TypeScript file in the models folder that exports `predict(context)` or `predictBatch(contexts)`. */
export interface ModuleDefinition extends Served {
  readonly kind: 'module'
  readonly file: string
}

/** Inputs of a model by name: a column ("age", "smoker", "town=north"), a list of columns, or a category given as text. */
export type InputMap = Readonly<Record<string, string | readonly string[]>>

/** A model file in the models folder, run by onnxruntime-web in a thread. */
export interface OnnxDefinition extends Served {
  readonly kind: 'onnx'
  readonly file: string
  /** Default: inputs that are called like context features, or one input of all of them in order where none is a category. */
  readonly inputs?: InputMap
  /** Default: the model's first output. */
  readonly output?: string
  /** An output with the standard deviation of a number. */
  readonly sd?: string
  /** Outputs with quantiles of a number by their level ({ '0.1': 'low', '0.9': 'high' }), in place of sd. */
  readonly quantiles?: Readonly<Record<string, string>>
}

/** Any endpoint: a template of the request and where the answer stands, or a preset: the Open Inference Protocol v2 (Triton, KServe), MLflow. */
export interface HttpDefinition extends Served {
  readonly kind: 'http'
  readonly url: string
  readonly preset?: 'open-inference-v2' | 'mlflow'
  /** Values may contain {env:PRIMO_IMPUTER_...}: filled in at each call, never stored. */
  readonly headers?: Readonly<Record<string, string>>
  /** Without preset: JSON in which "{name}" stands for a context value and "{context}" for all of them. Default "{context}". */
  readonly request?: unknown
  /** Without preset: path to the prediction in the answer, such as "result.0.value". Default "prediction". */
  readonly response?: string
  /** Path to (or output of) the standard deviation of a number. */
  readonly sd?: string
  /** Paths to (or outputs of) quantiles of a number by their level, in place of sd. */
  readonly quantiles?: Readonly<Record<string, string>>
  /** With open-inference-v2: name of the model, and the type of its numbers as its server declares it. Default FP32. */
  readonly model?: string
  readonly datatype?: Datatype
  /** With a preset: inputs (with mlflow default: all features by their names) and output (default: the first). */
  readonly inputs?: InputMap
  readonly output?: string
}

/** A chat endpoint that speaks the OpenAI protocol with JSON-schema answers. */
export interface LlmDefinition extends Served {
  readonly kind: 'llm'
  /** Base address, to which /chat/completions is added. */
  readonly url: string
  readonly model: string
  /** "{name}" stands for a context value. */
  readonly prompt: string
  /** Environment variable (PRIMO_IMPUTER_...) with the key; the key itself is never stored. */
  readonly key?: string
  /** Ask for the standard deviation of a number too. */
  readonly sd?: boolean
}

/** A file in the models folder that `primo train` wrote; its model takes its place when the problem is defined. */
export interface TrainedFileDefinition {
  readonly kind: 'trained'
  readonly file: string
  readonly version?: string
}

export function isTrainedFile(imputer: { readonly kind: string }): imputer is TrainedFileDefinition {
  return imputer.kind === 'trained' && 'file' in imputer && !('model' in imputer)
}

/** Numbers of a tensor. */
export const DATATYPES = ['FP32', 'FP64', 'INT32', 'INT64'] as const
type Datatype = (typeof DATATYPES)[number]

export type ServedDefinition = ModuleDefinition | OnnxDefinition | HttpDefinition | LlmDefinition

export const PURE_KINDS = ['constant', 'linear', 'column', 'table', 'trained']

export function isServed(imputer: { readonly kind: string }): imputer is ServedDefinition {
  return SERVED_KINDS.includes(imputer.kind)
}

/** The imputer itself, or the members of an ensemble. */
export function membersOfImputer(imputer: unknown): readonly (readonly [string | null, { readonly kind: string }])[] {
  const given = imputer as { readonly kind: string; readonly members?: Readonly<Record<string, { kind: string }>> }
  if (given.kind !== 'ensemble') return [[null, given]]
  return Object.entries(given.members ?? {})
}

export function refuseImputer(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-problem', `${field} must be ${rule}, got ${JSON.stringify(value)}`, { field, value })
}
