// A thread of its own that sums chunks of a log, one after the other, while this thread stays free to listen.

import { Worker } from 'node:worker_threads'
import type { ChunkTask } from './sum-chunk.js'

/** A thread that sums chunks of a log, one at a time. */
export interface ChunkThread {
  /** One chunk at a time; the sums as text (`unpackSums`). */
  readonly run: (task: ChunkTask) => Promise<string>
  readonly stop: () => Promise<void>
}

export type ChunkReply = { readonly sums: string } | { readonly failed: string }

/** Starts a thread that sums chunks of a log while this one stays free. */
export function startChunkThread(): ChunkThread {
  const worker = new Worker(new URL('./chunk-worker.js', import.meta.url))
  let waiting: ((reply: ChunkReply) => void) | undefined
  let broken: string | undefined
  const settle = (reply: ChunkReply) => {
    waiting?.(reply)
    waiting = undefined
  }
  const fail = (message: string) => {
    broken ??= message
    settle({ failed: broken })
  }
  worker.on('message', settle)
  worker.on('error', ({ message }) => fail(message))
  worker.on('exit', () => fail('the thread that sums a log was stopped'))
  return {
    run: async (task) => {
      const reply = await new Promise<ChunkReply>((resolve) => {
        if (broken !== undefined) return resolve({ failed: broken })
        waiting = resolve
        worker.postMessage(task)
      })
      if ('failed' in reply) throw new Error(reply.failed)
      return reply.sums
    },
    stop: async () => {
      await worker.terminate()
    },
  }
}
