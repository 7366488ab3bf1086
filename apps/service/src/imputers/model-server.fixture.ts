// A model server that really speaks the protocols of the http and llm imputers, on a real socket: plain JSON (POST /predict), the Open
// Inference Protocol v2 (POST /v2/models/alleles/infer) and the OpenAI chat protocol (POST /v1/chat/completions). It predicts
// 1.2 - 0.004 age. `behave` makes it misbehave.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Behaviour =
  | { readonly kind: 'well' }
  | { readonly kind: 'slow'; readonly milliseconds: number }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string> }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'hang-up' }
  | { readonly kind: 'silent' }

export interface Call {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Asked
}

/** A request of one of the protocols, with the fields of all of them. */
interface Asked {
  readonly age: number
  readonly inputs: readonly { readonly shape: readonly [number, number]; readonly data: readonly number[] }[]
  readonly messages: readonly { readonly content: string }[]
  readonly response_format: {
    readonly json_schema: { readonly schema: { readonly properties: { readonly value: { readonly enum?: string[] } } } }
  }
}

export interface ModelServer {
  readonly url: string
  readonly calls: Call[]
  behave: (behaviour: Behaviour) => void
  readonly close: () => Promise<void>
}

export const predicted = (age: number) => 1.2 - 0.004 * age

export async function startModelServer(): Promise<ModelServer> {
  let behaviour: Behaviour = { kind: 'well' }
  const calls: Call[] = []

  function answer(call: Call): unknown {
    const { path, body } = call
    const value = (age: number) => (behaviour.kind === 'value' ? behaviour.value : predicted(age))
    if (path === '/predict') {
      const centre = predicted(body.age)
      return { prediction: value(body.age), spread: { sd: 0.3, low: centre - 0.1, high: centre + 0.1 } }
    }
    if (path === '/v2/models/alleles/infer') {
      const input = body.inputs[0]!
      const [rows, width] = input.shape
      const data = Array.from({ length: rows }, (_, row) => value(input.data[row * width]!))
      return { model_name: 'alleles', outputs: [{ name: 'alleles', shape: [rows, 1], datatype: 'FP32', data }] }
    }
    if (path === '/v1/chat/completions') {
      const age = Number(/age (\d+)/.exec(body.messages.at(-1)!.content)?.[1])
      const { enum: levels } = body.response_format.json_schema.schema.properties.value
      const estimate = levels === undefined ? value(age) : age > 50 ? levels[0] : levels[1]
      const content = behaviour.kind === 'text' ? behaviour.text : JSON.stringify({ value: estimate, sd: 0.2 })
      return { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }
    }
    return undefined
  }

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const call = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(parts).toString('utf8')) as Asked,
    }
    calls.push(call)
    const now = behaviour
    if (now.kind === 'hang-up') return request.socket.destroy()
    if (now.kind === 'silent') return
    if (now.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, now.milliseconds).unref())
    if (now.kind === 'status') return send(response, now.status, '{}', now.headers)
    const body = answer(call)
    if (now.kind === 'text' && call.path !== '/v1/chat/completions') return send(response, 200, now.text)
    send(response, body === undefined ? 404 : 200, JSON.stringify(body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    behave: (next) => {
      behaviour = next
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function send(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(text)
}
