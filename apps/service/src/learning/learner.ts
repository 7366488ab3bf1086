// Learning off the request path: one thread, one fit at a time, oldest end first. A fit that fails keeps the old policy,
// is recorded, and is tried again: once on the same rounds, then with those that have come since.

import { Worker } from 'node:worker_threads'
import type { ProblemRow } from '../ledger/book.js'
import type { Command, Outcome } from '../ledger/commands.js'
import type { Store } from '../ledger/store.js'
import { threadFile } from '../threads/thread-file.js'
import { createGate, endThread, forget, type Gate } from '../threads/thread-gate.js'
import type { CodeModule } from './code-modules.js'
import type { LearnerStart, LearnReply, LearnRequest, LookReply, LookRequest } from './learner-thread.js'

interface LearnerEvents {
  readonly fitted: (problem: string, seconds: { readonly reading: number; readonly fitting: number }) => void
  readonly failed: (problem: string, message: string, seconds: number) => void
}

export interface BackgroundLearner {
  /** An end of this problem waits to be learnt, or its candidate to be looked at. */
  readonly wake: (problem: string) => void
  /** Keeps nothing of a problem's rounds: what was forgotten must be in no column and no file. */
  readonly forget: (problem: number) => void
  /** Fits that run or wait. */
  readonly waiting: () => number
  /** Makes the next fits fail, for tests. */
  failNext: (count: number) => void
  readonly close: () => Promise<void>
}

export interface LearnerOptions {
  /** Milliseconds before a failed fit is tried again; doubles up to a minute. Default 1000. */
  readonly retryAfter?: number
  /** Modules of the operator's code. */
  readonly code?: readonly CodeModule[]
  /** Fits; default: a thread of its own. */
  readonly fit?: (request: LearnRequest | LookRequest) => Promise<Reply>
}

type Reply = LearnReply | LookReply

/** After so many a candidate is given up. */
const MAX_FAILED_LOOKS = 3

export function startLearner(store: Store, events: LearnerEvents, options: LearnerOptions = {}): BackgroundLearner {
  const { retryAfter = 1000, code = [], fit } = options
  let worker: Worker | null = null
  let gate: Gate
  let answer: ((reply: Reply) => void) | null = null
  const queue: string[] = []
  const failures = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()
  /** Problems whose failed fit or look waits to be tried again. */
  const resting = new Set<string>()
  let running: string | null = null
  /** An end came while a fit of the same problem was being published. */
  let again = false
  let failing = 0
  let closed = false

  function thread(): Worker {
    if (worker !== null) return worker
    const own = createGate()
    const started = new Worker(threadFile(new URL('./learner-thread.js', import.meta.url)), {
      workerData: { reader: store.readerSpec(), gate: own, code } satisfies LearnerStart,
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    })
    const gone = (message: string) => {
      forget(own)
      if (worker === started) worker = null
      const waiting = answer
      answer = null
      waiting?.({ error: message })
    }
    started.on('message', (reply: Reply) => {
      const waiting = answer
      answer = null
      waiting?.(reply)
    })
    started.on('error', (error) => gone(error.message))
    started.on('exit', () => gone('the learner thread has stopped'))
    worker = started
    gate = own
    return started
  }

  function ask<R extends Reply>(request: LearnRequest | LookRequest): Promise<R> {
    if (fit !== undefined) return fit(request) as Promise<R>
    return new Promise((resolve) => {
      answer = resolve as (reply: Reply) => void
      thread().postMessage(request)
    })
  }

  async function learnOne(name: string): Promise<void> {
    const row = await store.problem(name)
    if (row === undefined || row.retired !== null || !store.leads()) return
    if (row.book.ending === null) return lookAt(row)
    const { book } = row
    const { cut } = book.ending!
    const began = performance.now()
    const before = book.learnt === 0 ? null : ((await store.snapshot(row.id, row.version, book.learnt))?.state ?? null)
    const fail = failing > 0
    if (fail) failing--
    const reply = await ask<LearnReply>({
      problem: row.id,
      version: row.version,
      start: book.start,
      cut,
      state: before,
      ...(fail ? { fail } : {}),
    })
    if (closed) return
    if ('error' in reply) await reportFailure(row, cut, reply.error, (performance.now() - began) / 1000)
    else await publish(row, cut, reply)
  }

  /** A candidate learns where nothing else waits. */
  async function lookAt({ id, name, book }: ProblemRow): Promise<void> {
    const { candidate } = book
    if (candidate === undefined || candidate.due === null) return
    const { since, looked, due: cut } = candidate
    const request = { problem: id, start: book.start, cut, policy: book.learnt + 1, candidate: { since, looked } }
    const began = performance.now()
    const reply = await ask<LookReply>(request)
    if (closed) return
    const command = { kind: 'look', problem: name, since, cut } as const
    if (!('error' in reply)) {
      failures.delete(`${name} candidate`)
      const { rounds, gain, learnt, givenUp } = reply
      await commit({ ...command, rounds, gain, learnt, givenUp })
      return
    }
    const count = (failures.get(`${name} candidate`) ?? 0) + 1
    failures.set(`${name} candidate`, count)
    events.failed(name, `candidate: ${reply.error}`, (performance.now() - began) / 1000)
    if (count < MAX_FAILED_LOOKS) {
      resting.add(name)
      return wakeLater(name, retryAfter * 2 ** (count - 1))
    }
    failures.delete(`${name} candidate`)
    await commit({ ...command, rounds: 0, gain: null, learnt: null, givenUp: `it could not learn: ${reply.error}` })
  }

  async function publish(row: ProblemRow, cut: number, reply: Exclude<LearnReply, { error: string }>): Promise<void> {
    const { version, state, report, software, next } = reply
    const outcome = await commit({ kind: 'publish', problem: row.name, version, cut, state, report, software, next })
    if ('done' in outcome) {
      failures.delete(row.name)
      events.fitted(row.name, { reading: reply.reading, fitting: reply.fitting })
    }
    // Otherwise the end was superseded: look again at what the log waits for.
    else wakeLater(row.name, retryAfter)
  }

  async function reportFailure(row: ProblemRow, cut: number, message: string, seconds: number): Promise<void> {
    const count = (failures.get(row.name) ?? 0) + 1
    failures.set(row.name, count)
    events.failed(row.name, message, seconds)
    await commit({ kind: 'fit-failed', problem: row.name, cut, message, recut: count >= 2 })
    resting.add(row.name)
    wakeLater(row.name, Math.min(60_000, retryAfter * 2 ** (count - 1)))
  }

  async function commit(command: Command): Promise<Outcome> {
    return (await store.commit([command]))[0]!
  }

  function wakeLater(name: string, after: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      resting.delete(name)
      wake(name)
    }, after)
    timers.add(timer)
  }

  function wake(name: string): void {
    if (running === name) again = true
    if (closed || running === name || queue.includes(name) || resting.has(name)) return
    queue.push(name)
    if (running === null) void run()
  }

  async function run(): Promise<void> {
    while (queue.length > 0 && !closed) {
      running = queue.shift()!
      again = false
      try {
        await learnOne(running)
        if (again && !resting.has(running)) wakeLater(running, 0)
      } catch (error) {
        // The store was away: the end is still in the log.
        events.failed(running, error instanceof Error ? error.message : String(error), 0)
        resting.add(running)
        wakeLater(running, retryAfter)
      }
    }
    running = null
  }

  return {
    wake,
    forget: (problem) => worker?.postMessage({ forget: problem }),
    waiting: () => queue.length + (running === null ? 0 : 1),
    failNext: (count) => {
      failing = count
    },
    close: async () => {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      if (worker !== null) await endThread(worker, gate)
    },
  }
}
