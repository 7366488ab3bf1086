// Loads the policy: the one kept by the last run, then conditional requests, and a request at once when the event
// stream announces another one. No decision waits for any of it.

import type { PolicyDocument } from '@primo/contract'
import type { Code } from '@primo/core'
import type { TransportOptions } from '../transport.js'
import { type LocalPolicy, readPolicy } from './local-policy.js'

/** A policy and when the service last said that it was the live one, milliseconds since 1970. */
export interface KeptPolicy {
  readonly document: PolicyDocument
  readonly confirmed: number
}

/** Keeps the policy for the next start. */
export interface PolicyKeep {
  readonly load: () => Promise<KeptPolicy | null>
  readonly save: (kept: KeptPolicy) => Promise<void>
}

export interface PolicySource {
  /** The newest policy; null: none came yet. */
  readonly policy: () => LocalPolicy | null
  readonly confirmed: () => number
  /** Asks the service now. Resolves to whether it answered. */
  readonly refresh: () => Promise<boolean>
  readonly failures: () => number
  readonly close: () => void
}

/** Where the policy comes from, and who asks for it. */
export interface SourceOptions extends TransportOptions {
  readonly problem: string
  readonly caller: string
  /** Milliseconds between questions whether the policy is still the live one; default 30,000. */
  readonly refresh?: number
  /** Keeps the policy for the next start: `filePolicy` of `@primo/client/spool`, `indexedDbPolicy`, or your own. */
  readonly keep?: PolicyKeep
  /** Exploration rules and function classes of your own that the problem names. */
  readonly use?: readonly Code[]
}

/** Milliseconds between two savings of an unchanged policy. */
const SAVE_EVERY = 60_000

export async function openPolicySource(options: SourceOptions): Promise<PolicySource> {
  const { key, keep, use = [], refresh: every = 30_000, timeout = 10_000 } = options
  const base = `${options.url.replace(/\/+$/, '')}/v1/problems/${encodeURIComponent(options.problem)}/policy`
  const send = options.fetch ?? ((...given: Parameters<typeof fetch>) => fetch(...given))
  const headers = { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
  const ended = new AbortController()
  let policy: LocalPolicy | null = null
  let confirmed = 0
  let saved = 0
  let failures = 0
  let asking: Promise<boolean> | null = null

  async function ask(): Promise<boolean> {
    const known = policy?.document.hash
    try {
      const response = await send(`${base}?caller=${encodeURIComponent(options.caller)}`, {
        headers: { ...headers, ...(known === undefined ? {} : { 'if-none-match': `"${known}"` }) },
        signal: AbortSignal.any([ended.signal, AbortSignal.timeout(timeout)]),
      })
      if (response.status === 200) policy = readPolicy((await response.json()) as PolicyDocument, use, policy)
      else if (response.status !== 304) throw new Error(`the service answered ${response.status}`)
      confirmed = Date.now()
      if (response.status === 200 || confirmed - saved > SAVE_EVERY) {
        saved = confirmed
        await keep?.save({ document: policy!.document, confirmed }).catch(() => {
          failures++
        })
      }
      return true
    } catch {
      failures++
      return false
    }
  }

  function refresh(): Promise<boolean> {
    asking ??= ask().finally(() => {
      asking = null
    })
    return asking
  }

  /** Listens until the stream ends. */
  async function listen(): Promise<void> {
    const response = await send(`${base}/events`, { headers, signal: ended.signal })
    if (!response.ok || response.body === null) return
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read()
      if (done) return
      const events = (rest + value).split('\n\n')
      rest = events.pop()!
      if (events.some((event) => event.startsWith('event: policy'))) void refresh()
    }
  }

  async function follow(): Promise<void> {
    while (!ended.signal.aborted) {
      await listen().catch(() => undefined)
      await pause(Math.min(every, 5000), ended.signal)
    }
  }

  const kept = await keep?.load().catch(() => null)
  if (kept != null) {
    try {
      const { problem, caller } = kept.document
      // Draws of another caller, or of another problem, would all be refused.
      if (problem === options.problem && caller === options.caller) {
        policy = readPolicy(kept.document, use)
        confirmed = Number(kept.confirmed) || 0
      }
    } catch {
      failures++
    }
  }
  void refresh()
  void follow()
  const timer = setInterval(() => void refresh(), every)
  ;(timer as { readonly unref?: () => void }).unref?.()

  return {
    policy: () => policy,
    confirmed: () => confirmed,
    refresh,
    failures: () => failures,
    close: () => {
      clearInterval(timer)
      ended.abort()
    },
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds)
    ;(timer as { readonly unref?: () => void }).unref?.()
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
