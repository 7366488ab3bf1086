// All served models of a service. They are prepared (loaded, checked, fingerprinted) when a problem is defined, shared by equal
// definitions, kept while a problem uses them, and asked before a decision.

import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { ProblemDefinition } from '@primo/contract'
import type { Context, Feature, Prediction } from '@primo/core'
import { encodePrediction } from '@primo/core/engine'
import { canonicalJson } from '../ledger/canonical-json.js'
import { type BoundedModel, boundModel, failureOf } from './bounded-model.js'
import { checkServed } from './check-imputer.js'
import { createEgress } from './egress.js'
import { exampleContext } from './example-context.js'
import { httpModel } from './http-model.js'
import {
  isServed,
  isTrainedFile,
  type ModuleDefinition,
  membersOfImputer,
  type OnnxDefinition,
  refuseImputer,
  type ServedDefinition,
} from './imputer-definition.js'
import { llmModel } from './llm-model.js'
import type { Model } from './model.js'
import { createStage, type ImputerStage } from './stage.js'
import { type ThreadModel, threadModel } from './thread-model.js'
import { trainedFromFile } from './trained-file.js'

export interface ImputersOptions {
  /** Folder of the files that `module`, `onnx` and `trained` may name; null: there is none, and such problems are refused. */
  readonly models: string | null
  /** Hosts that `http` and `llm` may call, as HOST or HOST:PORT; default: none. */
  readonly hosts?: readonly string[]
  /** Those of PRIMO_IMPUTER_... may be sent; default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly clock?: () => number
  readonly onCall?: (kind: string, seconds: number, failure: string | null) => void
  readonly onTurn?: (turn: ImputerTurn) => void
}

/** A model keeps failing from now on, or no longer. */
export interface ImputerTurn {
  readonly kind: string
  /** Those that use it. */
  readonly problems: readonly string[]
  readonly failing: boolean
  readonly reason: string | null
}

export interface Imputers {
  /** The definition with the fingerprints of its models; throws a PrimoError that names the field when one cannot be used. */
  readonly prepare: (definition: ProblemDefinition) => Promise<ProblemDefinition>
  /** Asks every endpoint of a definition about one row; in sentences that begin with the field what is wrong. Files were tried before. */
  readonly trial: (definition: ProblemDefinition) => Promise<readonly string[]>
  /** Closes models that were prepared for a definition that was not used. */
  readonly settle: () => Promise<void>
  /** What asks the problem's models; null: it has none of these kinds. Models that no problem uses any more are closed. */
  readonly stage: (problem: string, definition: ProblemDefinition, asksObserved: boolean) => ImputerStage | null
  /** How many models keep failing. */
  readonly failing: () => number
  readonly close: () => Promise<void>
}

type Features = ProblemDefinition['context']

export function createImputers(options: ImputersOptions): Imputers {
  const { models, hosts = [], environment = {}, clock = Date.now, onCall, onTurn } = options
  const egress = createEgress(hosts)
  const running = new Map<string, BoundedModel>()
  /** The same models for tries, by the same keys; opened at the first try. */
  const forTries = new Map<string, BoundedModel>()
  const used = new Map<string, readonly string[]>()
  /** Loaded when a problem was defined, to be taken over by its stage. */
  const loaded = new Map<string, ThreadModel>()

  /** The file inside the models folder, followed through links; throws with the field. */
  async function pathOf(field: string, file: string): Promise<string> {
    if (models === null) refuseImputer(field, 'used with a models folder (primo serve --models DIR)', file)
    try {
      const folder = await realpath(models)
      const path = await realpath(join(folder, file))
      if (path.startsWith(folder + sep)) return path
    } catch {
      // The same message whether the file is missing or outside the folder.
    }
    refuseImputer(field, 'a file in the models folder', file)
  }

  async function fingerprintOf(field: string, imputer: ServedDefinition): Promise<string> {
    const { fingerprint: _, limits: __, version: ___, ...own } = imputer
    const hash = createHash('sha256').update(canonicalJson(own))
    if ('file' in imputer) hash.update(await readFile(await pathOf(`${field}.file`, imputer.file)))
    return hash.digest('hex').slice(0, 16)
  }

  async function prepareOne(field: string, imputer: ServedDefinition, context: Features, covariate: Feature) {
    checkServed(field, imputer, context, environment, egress)
    const fingerprint = await fingerprintOf(field, imputer)
    const prepared = { ...imputer, fingerprint }
    if (!('file' in imputer)) return prepared
    const key = keyOf(prepared, context, covariate)
    if (running.has(key) || loaded.has(key)) return prepared
    const trial = threadModel(imputer, await pathOf(`${field}.file`, imputer.file), context, covariate)
    try {
      await trial.start()
    } catch (error) {
      await trial.close()
      refuseImputer(`${field}.file`, `a model that can be used (${(error as Error).message})`, imputer.file)
    }
    loaded.set(key, trial)
    return prepared
  }

  /** A model from a file, which must be the one that was defined. Loading starts at once. */
  function fromFile(imputer: ModuleDefinition | OnnxDefinition, context: Features, covariate: Feature): Model {
    const open = async () => {
      const key = keyOf(imputer, context, covariate)
      const known = loaded.get(key)
      loaded.delete(key)
      if (known !== undefined) return known
      const path = await pathOf('file', imputer.file)
      if ((await fingerprintOf('imputer', imputer)) !== imputer.fingerprint)
        throw new Error(
          `${imputer.file} is not the file that was defined; define the problem anew to calibrate the new one`,
        )
      const model = threadModel(imputer, path, context, covariate)
      // A call reports the error.
      model.start().catch(() => undefined)
      return model
    }
    let opened: Promise<Model> | null = open()
    opened.catch(() => undefined)
    return {
      batch: 64,
      concurrency: 1,
      predict: async (rows, signal, trace) => {
        opened ??= open()
        try {
          return await (await opened).predict(rows, signal, trace)
        } catch (error) {
          await opened.catch(() => {
            opened = null
          })
          throw error
        }
      },
      close: async () => {
        await (await opened?.catch(() => null))?.close()
      },
    }
  }

  function modelOf(imputer: ServedDefinition, context: Features, covariate: Feature): Model {
    if (imputer.kind === 'http') return httpModel(imputer, context, covariate, environment, egress)
    if (imputer.kind === 'llm') return llmModel(imputer, covariate, environment, egress)
    return fromFile(imputer, context, covariate)
  }

  function bounded(imputer: ServedDefinition, context: Features, covariate: Feature, key: string): BoundedModel {
    const known = running.get(key)
    if (known !== undefined) return known
    const { limits = {}, kind } = imputer
    let failing = false
    const called = (seconds: number, reason: string | null) => {
      onCall?.(kind, seconds, reason)
      const now = started.breaker() !== 'closed'
      if (now === failing) return
      failing = now
      const problems = [...used].filter(([, keys]) => keys.includes(key)).map(([problem]) => problem)
      onTurn?.({ kind, problems, failing, reason })
    }
    const started = boundModel(modelOf(imputer, context, covariate), {
      limits,
      check: valueCheck(covariate),
      clock,
      onCall: called,
    })
    running.set(key, started)
    return started
  }

  /** One call at a time, with its own breaker and cache: decisions neither wait for tries nor lose the model to them. */
  function boundedForTries(
    imputer: ServedDefinition,
    context: Features,
    covariate: Feature,
    key: string,
  ): BoundedModel {
    const known = forTries.get(key)
    if (known !== undefined) return known
    const limits = { ...imputer.limits, concurrency: 1 }
    const started = boundModel(modelOf(imputer, context, covariate), { limits, check: valueCheck(covariate), clock })
    forTries.set(key, started)
    return started
  }

  return {
    prepare: async (definition) => {
      const covariates: Record<string, unknown> = {}
      for (const [name, covariate] of Object.entries(definition.covariates)) {
        const field = `covariates.${name}.imputer`
        const { context } = definition
        const feature = featureOf(covariate)
        const members = membersOfImputer(covariate.imputer)
        const prepared: [string | null, object][] = []
        for (const [member, imputer] of members) {
          const at = member === null ? field : `${field}.members.${member}`
          if (isTrainedFile(imputer)) {
            const path = await pathOf(`${at}.file`, imputer.file)
            prepared.push([member, await trainedFromFile(at, imputer, path, name)])
          } else prepared.push([member, isServed(imputer) ? await prepareOne(at, imputer, context, feature) : imputer])
        }
        const [first] = prepared
        const imputer = first?.[0] === null ? first[1] : { ...covariate.imputer, members: Object.fromEntries(prepared) }
        covariates[name] = { ...covariate, imputer }
      }
      return { ...definition, covariates: covariates as ProblemDefinition['covariates'] }
    },
    trial: async ({ context, covariates }) => {
      const example = exampleContext(context)
      const calls = Object.entries(covariates).flatMap(([name, covariate]) =>
        membersOfImputer(covariate.imputer).map(async ([member, imputer]) => {
          if (!isServed(imputer) || 'file' in imputer) return []
          const field = `covariates.${name}.imputer${member === null ? '' : `.members.${member}`}`
          const wrong = await tried(modelOf(imputer, context, featureOf(covariate)), example, featureOf(covariate))
          return wrong === null ? [] : [`${field} failed for ${JSON.stringify(example)}: ${wrong}`]
        }),
      )
      return (await Promise.all(calls)).flat()
    },
    stage: (problem, definition, asksObserved) => {
      const { context } = definition
      const keys: string[] = []
      const parts = Object.entries(definition.covariates).flatMap(([name, covariate]) =>
        membersOfImputer(covariate.imputer).flatMap(([member, imputer]) => {
          if (!isServed(imputer)) return []
          const feature = featureOf(covariate)
          const key = keyOf(imputer, context, feature)
          keys.push(key)
          const model = bounded(imputer, context, feature, key)
          const open = () => boundedForTries(imputer, context, feature, key)
          return [{ covariate: name, member, isNumber: feature.type === 'number', model, forTries: open }]
        }),
      )
      const before = used.get(problem) ?? []
      used.set(problem, keys)
      const wanted = new Set([...used.values()].flat())
      for (const key of before) {
        if (wanted.has(key)) continue
        for (const models of [running, forTries]) {
          void models.get(key)?.close()
          models.delete(key)
        }
      }
      return parts.length === 0 ? null : createStage(context, parts, asksObserved)
    },
    failing: () => [...running.values()].filter((model) => model.breaker() !== 'closed').length,
    settle: async () => {
      const left = [...loaded.values()]
      loaded.clear()
      await Promise.all(left.map((model) => model.close()))
    },
    close: async () => {
      await Promise.all([...running.values(), ...forTries.values(), ...loaded.values()].map((model) => model.close()))
      running.clear()
      forTries.clear()
      loaded.clear()
    },
  }
}

/** Milliseconds that a trial may take: a definition should not hang on a silent host. */
const TRIAL = 5000

/** Why the model gives no value for this row; null: it does. */
async function tried(model: Model, row: Context, covariate: Feature): Promise<string | null> {
  try {
    const [said] = await model.predict([row], AbortSignal.timeout(TRIAL))
    if (said === undefined) return 'the model gave no answer'
    return 'failure' in said ? said.failure : valueCheck(covariate)(said.prediction)
  } catch (error) {
    return failureOf(error, TRIAL)
  }
}

function keyOf(imputer: ServedDefinition, context: Features, covariate: Feature): string {
  return canonicalJson({ imputer, covariate, context: Object.entries(context) })
}

function featureOf(covariate: ProblemDefinition['covariates'][string]): Feature {
  const { imputer: _, reveals: __, audit: ___, reasons: ____, fallback: _____, price: ______, ...feature } = covariate
  return feature as Feature
}

/** Why a prediction cannot be a value of the covariate; null: it can. */
export function valueCheck(feature: Feature): (prediction: Prediction) => string | null {
  const width = feature.type === 'category' ? feature.levels.length + (feature.other === true ? 1 : 0) : 1
  const scratch = new Float64Array(width)
  const covariate = { feature: { ...feature, imputer: { kind: 'column' } as const } }
  return (prediction) => encodePrediction(covariate, prediction, scratch, 0)
}
