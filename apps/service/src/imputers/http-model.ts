// A model behind an HTTP endpoint: a template of the request and a path to the answer, MLflow's scoring server, or the Open Inference
// Protocol v2 (one tensor per input, rows in batches). 429 and 503 with Retry-After leave the model alone for that long. Redirects are not followed.

import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Context, Feature } from '@primo/core'
import type { Egress } from './egress.js'
import { type Environment, readHeaders } from './headers.js'
import type { HttpDefinition } from './imputer-definition.js'
import { inputColumns } from './input-columns.js'
import { mlflowAddress, mlflowAnswer, mlflowRequest } from './mlflow.js'
import { detailed, type Model, ModelBusy, type Said, type TraceHeaders } from './model.js'
import { atPath, fillTemplate } from './template.js'
import { saidOfRow } from './tensor-rows.js'

const MAX_ANSWER_BYTES = 8 * 1024 * 1024

export function httpModel(
  definition: HttpDefinition,
  context: Readonly<Record<string, Feature>>,
  covariate: Feature,
  environment: Environment,
  egress: Egress,
): Model {
  const headers = (trace: TraceHeaders = {}) => ({
    ...trace,
    ...readHeaders('headers', definition.headers, environment),
  })
  const shared = { concurrency: 16, close: async () => undefined }
  if (definition.preset === undefined) {
    const { request = '{context}', response = 'prediction', sd, quantiles } = definition
    return {
      ...shared,
      batch: 1,
      predict: async ([row], signal, trace) => {
        const answer = await postJson(definition.url, fillTemplate(request, row!), headers(trace), signal, egress)
        const prediction = atPath(answer, response)
        // Quantiles speak for themselves where the answer has no value.
        if (quantiles === undefined && (prediction === undefined || prediction === null))
          return [{ failure: `the answer has nothing at ${response}` }]
        const deviation = sd === undefined ? undefined : atPath(answer, sd)
        const levels =
          quantiles === undefined
            ? undefined
            : Object.fromEntries(Object.entries(quantiles).map(([level, path]) => [level, atPath(answer, path)]))
        return [detailed(prediction, typeof deviation === 'number' ? deviation : undefined, levels, covariate)]
      },
    }
  }
  if (definition.preset === 'mlflow') {
    const bodyOf = mlflowRequest(definition, context)
    const address = mlflowAddress(definition.url)
    return {
      ...shared,
      batch: 64,
      predict: async (rows, signal) => {
        const answer = await postJson(address, bodyOf(rows), headers(), signal, egress)
        return mlflowAnswer(answer, definition, rows.length, covariate)
      },
    }
  }
  const { datatype = 'FP32' } = definition
  const inputs = Object.entries(definition.inputs!).map(([name, columns]) => ({
    name,
    ...inputColumns(`inputs.${name}`, columns, context),
  }))
  const url = `${definition.url.replace(/\/$/, '')}/v2/models/${encodeURIComponent(definition.model!)}/infer`
  return {
    ...shared,
    batch: 64,
    predict: async (rows, signal, trace) => {
      const body = {
        inputs: inputs.map(({ name, text, width, read }) => ({
          name,
          shape: [rows.length, width],
          datatype: text ? 'BYTES' : datatype,
          data: rows.flatMap(read),
        })),
      }
      const answer = await postJson(url, body, headers(trace), signal, egress)
      return inferred(answer, definition, rows, covariate)
    },
  }
}

interface Tensor {
  readonly name?: unknown
  readonly data?: unknown
}

function inferred(
  answer: unknown,
  { output, sd, quantiles = {} }: HttpDefinition,
  rows: readonly Context[],
  covariate: Feature,
): readonly Said[] {
  const outputs = atPath(answer, 'outputs')
  if (!Array.isArray(outputs)) throw new Error('the answer has no outputs')
  const tensor = (name: string | undefined): readonly unknown[] => {
    const found = (outputs as readonly Tensor[]).find((one) => name === undefined || one?.name === name)
    if (!Array.isArray(found?.data)) throw new Error(`the answer has no output ${name ?? ''} with data`)
    return found.data.flat(3) as unknown[]
  }
  const values = tensor(output)
  const deviations = sd === undefined ? null : tensor(sd)
  const levels = Object.entries(quantiles).map(([level, name]) => [level, tensor(name)] as const)
  return rows.map((_, k) => saidOfRow(values, k, rows.length, covariate, deviations, levels))
}

/** The answer as JSON; throws ModelBusy where the endpoint asks for patience, and an error for any other refusal. */
export async function postJson(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  egress: Egress,
): Promise<unknown> {
  const response = await post(new URL(url), JSON.stringify(body), headers, signal, egress)
  const { statusCode: status = 0 } = response
  if (status < 200 || status > 299) {
    response.destroy()
    const pause = retryAfter(response.headers['retry-after'])
    if (status === 429 || (status === 503 && pause !== null))
      throw new ModelBusy(`the model answered ${status}`, pause ?? 1000)
    throw new Error(`the model answered ${status}`)
  }
  const text = await limitedText(response)
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the answer is not JSON')
  }
}

/** Sends JSON to an address that `egress` allows. */
export function post(
  url: URL,
  body: string | Uint8Array,
  given: Readonly<Record<string, string>>,
  signal: AbortSignal,
  { allows, agents }: Egress,
): Promise<IncomingMessage> {
  if (!allows(url)) throw new Error('the address of the model is not one of --imputer-hosts')
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...given }
  const [request, agent] =
    url.protocol === 'https:' ? ([httpsRequest, agents['https:']] as const) : ([httpRequest, agents['http:']] as const)
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', agent, headers, signal }, resolve)
    asked.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    asked.end(body)
  })
}

async function limitedText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Milliseconds; seconds or a date, at most ten minutes; null: it does not say. */
function retryAfter(text: string | undefined): number | null {
  if (text === undefined) return null
  const seconds = Number(text)
  const wait = Number.isFinite(seconds) ? 1000 * seconds : Date.parse(text) - Date.now()
  return Number.isFinite(wait) ? Math.min(600_000, Math.max(0, wait)) : null
}
