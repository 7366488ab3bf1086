// Runs the cells of a spec in worker threads and hands every row on as it finishes. With one worker everything happens in
// this thread. Rows do not depend on the number of workers.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { cellRunner } from './run-cell.js'
import type { FinishedCell } from './run-folder.js'
import type { RunRow } from './run-row.js'
import type { Cell, RunSpec } from './run-spec.js'

export interface RunnerOptions {
  /** Default: the number of cores, at most 8. */
  readonly workers?: number
  readonly onRow: (done: FinishedCell) => void
  /** Rounds that were decided since the last call. */
  readonly onProgress?: (rounds: number) => void
}

export async function runCells(spec: RunSpec, cells: readonly Cell[], options: RunnerOptions): Promise<void> {
  const wanted = options.workers ?? Math.min(8, availableParallelism())
  const workers = Math.min(wanted, cells.length)
  if (workers <= 1) {
    const run = cellRunner(spec)
    for (const cell of cells) {
      let before = 0
      const row = run(cell, (rounds) => {
        options.onProgress?.(rounds - before)
        before = rounds
      })
      options.onRow({ cell: cell.index, row })
      // Lets an interruption be heard between two cells.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return
  }
  await runInThreads(spec, cells, workers, options)
}

type Message =
  | { readonly type: 'progress'; readonly rounds: number }
  | { readonly type: 'done'; readonly cell: number; readonly row: RunRow }
  | { readonly type: 'failed'; readonly cell: number; readonly message: string; readonly stack: string }

/** Cells of one scenario and repeat go to one worker in a row, so that its world is made once. */
function groups(cells: readonly Cell[]): Cell[][] {
  const byWorld = new Map<string, Cell[]>()
  for (const cell of cells) {
    const key = `${cell.scenario}/${cell.repeat}`
    const group = byWorld.get(key)
    if (group === undefined) byWorld.set(key, [cell])
    else group.push(cell)
  }
  return [...byWorld.values()]
}

async function runInThreads(
  spec: RunSpec,
  cells: readonly Cell[],
  count: number,
  options: RunnerOptions,
): Promise<void> {
  const queue = groups(cells)
  // With fewer worlds than workers the cells themselves are shared out.
  const work = queue.length >= count ? queue : cells.map((cell) => [cell])
  let left = cells.length
  const threads: Worker[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      for (let i = 0; i < count; i++) {
        const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { spec } })
        threads.push(worker)
        let mine: Cell[] = []
        const next = () => {
          if (mine.length === 0) mine = work.shift() ?? []
          const cell = mine.shift()
          if (cell !== undefined) worker.postMessage(cell)
        }
        worker.on('message', (message: Message) => {
          if (message.type === 'progress') options.onProgress?.(message.rounds)
          else if (message.type === 'failed') reject(new Error(message.message))
          else {
            options.onRow({ cell: message.cell, row: message.row })
            left--
            if (left === 0) resolve()
            else next()
          }
        })
        worker.on('error', reject)
        next()
      }
    })
  } finally {
    await Promise.all(threads.map((worker) => worker.terminate()))
  }
}
