// A model that runs in a thread of its own (a module of the user's, or ONNX), so that it cannot hold up the event loop. A thread that
// does not answer in time is ended; the next call starts a new one.

import { Worker } from 'node:worker_threads'
import type { Context, Feature } from '@primo/core'
import { threadFile } from '../threads/thread-file.js'
import type { ModuleDefinition, OnnxDefinition } from './imputer-definition.js'
import type { Model, Said } from './model.js'
import type { ThreadReply, ThreadStart } from './model-thread.js'

export interface ThreadModel extends Model {
  /** Loads the model; rejects with why it cannot be used. */
  readonly start: () => Promise<void>
}

export function threadModel(
  definition: ModuleDefinition | OnnxDefinition,
  path: string,
  context: Readonly<Record<string, Feature>>,
  covariate: Feature,
): ThreadModel {
  const workerData: ThreadStart = { definition, path, context, covariate }
  const waiting = new Map<number, { resolve: (said: readonly Said[]) => void; reject: (error: Error) => void }>()
  let thread: { readonly worker: Worker; readonly ready: Promise<void> } | null = null
  let calls = 0
  let closed = false

  function gone(worker: Worker, error: Error): void {
    if (thread?.worker === worker) thread = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function running() {
    if (thread !== null) return thread
    const worker = new Worker(threadFile(new URL('./model-thread.js', import.meta.url)), { workerData, execArgv: [] })
    worker.unref()
    const ready = new Promise<void>((resolve, reject) => {
      worker.on('message', (reply: ThreadReply) => {
        if ('ready' in reply) {
          if (reply.ready === true) return resolve()
          reject(new Error(reply.ready))
          void worker.terminate()
          return
        }
        const call = waiting.get(reply.id)
        waiting.delete(reply.id)
        if ('error' in reply) call?.reject(new Error(reply.error))
        else call?.resolve(reply.said)
      })
      const fail = (error: Error) => {
        reject(error)
        gone(worker, error)
      }
      worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
      worker.on('exit', () => fail(new Error('its thread has stopped')))
    })
    // A call reports the error; until then it must not count as unhandled.
    ready.catch(() => undefined)
    thread = { worker, ready }
    return thread
  }

  return {
    batch: 64,
    concurrency: 1,
    start: () => running().ready,
    predict: async (rows: readonly Context[], signal) => {
      if (closed) throw new Error('the service is closing')
      const { worker, ready } = running()
      const stop = () => {
        gone(worker, signal.reason as Error)
        void worker.terminate()
      }
      signal.addEventListener('abort', stop, { once: true })
      try {
        await ready
        signal.throwIfAborted()
        const id = ++calls
        return await new Promise<readonly Said[]>((resolve, reject) => {
          waiting.set(id, { resolve, reject })
          worker.postMessage({ id, rows })
        })
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
    close: async () => {
      closed = true
      await thread?.worker.terminate()
    },
  }
}
