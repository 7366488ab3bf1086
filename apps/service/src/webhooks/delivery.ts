// Delivers events to one address, beside the work: in order, one at a time, each until it is taken, refused for good, or tried too often. What does
// not fit into the queue meanwhile is dropped. The address must be the one that was named: a name that stands for this machine, or
// for the addresses where clouds hand out credentials, is not called, and redirects are not followed.

import { createEgress } from '../imputers/egress.js'
import { post } from '../imputers/http-model.js'
import { type CloudEvent, webhookHeaders } from './cloud-event.js'

export interface Delivery {
  readonly send: (event: CloudEvent) => void
  /** Gives what is under way a moment, and stops. */
  readonly close: () => Promise<void>
}

export interface DeliveryOptions {
  readonly secret: string | null
  /** `failed`: an attempt that will be repeated. */
  readonly count: (result: 'delivered' | 'failed' | 'dropped', why?: string) => void
  /** Milliseconds before further attempts, each shortened by up to a half at random. */
  readonly pauses?: readonly number[]
  /** Milliseconds in which the address must answer. */
  readonly timeout?: number
}

const MAX_WAITING = 1000
const PAUSES = [1000, 5000, 30_000, 120_000, 600_000]
/** Milliseconds that a closing service waits. */
const CLOSING_PATIENCE = 1000

export function createDelivery(address: string, options: DeliveryOptions): Delivery {
  const { secret, count, pauses = PAUSES, timeout = 10_000 } = options
  const url = new URL(address)
  const egress = createEgress([url.host], '--webhook')
  const waiting: CloudEvent[] = []
  const closing = new AbortController()
  const ended = new AbortController()
  let running: Promise<void> | null = null

  /** null: it was taken; else why not, and whether another attempt may help. */
  async function attempt(event: CloudEvent): Promise<{ readonly why: string; readonly again: boolean } | null> {
    const body = JSON.stringify(event)
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), ended.signal])
    try {
      const response = await post(url, body, webhookHeaders(event.id, body, secret), signal, egress)
      response.destroy()
      const { statusCode: status = 0 } = response
      if (status >= 200 && status < 300) return null
      return { why: `it answered ${status}`, again: status >= 500 || status === 408 || status === 429 }
    } catch (error) {
      return { why: error instanceof Error ? error.message : String(error), again: true }
    }
  }

  async function deliver(event: CloudEvent): Promise<void> {
    for (const pause of [...pauses, null]) {
      const refused = await attempt(event)
      if (refused === null) return count('delivered')
      const last = pause === null || !refused.again || closing.signal.aborted
      count(last ? 'dropped' : 'failed', refused.why)
      if (last) return
      await rest(pause * (1 - Math.random() / 2), closing.signal)
    }
  }

  async function run(): Promise<void> {
    for (let event = waiting[0]; event !== undefined; event = waiting[0]) {
      await deliver(event)
      waiting.shift()
    }
    running = null
  }

  return {
    send: (event) => {
      if (waiting.length >= MAX_WAITING) return count('dropped', 'the queue is full')
      waiting.push(event)
      running ??= run()
    },
    close: async () => {
      closing.abort()
      const cut = setTimeout(() => ended.abort(), CLOSING_PATIENCE)
      await running
      clearTimeout(cut)
      for (const agent of Object.values(egress.agents)) agent.destroy()
    },
  }
}

/** Ends early when the signal says so. */
function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, milliseconds).unref()
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
