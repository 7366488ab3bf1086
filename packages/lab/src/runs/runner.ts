// Runs the cells of a spec in worker threads and hands every row on as it finishes. With one worker everything happens in
// this thread. Rows do not depend on the number of workers.

import { availableParallelism } from 'node:os'
import { PrimoError } from '@primo/numeric'
import { cellGroups } from './cell-groups.js'
import { startCellThread } from './cell-thread.js'
import { loadCode } from './code-files.js'
import { cellRunner } from './run-cell.js'
import type { FinishedCell } from './run-folder.js'
import { type Cell, isData, type RunSpec } from './run-spec.js'

/** With how many workers cells are run, and who is told of rows and progress. */
export interface RunnerOptions {
  /** Default: the number of cores, at most 8. */
  readonly workers?: number
  readonly onRow: (done: FinishedCell) => void
  /** Rounds that were decided since the last call. */
  readonly onProgress?: (rounds: number) => void
}

/** Runs cells in worker threads and hands every row on as it finishes. */
export async function runCells(spec: RunSpec, cells: readonly Cell[], options: RunnerOptions): Promise<void> {
  const data = isData(spec)
  if (!data && (options.workers ?? 1) > 1)
    throw new PrimoError(
      'invalid-option',
      `workers must be 1 where scenarios or policies are objects with code, got ${options.workers}; put them in a module file`,
      { field: 'workers', value: options.workers },
    )
  const wanted = data ? (options.workers ?? Math.min(8, availableParallelism())) : 1
  const workers = Math.min(wanted, cells.length)
  if (workers <= 1) {
    const run = cellRunner(spec, await loadCode(spec))
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

async function runInThreads(
  spec: RunSpec,
  cells: readonly Cell[],
  count: number,
  options: RunnerOptions,
): Promise<void> {
  const work = [...cellGroups(cells, count)]
  const threads = Array.from({ length: count }, () => startCellThread(spec, { onProgress: options.onProgress }))
  try {
    await Promise.all(
      threads.map(async (thread) => {
        for (let group = work.shift(); group !== undefined; group = work.shift()) {
          for (const cell of group) options.onRow({ cell: cell.index, row: await thread.run(cell) })
        }
      }),
    )
  } finally {
    await Promise.all(threads.map((thread) => thread.stop()))
  }
}
