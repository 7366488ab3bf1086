// An ONNX model by onnxruntime-web (WebAssembly, one thread), checked against the inputs the problem maps: names, types and widths,
// and one row is run, so that what can be wrong is wrong when the problem is defined.

import { readFile } from 'node:fs/promises'
import type { Context, Feature } from '@primo/core'
import type * as Onnx from 'onnxruntime-web'
import { exampleContext } from './example-context.js'
import type { InputMap, OnnxDefinition } from './imputer-definition.js'
import { type InputColumns, inputColumns } from './input-columns.js'
import type { Said } from './model.js'
import { saidOfRow } from './tensor-rows.js'

type Metadata = Extract<Onnx.InferenceSession.ValueMetadata, { isTensor: true }>

interface BoundInput extends InputColumns {
  readonly name: string
  readonly type: string
  readonly rank: number
}

const FLOATS = ['float32', 'float64']
const INTEGERS = ['int64', 'int32', 'bool']

export async function loadOnnx(
  definition: OnnxDefinition,
  path: string,
  context: Readonly<Record<string, Feature>>,
  covariate: Feature,
): Promise<(rows: readonly Context[]) => Promise<readonly Said[]>> {
  const onnx = await import('onnxruntime-web')
  onnx.env.wasm.numThreads = 1
  onnx.env.logLevel = 'error'
  const session = await onnx.InferenceSession.create(await readFile(path), { executionProviders: ['wasm'] })
  const { output = session.outputNames[0]!, sd, quantiles = {} } = definition
  for (const name of [output, ...(sd === undefined ? [] : [sd]), ...Object.values(quantiles)])
    if (!session.outputNames.includes(name))
      throw new Error(`output must be one of the model's (${session.outputNames.join(', ')}), got "${name}"`)
  const map = definition.inputs ?? ownInputs(session.inputNames, context)
  for (const name of session.inputNames)
    if (!Object.hasOwn(map, name)) throw new Error(`inputs must have the model's input "${name}"`)
  const inputs = Object.entries(map).map(([name, columns]) =>
    bind(session, name, inputColumns(`inputs.${name}`, columns, context)),
  )
  const oneByOne = session.inputMetadata.some((input) => input.isTensor && input.shape[0] === 1)

  async function run(rows: readonly Context[]): Promise<readonly Said[]> {
    const feeds = Object.fromEntries(inputs.map((input) => [input.name, tensorOf(onnx, input, rows)]))
    const results = await session.run(feeds)
    const read = async (name: string) => Array.from((await results[name]!.getData()) as ArrayLike<unknown>)
    const values = await read(output)
    const deviations = sd === undefined ? null : await read(sd)
    const levels: [string, readonly unknown[]][] = []
    for (const [level, name] of Object.entries(quantiles)) levels.push([level, await read(name)])
    return rows.map((_, k) => saidOfRow(values, k, rows.length, covariate, deviations, levels))
  }

  const [trial] = await run([exampleContext(context)])
  if (trial !== undefined && 'failure' in trial) throw new Error(`output "${output}" must predict: ${trial.failure}`)
  if (!oneByOne) return run
  return async (rows) => {
    const said: Said[] = []
    for (const row of rows) said.push(...(await run([row])))
    return said
  }
}

function ownInputs(names: readonly string[], context: Readonly<Record<string, Feature>>): InputMap {
  const [only] = names
  if (names.length === 1 && !Object.hasOwn(context, only!)) {
    // The order in which a model takes the levels of a category is not known.
    if (Object.values(context).some(({ type }) => type === 'category'))
      throw new Error(`inputs must say which columns "${only}" takes, because the context has categories`)
    return { [only!]: Object.keys(context) }
  }
  return Object.fromEntries(names.map((name) => [name, name]))
}

function bind(session: Onnx.InferenceSession, name: string, columns: InputColumns): BoundInput {
  const found = session.inputMetadata.find((input) => input.name === name)
  if (found === undefined)
    throw new Error(`inputs must only have the model's (${session.inputNames.join(', ')}), got "${name}"`)
  if (!found.isTensor) throw new Error(`inputs.${name} must be a tensor of the model, and it is not`)
  const { type, shape } = found as Metadata
  const wanted = columns.text ? 'text' : 'numbers'
  const fits = columns.text ? type === 'string' : FLOATS.includes(type) || INTEGERS.includes(type)
  if (!fits) throw new Error(`inputs.${name} must be ${type}, got columns of ${wanted}`)
  const width = shape.length < 2 ? 1 : shape.at(-1)
  if (typeof width === 'number' && width > 0 && width !== columns.width)
    throw new Error(`inputs.${name} must have ${width} columns, got ${columns.width}`)
  return { ...columns, name, type, rank: shape.length }
}

function tensorOf(onnx: typeof Onnx, input: BoundInput, rows: readonly Context[]): Onnx.Tensor {
  const { text, width, type, rank, read } = input
  const shape = rank < 2 ? [rows.length] : [rows.length, width]
  const values = rows.flatMap(read)
  if (text) return new onnx.Tensor('string', values as string[], shape)
  const numbers = values as number[]
  if (type === 'int64')
    return new onnx.Tensor(
      'int64',
      BigInt64Array.from(numbers, (value) => BigInt(Math.round(value))),
      shape,
    )
  if (type === 'int32') return new onnx.Tensor('int32', Int32Array.from(numbers), shape)
  if (type === 'bool') return new onnx.Tensor('bool', Uint8Array.from(numbers), shape)
  if (type === 'float64') return new onnx.Tensor('float64', Float64Array.from(numbers), shape)
  return new onnx.Tensor('float32', Float32Array.from(numbers), shape)
}
