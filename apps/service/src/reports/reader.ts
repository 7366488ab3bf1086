// Long reads, handed to a thread: what decides and what writes is not held up. The thread starts with the first of them.

import { Worker } from 'node:worker_threads'
import type { DecisionFilter, DecisionList, HistoryRange, OperationList, Trend } from '@primo/contract'
import type { LogFormat } from '@primo/lab/log'
import type { ProblemRow } from '../ledger/book.js'
import { ServiceError } from '../ledger/service-error.js'
import { type ReaderSpec, StoreUnavailable } from '../ledger/store.js'
import { threadFile } from '../threads/thread-file.js'
import { createGate, endThread, forget, type Gate } from '../threads/thread-gate.js'
import type { ListPart } from './decision-list.js'
import type { HistoryFound } from './histories.js'
import type { ReadingAnswer, ReadingAsk, ReadingReply, ReadingRequest, ReadingStart } from './reading-thread.js'

export interface Reader {
  /** The decision log in pieces. A piece is read when it is asked for; who stops asking must `return`. */
  readonly exportLog: (row: ProblemRow, format: LogFormat, filter?: DecisionFilter) => AsyncGenerator<Uint8Array>
  readonly history: (problem: number, range: HistoryRange, since?: string) => Promise<HistoryFound>
  /** How each of these problems went, in their order. */
  readonly trends: (problems: readonly number[]) => Promise<readonly Trend[]>
  readonly operations: (problem: number) => Promise<OperationList>
  readonly decisions: (row: ProblemRow, part: ListPart) => Promise<DecisionList>
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly resolve: (answer: ReadingAnswer) => void
  readonly reject: (error: Error) => void
}

export function createReader(spec: ReaderSpec): Reader {
  let worker: Worker | null = null
  let gate: Gate
  let ids = 0
  let closed = false
  const waiting = new Map<number, Waiting>()

  function thread(): Worker {
    if (worker !== null) return worker
    const own = createGate()
    const started = new Worker(threadFile(new URL('./reading-thread.js', import.meta.url)), {
      workerData: { reader: spec, gate: own } satisfies ReadingStart,
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    })
    const gone = (message: string) => {
      forget(own)
      if (worker === started) worker = null
      for (const { reject } of waiting.values()) reject(new StoreUnavailable(message))
      waiting.clear()
    }
    started.on('message', (reply: ReadingReply) => {
      const asked = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('answer' in reply) asked?.resolve(reply.answer)
      else if ('refused' in reply) asked?.reject(new ServiceError(reply.code, reply.refused))
      else asked?.reject(new Error(reply.failed))
    })
    started.on('error', (error) => gone(`the thread that reads has stopped: ${error.message}`))
    started.on('exit', () => gone('the thread that reads has stopped'))
    worker = started
    gate = own
    return started
  }

  function ask(asked: ReadingAsk): Promise<ReadingAnswer> {
    return new Promise((resolve, reject) => {
      if (closed) return reject(new StoreUnavailable('the store is closed'))
      const id = ++ids
      waiting.set(id, { resolve, reject })
      thread().postMessage({ id, ask: asked } satisfies ReadingRequest)
    })
  }

  return {
    exportLog: async function* (row, format, filter = {}) {
      const number = (await ask({ exporting: row, format, filter })) as number
      try {
        for (;;) {
          const piece = (await ask({ next: number })) as Uint8Array | null
          if (piece === null) return
          yield piece
        }
      } finally {
        if (worker !== null) await ask({ cancel: number }).catch(() => undefined)
      }
    },
    history: async (problem, range, since) => (await ask({ history: problem, range, since })) as HistoryFound,
    trends: async (problems) => (problems.length === 0 ? [] : ((await ask({ trends: problems })) as readonly Trend[])),
    operations: async (problem) => (await ask({ operations: problem })) as OperationList,
    decisions: async (row, part) => (await ask({ listing: row, ...part })) as DecisionList,
    close: async () => {
      closed = true
      if (worker !== null) await endThread(worker, gate)
    },
  }
}
