// Runs jobs in a thread of their kind, so that the thread that talks to the queue stays free.

import type { RunSpec } from '@primo/lab/node'
import { startCellThread, startChunkThread } from '@primo/lab/node'
import type { Job, JobOutput } from './job-queue.js'

export interface JobRunner {
  /** Whether it can run this job as well. */
  readonly suits: (job: Job) => boolean
  readonly run: (job: Job) => Promise<JobOutput>
  readonly stop: () => Promise<void>
}

/** `use`: files of code that jobs may ask for. */
export function startRunner(first: Job, use: readonly string[]): JobRunner {
  return first.kind === 'cells' ? cellRunner(first.spec, use) : chunkRunner()
}

function cellRunner(spec: string, use: readonly string[]): JobRunner {
  const thread = startCellThread(JSON.parse(spec) as RunSpec, { use })
  return {
    suits: (job) => job.kind === 'cells' && job.spec === spec,
    run: (job) =>
      outputOf(async () => {
        const texts: string[] = []
        for (const cell of job.kind === 'cells' ? job.cells : []) texts.push(JSON.stringify(await thread.run(cell)))
        return texts
      }),
    stop: thread.stop,
  }
}

function chunkRunner(): JobRunner {
  const thread = startChunkThread()
  return {
    suits: ({ kind }) => kind === 'chunk',
    run: (job) => outputOf(async () => (job.kind === 'chunk' ? [await thread.run(job.task)] : [])),
    stop: thread.stop,
  }
}

async function outputOf(work: () => Promise<readonly string[]>): Promise<JobOutput> {
  try {
    return { texts: await work() }
  } catch (error) {
    return { error: (error as Error).message }
  }
}
