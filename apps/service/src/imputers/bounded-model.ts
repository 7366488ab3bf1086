// A model within its limits: a remembered answer is not asked for again, equal contexts share one call, rows that wait for a
// free call go together, a decision waits no longer than its budget, and a model that keeps failing gets a pause. Every answer
// is checked: a prediction that is no value of the covariate is a failure.

import type { Context, Prediction } from '@primo/core'
import type { Span } from '../tracing/tracer.js'
import { createBreaker } from './breaker.js'
import type { Limits } from './imputer-definition.js'
import { createMemory } from './memory.js'
import { type Model, ModelBusy, type Said } from './model.js'

export type Answer =
  /** `from`: asked or recently remembered, or remembered from before it failed. */
  | {
      readonly prediction: Prediction
      readonly sd?: number
      readonly from: 'model' | 'cache'
      /** Why an older answer stands in. */
      readonly reason?: string
    }
  | { readonly failure: string }

export interface BoundedModel {
  readonly ask: (context: Context, span?: Span | null) => Promise<Answer>
  readonly breaker: () => 'closed' | 'open' | 'half-open'
  readonly close: () => Promise<void>
}

interface BoundOptions {
  readonly limits: Limits
  /** null: it is a value of the covariate; else why not. */
  readonly check: (prediction: Prediction) => string | null
  readonly clock: () => number
  readonly onCall?: (seconds: number, failure: string | null) => void
}

interface Waiting {
  readonly key: string
  readonly context: Context
  readonly span: Span | null
  readonly settle: (said: Said) => void
  /** No caller waits for it any more. */
  readonly abandoned: () => boolean
  /** A caller has stopped waiting for it. */
  readonly late: () => boolean
}

export function boundModel(model: Model, options: BoundOptions): BoundedModel {
  const { limits, check, clock, onCall } = options
  const { budget = 50, timeout = 2000 } = limits
  const memory = createMemory({ size: 10_000, age: 300_000, keep: 86_400_000, ...limits.cache }, clock)
  const breaker = createBreaker({ failures: 5, pause: 1000, ...limits.breaker }, clock)
  const batch = Math.min(model.batch, limits.batch ?? 64)
  const concurrency = limits.concurrency ?? model.concurrency
  const queue: Waiting[] = []
  const underWay = new Map<string, { said: Promise<Said>; waiters: number; late: boolean }>()
  let calls = 0
  let lateSince = Number.NEGATIVE_INFINITY

  /** Rows that miss their budget for the same reason are one failure, not many: at most one for each length of the budget. */
  function missed(): void {
    const now = performance.now()
    if (breaker.state() === 'closed' && now - lateSince < budget) return
    lateSince = now
    breaker.failed()
  }

  function pump(): void {
    while (calls < concurrency && queue.length > 0) {
      const rows: Waiting[] = []
      while (rows.length < batch && queue.length > 0) {
        const next = queue.shift()!
        if (next.abandoned()) next.settle({ failure: 'there was no free call within the budget' })
        else rows.push(next)
      }
      if (rows.length > 0) void call(rows)
    }
  }

  async function call(rows: readonly Waiting[]): Promise<void> {
    calls++
    const began = performance.now()
    let failure: string | null = null
    try {
      // Rows of several traces share a call: it belongs to the first of them.
      const said = await model.predict(
        rows.map(({ context }) => context),
        AbortSignal.timeout(timeout),
        rows.find(({ span }) => span !== null)?.span?.headers(),
      )
      if (said.length !== rows.length) throw new Error(`the model gave ${said.length} answers to ${rows.length} rows`)
      const checked = said.map(valid)
      failure = checked.map((one) => ('failure' in one ? one.failure : null)).find((text) => text !== null) ?? null
      const spoke = checked.some((one) => !('failure' in one))
      // An answer that came too late was counted when it was missed.
      if (spoke && !rows.every(({ late }) => late())) breaker.succeeded()
      else if (!spoke) breaker.failed()
      rows.forEach(({ key, settle }, k) => {
        const one = checked[k]!
        if (!('failure' in one)) memory.remember(key, one)
        settle(one)
      })
    } catch (error) {
      failure = failureOf(error, timeout)
      if (error instanceof ModelBusy) breaker.open(error.pause)
      else breaker.failed()
      for (const { settle } of rows) settle({ failure })
    } finally {
      calls--
      onCall?.((performance.now() - began) / 1000, failure)
      pump()
    }
  }

  function valid(said: Said): Said {
    if ('failure' in said) return said
    const wrong = check(said.prediction)
    if (wrong !== null) return { failure: wrong }
    const { sd } = said
    if (sd !== undefined && !(Number.isFinite(sd) && sd >= 0)) return { prediction: said.prediction }
    return said
  }

  function enqueue(key: string, context: Context, span: Span | null) {
    let settle: (said: Said) => void = () => undefined
    const entry = {
      said: new Promise<Said>((resolve) => {
        settle = resolve
      }),
      waiters: 1,
      late: false,
    }
    underWay.set(key, entry)
    void entry.said.then(() => underWay.delete(key))
    queue.push({ key, context, span, settle, abandoned: () => entry.waiters === 0, late: () => entry.late })
    pump()
    return entry
  }

  /** An older answer, where one is remembered. */
  function older(known: ReturnType<typeof memory.recall>, failure: string): Answer {
    if (known === undefined || 'failure' in known.said) return { failure }
    return { ...known.said, from: 'cache', reason: failure }
  }

  return {
    ask: async (context, span = null) => {
      const key = keyOf(context)
      const known = memory.recall(key)
      if (known?.fresh === true && !('failure' in known.said)) return { ...known.said, from: 'model' }
      let entry = underWay.get(key)
      if (entry === undefined) {
        if (!breaker.allows()) return older(known, 'the model keeps failing and is left alone for a while')
        entry = enqueue(key, context, span)
      } else entry.waiters++
      const said = await within(entry.said, budget)
      entry.waiters--
      if (said === null) {
        if (!entry.late) missed()
        entry.late = true
        return older(known, `the model did not answer within ${budget} ms`)
      }
      return 'failure' in said ? older(known, said.failure) : { ...said, from: 'model' }
    },
    breaker: breaker.state,
    close: model.close,
  }
}

/** null: the time was over first. */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), milliseconds)
  })
  const first = await Promise.race([promise, late])
  clearTimeout(timer)
  return first
}

/** Why a call failed, in words. */
export function failureOf(error: unknown, timeout: number): string {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return `the model did not answer within ${timeout} ms`
  const message = error instanceof Error ? error.message : String(error)
  const { cause } = error as { cause?: { code?: string } }
  return `the model failed: ${cause?.code === undefined ? message : `${message} (${cause.code})`}`.slice(0, 300)
}

function keyOf(context: Context): string {
  return JSON.stringify(
    Object.keys(context)
      .sort()
      .map((name) => [name, context[name]]),
  )
}
