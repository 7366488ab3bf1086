// A collector that takes traces by OTLP over HTTP on a real socket and checks each request against the messages of the protocol, field
// by field: an unknown field, a wrong type or an id of another length is a fault. `behave` makes it misbehave.

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status?: { readonly code?: number; readonly message?: string }
}

type Check = (value: unknown, at: string) => void

const faults: string[] = []
const refuse = (at: string, value: unknown): void => void faults.push(`${at}: ${JSON.stringify(value)?.slice(0, 100)}`)
const matches =
  (form: RegExp): Check =>
  (value, at) =>
    (typeof value === 'string' && form.test(value)) || refuse(at, value)
const whole =
  (least: number, most: number): Check =>
  (value, at) =>
    (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) || refuse(at, value)
const list =
  (of: Check): Check =>
  (value, at) =>
    Array.isArray(value) ? value.forEach((one, k) => void of(one, `${at}[${k}]`)) : refuse(at, value)
const message =
  (fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(at, value)
    for (const name of required) if (!Object.hasOwn(value, name)) refuse(`${at}.${name}`, 'missing')
    for (const [name, inner] of Object.entries(value)) {
      const check = fields[name]
      if (check === undefined) refuse(`${at}.${name}`, 'unknown')
      else check(inner, `${at}.${name}`)
    }
  }
const text = matches(/^/)
const nanoseconds = matches(/^[1-9]\d{18}$/)

const anyValue: Check = (value, at) => {
  message({
    stringValue: text,
    boolValue: (inner, place) => typeof inner === 'boolean' || refuse(place, inner),
    intValue: matches(/^-?\d+$/),
    doubleValue: (inner, place) => typeof inner === 'number' || refuse(place, inner),
  })(value, at)
  if (Object.keys(value as object).length !== 1) refuse(at, value)
}
const keyValues: Check = (value, at) => {
  list(message({ key: matches(/./), value: anyValue }, ['key', 'value']))(value, at)
  const keys = (value as { key: string }[]).map(({ key }) => key)
  if (new Set(keys).size < keys.length) refuse(`${at} has a key twice`, keys)
}
const span = message(
  {
    traceId: matches(/^(?!0+$)[0-9a-f]{32}$/),
    spanId: matches(/^(?!0+$)[0-9a-f]{16}$/),
    parentSpanId: matches(/^(?!0+$)[0-9a-f]{16}$/),
    traceState: text,
    name: matches(/./),
    kind: whole(1, 5),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes: keyValues,
    status: message({ code: whole(0, 2), message: text }),
  },
  ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano'],
)
const scopeSpans = message({ scope: message({ name: text, version: text }, ['name']), spans: list(span) }, ['spans'])
const resource = message({ attributes: keyValues })
const request = message(
  { resourceSpans: list(message({ resource, scopeSpans: list(scopeSpans) }, ['resource', 'scopeSpans'])) },
  ['resourceSpans'],
)

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: KeyValues }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes'> & { attributes: KeyValues })[]
    }[]
  }[]
}
type KeyValues = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
const plain = (pairs: KeyValues = []) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))

export async function startCollector() {
  let behaviour: number | 'silent' = 200
  const spans: ReceivedSpan[] = []
  const calls: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly resource: object }[] = []
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const sent = JSON.parse(Buffer.concat(parts).toString('utf8')) as Sent
    request(sent, 'request')
    const [first] = sent.resourceSpans
    calls.push({ path: incoming.url!, headers: incoming.headers, resource: plain(first!.resource.attributes) })
    if (behaviour === 'silent') return
    if (behaviour === 200)
      for (const one of first!.scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...one, attributes: plain(one.attributes) })
    response.writeHead(behaviour, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    calls,
    faults,
    check: (sent: unknown): readonly string[] => {
      const before = faults.length
      request(sent, 'request')
      return faults.splice(before)
    },
    behave: (next: typeof behaviour) => {
      behaviour = next
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
