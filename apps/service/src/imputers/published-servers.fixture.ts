// Two model servers as their makers publish them, strict about the form of a request: MLflow's scoring server (POST /invocations) and one of
// the Open Inference Protocol v2 (Triton, KServe) with a model of two FP64 inputs and one text. Both predict 1.2 - 0.004 age.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { predicted } from './model-server.fixture.js'

interface Frame {
  readonly columns: readonly string[]
  readonly data: readonly (readonly unknown[])[]
}

interface Tensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly datatype: string
  readonly data: readonly unknown[]
}

/** A scikit-learn pipeline behind `mlflow models serve`: the frame must have the columns of its signature. */
function mlflow(body: Readonly<Record<string, unknown>>, records: boolean): unknown {
  const { dataframe_split: frame, ...rest } = body as { dataframe_split?: Frame }
  if (frame === undefined || Object.keys(rest).length > 0) return { error_code: 'BAD_REQUEST' }
  const { columns, data } = frame
  if (columns.join() !== 'age,smoker,town') return { error_code: 'BAD_REQUEST' }
  if (
    !data.every(
      ([age, smoker, town]) => typeof age === 'number' && typeof smoker === 'boolean' && typeof town === 'string',
    )
  )
    return { error_code: 'BAD_REQUEST' }
  return {
    predictions: data.map(([age]) =>
      records ? { alleles: predicted(age as number), spread: 0.3 } : predicted(age as number),
    ),
  }
}

/** `shape`, `datatype` and `data` must fit what the model declares. */
function inference({ inputs }: { readonly inputs?: readonly Tensor[] }): unknown {
  const [numbers, town] = ['numbers', 'town'].map((name) => inputs?.find((one) => one.name === name))
  const rows = numbers?.shape[0]
  const wrong =
    numbers?.datatype !== 'FP64' ||
    numbers.shape.join() !== `${rows},2` ||
    numbers.data.length !== 2 * rows! ||
    town?.datatype !== 'BYTES' ||
    town.shape.join() !== `${rows},1` ||
    !town.data.every((text) => typeof text === 'string')
  if (wrong) return { error: 'inputs do not fit the model' }
  const data = Array.from({ length: rows! }, (_, row) => predicted(numbers.data[2 * row] as number))
  return {
    model_name: 'alleles',
    model_version: '1',
    outputs: [
      { name: 'other', datatype: 'FP64', shape: [rows, 1], data: data.map(() => 0) },
      { name: 'alleles', datatype: 'FP64', shape: [rows, 1], data },
    ],
  }
}

export async function publishedServers() {
  let requests = 0
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    requests++
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, unknown>
    const path = request.url ?? ''
    const answer = path.endsWith('/invocations')
      ? mlflow(body, path.startsWith('/records'))
      : path === '/v2/models/alleles/infer'
        ? inference(body)
        : undefined
    const failed = answer === undefined ? 404 : 'error' in Object(answer) || 'error_code' in Object(answer) ? 400 : 200
    response.writeHead(failed, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { error: 'not found' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
