// Runs worlds and seeds in worker threads; with one worker everything happens in this thread. Outcomes come in the order of tasks.

import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { runWorld, type WorldOutcome } from './run-world.js'
import type { WorldTask } from './world-thread.js'
import { worlds } from './worlds.js'

export interface RunWorldsOptions {
  /** Default: the number of cores, at most 8. */
  readonly workers?: number
  /** Share done. */
  readonly onProgress?: (share: number) => void
}

export async function runWorlds(
  tasks: readonly WorldTask[],
  { workers = Math.min(8, availableParallelism()), onProgress }: RunWorldsOptions,
): Promise<readonly WorldOutcome[]> {
  const outcomes: WorldOutcome[] = new Array(tasks.length)
  let next = 0
  let done = 0
  const work = async (run: (task: WorldTask) => Promise<WorldOutcome>) => {
    for (let at = next++; at < tasks.length; at = next++) {
      outcomes[at] = await run(tasks[at]!)
      onProgress?.(++done / tasks.length)
    }
  }
  if (workers <= 1) {
    await work(async ({ world, seed, rounds, alone }) => {
      // Lets the progress be drawn.
      await new Promise((resolve) => setImmediate(resolve))
      return runWorld(worlds[world]!, seed, rounds, alone)
    })
    return outcomes
  }
  const threads = Array.from({ length: workers }, () => new Worker(new URL('./world-thread.js', import.meta.url)))
  try {
    await Promise.all(
      threads.map((thread) =>
        work(async (task) => {
          thread.postMessage(task)
          const [outcome] = (await once(thread, 'message')) as [WorldOutcome]
          return outcome
        }),
      ),
    )
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
  return outcomes
}
