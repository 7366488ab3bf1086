// The cells of a run as jobs: each is the cells of one world, or single cells where there are few worlds.

import type { RunRow } from '@primo/lab'
import { type Cell, cellGroups, type FinishedCell, type RunSpec } from '@primo/lab/node'
import type { CellJob, JobQueue } from './job-queue.js'
import { type SubmitOptions, submitJobs } from './submit-jobs.js'

export interface SubmitCellsOptions extends SubmitOptions {
  /** Cells whose rows are known already. */
  readonly finished: (cell: number) => boolean
  readonly onRow: (done: FinishedCell) => void
}

/** With fewer worlds than this the cells of a world may go to several workers. */
const PARTS = 32

export async function submitCells(
  queue: JobQueue,
  spec: RunSpec,
  cells: readonly Cell[],
  options: SubmitCellsOptions,
): Promise<void> {
  const { finished, onRow } = options
  const text = JSON.stringify(spec)
  // Groups of all cells, not of those left: so their ids are the same when the run is continued.
  const jobs = cellGroups(cells, PARTS).map((group): CellJob => ({ kind: 'cells', spec: text, cells: group }))
  await submitJobs(
    queue,
    jobs,
    (job) => job.cells.some(({ index }) => !finished(index)),
    (job, texts) =>
      job.cells.forEach(({ index }, i) => {
        if (!finished(index)) onRow({ cell: index, row: JSON.parse(texts[i]!) as RunRow })
      }),
    options,
  )
}
