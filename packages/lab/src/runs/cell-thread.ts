// A thread of its own that runs cells of one spec, one after the other, while this thread stays free to listen.

import { Worker } from 'node:worker_threads'
import type { RunRow } from './run-row.js'
import type { Cell, RunSpec } from './run-spec.js'

/** A thread that runs cells of one spec, one at a time. */
export interface CellThread {
  /** One cell at a time. */
  readonly run: (cell: Cell) => Promise<RunRow>
  readonly stop: () => Promise<void>
}

type Message =
  | { readonly type: 'progress'; readonly rounds: number }
  | { readonly type: 'done'; readonly cell: number; readonly row: RunRow }
  | { readonly type: 'failed'; readonly cell: number; readonly message: string; readonly stack: string }

/** Starts a thread that runs cells of a spec while this one stays free. */
export function startCellThread(
  spec: RunSpec,
  options: {
    readonly onProgress?: ((rounds: number) => void) | undefined
    /** Files that the spec's code may come from; default those that it names. */
    readonly use?: readonly string[] | undefined
  } = {},
): CellThread {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { spec, use: options.use } })
  let waiting: { readonly resolve: (row: RunRow) => void; readonly reject: (error: Error) => void } | undefined
  let broken: Error | undefined
  const settle = (how: (one: NonNullable<typeof waiting>) => void) => {
    const one = waiting
    waiting = undefined
    if (one !== undefined) how(one)
  }
  worker.on('message', (message: Message) => {
    if (message.type === 'progress') options.onProgress?.(message.rounds)
    else if (message.type === 'failed') settle(({ reject }) => reject(new Error(message.message)))
    else settle(({ resolve }) => resolve(message.row))
  })
  const fail = (error: Error) => {
    broken ??= error
    settle(({ reject }) => reject(error))
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the thread of a cell was stopped')))
  return {
    run: (cell) =>
      new Promise((resolve, reject) => {
        if (broken !== undefined) return reject(broken)
        waiting = { resolve, reject }
        worker.postMessage(cell)
      }),
    stop: async () => {
      await worker.terminate()
    },
  }
}
