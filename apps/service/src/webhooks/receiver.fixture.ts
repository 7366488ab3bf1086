// A receiver of webhooks on a real socket, which checks each request: CloudEvents 1.0 in structured mode, and the signature. `behave` makes
// it misbehave.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly id: string
  readonly type: string
  readonly subject?: string
  readonly data: Readonly<Record<string, unknown>>
}

const ATTRIBUTES = ['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'data']

/** What is wrong with a delivery, by the rules of CloudEvents and Standard Webhooks. */
export function faultsOf(headers: IncomingHttpHeaders, body: string, secret: string): string[] {
  const faults: string[] = []
  const refuse = (when: boolean, fault: string) => when && faults.push(fault)
  const event = JSON.parse(body) as Record<string, unknown>
  refuse(!/^application\/cloudevents\+json(;|$)/.test(headers['content-type'] ?? ''), 'content-type')
  refuse(event.specversion !== '1.0', 'specversion')
  for (const name of ['id', 'source', 'type']) refuse(typeof event[name] !== 'string' || event[name] === '', name)
  refuse(!/^[a-z][a-z0-9+.-]*:\S+$/.test(String(event.source)), 'source is no URI')
  refuse(!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(event.time)), 'time')
  refuse('subject' in event && (typeof event.subject !== 'string' || event.subject === ''), 'subject')
  refuse(event.datacontenttype !== 'application/json' || typeof event.data !== 'object', 'data')
  for (const name of Object.keys(event)) refuse(!ATTRIBUTES.includes(name), `unknown attribute ${name}`)
  refuse(headers['webhook-id'] !== event.id, 'webhook-id')
  const timestamp = String(headers['webhook-timestamp'])
  refuse(Math.abs(Date.now() / 1000 - Number(timestamp)) > 300, 'webhook-timestamp')
  const [version, signature = ''] = String(headers['webhook-signature']).split(',')
  const expected = createHmac('sha256', secret).update(`${headers['webhook-id']}.${timestamp}.${body}`).digest()
  const given = Buffer.from(signature, 'base64')
  refuse(version !== 'v1' || given.length !== 32 || !timingSafeEqual(given, expected), 'webhook-signature')
  return faults
}

export async function startReceiver(secret: string) {
  let behaviour: number | 'silent' | 'hang-up' = 204
  const events: Received[] = []
  const faults: string[] = []
  const attempts: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString('utf8')
    faults.push(...faultsOf(request.headers, body, secret))
    const event = JSON.parse(body) as Received
    attempts.push(event.id)
    if (behaviour === 'silent') return
    if (behaviour === 'hang-up') return request.socket.destroy()
    if (behaviour === 204) events.push(event)
    response.writeHead(behaviour, behaviour === 302 ? { location: '/elsewhere' } : {}).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events,
    faults,
    attempts,
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
