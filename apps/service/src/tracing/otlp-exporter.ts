// Sends spans to a collector by OTLP over HTTP, as JSON, beside the work: in batches, one at a time. A collector that is away or busy is
// tried again; what it does not take, and what does not fit into the buffers meanwhile, is dropped and counted. Spans wait as bytes:
// as strings the garbage collector would carry them along.

import { createEgress } from '../imputers/egress.js'
import { post } from '../imputers/http-model.js'
import type { OtlpSettings } from './otlp-settings.js'
import { ascii, attributesJson } from './tracer.js'

export interface OtlpExporter {
  /** A span as OTLP JSON, in ASCII. */
  readonly add: (span: string) => void
  /** Sends what waits, once, and stops. */
  readonly close: () => Promise<void>
}

interface Batch {
  readonly bytes: Buffer
  length: number
  spans: number
}

const BATCH_BYTES = 1 << 20
/** Batches that are sent, wait or are being filled. */
const MAX_BATCHES = 16
/** Milliseconds that spans wait for others, and that a collector may take. */
const EVERY = 1000
const TIMEOUT = 10_000
/** Milliseconds that a closing service waits for the collector. */
const CLOSING_PATIENCE = 1000
/** Milliseconds before further attempts. */
const PAUSES = [1000, 4000]
const RETRIED = [429, 502, 503, 504]
const AFTER = ']}]}]}'
const COMMA = 44

export function createOtlpExporter(
  { url, headers, resource }: OtlpSettings,
  count: (result: 'exported' | 'dropped', spans: number) => void,
): OtlpExporter {
  const egress = createEgress('any')
  const scope = `{"name":"primo","version":${ascii(resource['service.version'] ?? '')}}`
  const before = `{"resourceSpans":[{"resource":{"attributes":[${attributesJson(resource)}]},"scopeSpans":[{"scope":${scope},"spans":[`
  const free: Batch[] = []
  const full: Batch[] = []
  let made = 0
  let filling: Batch | null = null
  let sending: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  const closing = new AbortController()
  const ended = new AbortController()

  /** null: all of them are in use. */
  function emptyBatch(): Batch | null {
    const batch = free.pop()
    if (batch === undefined && made === MAX_BATCHES) return null
    if (batch === undefined) made++
    const { bytes } = batch ?? { bytes: Buffer.allocUnsafe(BATCH_BYTES) }
    return { bytes, length: bytes.write(before), spans: 0 }
  }

  /** Whether the collector has answered for good. */
  async function attempt({ bytes, length, spans }: Batch): Promise<boolean> {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT), ended.signal])
    const response = await post(new URL(url), bytes.subarray(0, length), headers, signal, egress)
    response.resume()
    const { statusCode: status = 0 } = response
    if (RETRIED.includes(status)) return false
    count(status >= 200 && status < 300 ? 'exported' : 'dropped', spans)
    return true
  }

  async function send(batch: Batch): Promise<void> {
    // Over the last comma.
    batch.length += batch.bytes.write(AFTER, batch.length - 1, 'latin1') - 1
    for (const pause of [...PAUSES, null]) {
      if (await attempt(batch).catch(() => false)) return
      if (pause === null || closing.signal.aborted) break
      await rest(pause, closing.signal)
    }
    count('dropped', batch.spans)
  }

  async function sendAll(): Promise<void> {
    for (let batch = full.shift(); batch !== undefined; batch = full.shift()) {
      await send(batch)
      free.push(batch)
    }
  }

  /** What is being filled is full. */
  function flush(): Promise<void> {
    clearTimeout(timer ?? undefined)
    timer = null
    if (filling !== null) full.push(filling)
    filling = null
    sending ??= sendAll().finally(() => {
      sending = null
    })
    return sending
  }

  return {
    add: (span) => {
      const end = BATCH_BYTES - span.length - AFTER.length
      if (filling !== null && filling.length > end) void flush()
      filling ??= emptyBatch()
      if (filling === null || filling.length > end) {
        count('dropped', 1)
        return
      }
      const { bytes } = filling
      filling.length += bytes.write(span, filling.length, 'latin1')
      bytes[filling.length++] = COMMA
      filling.spans++
      timer ??= setTimeout(() => void flush(), EVERY).unref()
    },
    close: async () => {
      closing.abort()
      const cut = setTimeout(() => ended.abort(), CLOSING_PATIENCE)
      await flush()
      await flush()
      clearTimeout(cut)
      for (const agent of Object.values(egress.agents)) agent.destroy()
    },
  }
}

/** Ends early when the signal says so. */
function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds).unref()
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
