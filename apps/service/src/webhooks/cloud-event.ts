// An event by CloudEvents 1.0 in structured mode (all of it in one JSON body), signed as Standard Webhooks describe:
// webhook-signature = v1,base64(HMAC-SHA256(secret, id.timestamp.body)).

import { createHmac, randomUUID } from 'node:crypto'

export interface CloudEvent {
  readonly specversion: '1.0'
  readonly id: string
  /** Which service it comes from. */
  readonly source: string
  readonly type: string
  /** The problem it is about; absent: the service. */
  readonly subject?: string
  readonly time: string
  readonly datacontenttype: 'application/json'
  readonly data: object
}

export function cloudEvent(source: string, type: string, problem: string | null, data: object): CloudEvent {
  return {
    specversion: '1.0',
    id: randomUUID(),
    source,
    type,
    ...(problem === null ? {} : { subject: problem }),
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    data,
  }
}

/** A repeated delivery has the same id, another time and another signature. */
export function webhookHeaders(id: string, body: string, secret: string | null): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
  }
  if (secret === null) return headers
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { ...headers, 'webhook-signature': `v1,${signature}` }
}
